import Glibc

/// A thread that no code waits for. Signals are delivered to other threads, so they do not interrupt its system calls.
package enum DetachedThread {
    private final class Start: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// - Parameter name: the name of the thread for debuggers, at most 15 bytes.
    /// - Returns: whether the system could create a thread.
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
        // A thread inherits the signal mask of its creator. Faults stay unblocked; otherwise a crash would leave no trace.
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

    /// Sets the name of the thread. `pthread_setname_np` is a GNU extension that Swift's Glibc module leaves out; proc(5) has the same
    /// effect.
    private static func setName(_ name: String) {
        let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = name.withCString { write(file, $0, strlen($0)) }
        close(file)
    }
}
