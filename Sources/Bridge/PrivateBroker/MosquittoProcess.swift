import Foundation

/// One run of the `mosquitto` program. It ends with our process even if that is killed.
final class MosquittoProcess: Sendable {
    /// Why the program can't be started.
    enum Problem: Error, Sendable, Hashable {
        case notInstalled
        case failedToStart(String)
    }

    let pid: Int32
    private let exits: AsyncStream<Int32>

    /// Where Debian and others put the program; `/usr/sbin` is not in an ordinary user's search path.
    static func locate(_ name: String = "mosquitto") -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts the program with `configuration`; its output goes to `log`.
    ///
    /// It gets nothing of ours: no descriptor, since a socket that a child inherits stays open after we have closed it, and no blocked
    /// signal, since a pool's threads block all. The kernel ends it when our process dies: `setpriv --pdeathsig` asks for that between
    /// fork and exec.
    init(executable: String, configuration: String, log: String) throws(Problem) {
        let wrapper = Self.locate("setpriv").map { [$0, "--pdeathsig", "TERM"] } ?? []
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .failedToStart("can't write \(log)") }
        defer { close(output) }
        let pid = try Self.spawn(wrapper + [executable, "-c", configuration], output: output)
        let (exits, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // Waits as long as the program runs, so it needs a thread of its own.
        Thread.detachNewThread {
            continuation.yield(Self.wait(for: pid))
            continuation.finish()
        }
        self.pid = pid
        self.exits = exits
    }

    private static func spawn(_ words: [String], output: Int32) throws(Problem) -> pid_t {
        guard let closeFrom else { throw .failedToStart("this C library is older than 2.34") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        _ = withUnsafeMutablePointer(to: &actions) { closeFrom($0, STDERR_FILENO + 1) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let problem = posix_spawn(&pid, words[0], &actions, &attributes, &arguments, environ)
        guard problem == 0 else { throw .failedToStart("\(words[0]): \(String(cString: strerror(problem)))") }
        return pid
    }

    /// The exit code of a child, or the negative number of the signal that ended it.
    private static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return -1 } }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Found by name: the header shows it to programs that ask for GNU extensions only, which Swift's import doesn't.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map { unsafeBitCast($0, to: CloseFrom.self) }

    /// Waits for the end of the program, which is its exit code; `nil` when the waiting task was cancelled first.
    func exitCode() async -> Int32? {
        for await code in self.exits { return code }
        return nil
    }

    /// Whether the program has not ended, or nobody has taken note of its end.
    var isRunning: Bool { kill(self.pid, 0) == 0 }

    /// Asks the program to end.
    func terminate() { kill(self.pid, SIGTERM) }
}
