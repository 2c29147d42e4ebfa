import Glibc
import LogKeys
import Logging
import Synchronization

/// A client's request to restart the program, passed on when the services run.
final class RestartRequest: Sendable {
    private let state = Mutex(false)
    /// Has an element once a restart is requested, also for a reader that begins later.
    let requests: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (self.requests, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    var isRequested: Bool { self.state.withLock { $0 } }

    func request() {
        self.state.withLock { $0 = true }
        self.continuation.yield()
    }
}

/// Restarts the program: replaces it by the same program with the same arguments in the same process, so that neither a service manager nor
/// a container notices.
enum Restart {
    private static let runningProgram = "/proc/self/exe"

    /// Restarts the program. Returns only when the system refuses.
    static func perform(_ logger: Logger) {
        // The services blocked or ignored these signals, and the new program would inherit that.
        for number in [SIGTERM, SIGINT, SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        StandardError.flush()
        var arguments = Program.arguments.map { strdup($0) } + [nil]
        for program in self.programs { execv(program, &arguments) }
        logger.error("the program can't restart and ends", metadata: [.reason: "\(String(cString: strerror(errno)))"])
        for argument in arguments { free(argument) }
    }

    /// The programs to start: the program's file, which may be a newer version by now, and the running program itself in case the file is
    /// missing.
    private static var programs: [String] {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(self.runningProgram, &bytes, bytes.count)
        guard count > 0 else { return [self.runningProgram] }
        var path = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The kernel marks a file that was replaced or removed: proc(5).
        let mark = " (deleted)"
        if path.hasSuffix(mark), access(path, X_OK) != 0 { path.removeLast(mark.count) }
        return [path, self.runningProgram]
    }
}
