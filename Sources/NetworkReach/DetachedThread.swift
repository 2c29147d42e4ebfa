import Glibc

/// A thread that is never waited for. Signals are delivered to other threads, so its system calls are not interrupted by them.
package enum DetachedThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Parameter name: at most 15 bytes, for debuggers.
    /// - Returns: whether the system had a thread to give.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // Retained here; released by the thread, or below when there is none.
        let start = Unmanaged.passRetained(
            Start {
                Self.setName(name)
                body()
            })
        // A thread starts with the mask of its maker. Faults stay unblocked, or a crash would leave no trace.
        var mask = sigset_t()
        var former = sigset_t()
        sigfillset(&mask)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&mask, fault) }
        pthread_sigmask(SIG_SETMASK, &mask, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, start.toOpaque())
        guard result == 0 else {
            start.release()
            return false
        }
        return true
    }

    /// `pthread_setname_np` is a GNU extension, which Swift's Glibc module leaves out; proc(5) does the same.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = name.withCString { write(file, $0, strlen($0)) }
        close(file)
    }
}
