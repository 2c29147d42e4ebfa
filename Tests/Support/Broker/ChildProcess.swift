import Glibc

/// A program started by a test: ended by its own id, and by the kernel's pipe when the test process dies.
public final class ChildProcess: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Runs a short program to its end; blocks.
    /// - Throws: what it printed, when it failed.
    public static func run(_ words: [String]) throws {
        var template = Array("/tmp/child-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw Failure(description: "no temporary file: \(errno)") }
        unlink(template)
        defer { close(file) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, file, 1)
        posix_spawn_file_actions_adddup2(&actions, file, 2)
        var status: Int32 = -1
        guard let pid = Spawn.start(["/usr/bin/env"] + words, &actions), waitpid(pid, &status, 0) == pid else {
            throw Failure(description: "cannot start \(words)")
        }
        if status == 0 { return }
        var text = [UInt8](repeating: 0, count: 2000)
        let count = pread(file, &text, text.count, 0)
        throw Failure(description: "\(words) failed: \(String(decoding: text.prefix(max(0, count)), as: UTF8.self))")
    }

    public let pid: pid_t
    /// Closing it (also by our death) makes the watching shell end the program.
    private let leash: Int32
    private let shell: pid_t

    /// - Parameter logFile: takes standard output and standard error.
    public init(_ arguments: [String], logFile: String) throws {
        var leashEnds: [Int32] = [-1, -1]
        var reportEnds: [Int32] = [-1, -1]
        guard Self.pair(&leashEnds), Self.pair(&reportEnds) else { throw Failure(description: "no sockets: \(errno)") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, leashEnds[0], 0)
        posix_spawn_file_actions_adddup2(&actions, reportEnds[1], 3)
        posix_spawn_file_actions_addopen(&actions, 1, logFile, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let script = #"trap '' INT TERM HUP; "$@" 3>&- </dev/null & child=$!; echo $child >&3; exec 3>&-; read _; kill -KILL $child; wait $child"#
        let words = ["/bin/sh", "-c", script, "sh"] + arguments
        let spawned = Spawn.start(words, &actions)
        close(leashEnds[0])
        close(reportEnds[1])
        defer { close(reportEnds[0]) }
        guard let shell = spawned else {
            close(leashEnds[1])
            throw Failure(description: "cannot start \(arguments)")
        }
        var text = [UInt8](repeating: 0, count: 32)
        let count = read(reportEnds[0], &text, text.count)
        let number = String(decoding: text.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        guard let pid = pid_t(number) else {
            close(leashEnds[1])
            throw Failure(description: "no pid from \(arguments)")
        }
        self.pid = pid
        self.leash = leashEnds[1]
        self.shell = shell
    }

    /// Two connected ends that no other child inherits, whatever other threads start meanwhile (`pipe2` is not in Swift's Glibc).
    private static func pair(_ ends: inout [Int32]) -> Bool {
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    }

    public func send(signal number: Int32) { kill(self.pid, number) }

    /// Whether the program still runs (or is stopped).
    public var isAlive: Bool {
        guard let file = fopen("/proc/\(self.pid)/stat", "r") else { return false }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = fread(&text, 1, text.count, file)
        // The state follows the name, which is in parentheses; the shell reaps a zombie only at its own end.
        guard let end = text.prefix(count).lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return false }
        return text[end + 2] != UInt8(ascii: "Z")
    }

    deinit {
        kill(self.pid, SIGKILL)
        kill(self.shell, SIGKILL)
        close(self.leash)
        var status: Int32 = 0
        waitpid(self.shell, &status, 0)
    }
}

private enum Spawn {
    /// - Parameter words: the program's path, and its arguments.
    static func start(_ words: [String], _ actions: inout posix_spawn_file_actions_t) -> pid_t? {
        // The threads that Swift runs tasks on block signals, and a child inherits that: it would never see a SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, words[0], &actions, &attributes, &pointers, environ) == 0 ? pid : nil
    }
}
