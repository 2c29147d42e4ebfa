import Glibc
import Logging
import Synchronization

/// A client's wish that the program begin anew, told once its services run.
final class RestartRequest: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    var isRequested: Bool { self.state.withLock { $0.isRequested } }

    /// Ends the services, so that the program can begin anew.
    func request() {
        let action = self.state.withLock { state in
            state.isRequested = true
            return state.action
        }
        action?()
    }

    /// - Parameter action: ends the services; called at once when the wish came first.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = self.state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isLate { action() }
    }
}

/// Begins anew: the program with the same arguments in the same process, so that neither a service manager nor a container notices.
enum Restart {
    private static let runningProgram = "/proc/self/exe"

    /// Returns only when the system refuses.
    static func perform(_ logger: Logger) {
        // The services blocked or ignored these, and a new program would inherit that.
        for number in [SIGTERM, SIGINT, SIGPIPE] { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        StandardError.flush()
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        for program in self.programs { execv(program, &arguments) }
        logger.error("the program can't begin anew and ends", metadata: ["reason": "\(String(cString: strerror(errno)))"])
        for argument in arguments { free(argument) }
    }

    /// What to begin: the program's file, which may be a newer one by now, and the very program that runs, should there be no such file.
    private static var programs: [String] {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(self.runningProgram, &bytes, bytes.count)
        guard count > 0 else { return [self.runningProgram] }
        var path = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The kernel's word for a file that was replaced or removed: proc(5).
        let mark = " (deleted)"
        if path.hasSuffix(mark), access(path, X_OK) != 0 { path.removeLast(mark.count) }
        return [path, self.runningProgram]
    }
}
