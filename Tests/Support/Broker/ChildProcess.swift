import Glibc

/// A program started by a test: ended by its own id, and by the kernel's pipe when the test process dies.
public final class ChildProcess: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
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
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var shell: pid_t = 0
        let result = posix_spawn(&shell, "/bin/sh", &actions, nil, &pointers, environ)
        close(leashEnds[0])
        close(reportEnds[1])
        defer { close(reportEnds[0]) }
        guard result == 0 else {
            close(leashEnds[1])
            throw Failure(description: "cannot start \(arguments): \(result)")
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
