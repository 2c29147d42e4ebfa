import Glibc

extension Spawning {
    private final class Waiting: Sendable {
        let pid: pid_t
        let body: @Sendable (Int32) -> Void

        init(_ pid: pid_t, _ body: @escaping @Sendable (Int32) -> Void) { (self.pid, self.body) = (pid, body) }
    }

    /// Calls `body` with the result of `wait(for:)`, on a separate thread that lasts as long as the child.
    ///
    /// - Throws: `SpawnError` when the system cannot create a thread. The child then keeps running.
    package static func onExit(of pid: pid_t, _ body: @escaping @Sendable (Int32) -> Void) throws(SpawnError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        // Retained here; released by the thread, or below when there is none.
        let waiting = Unmanaged.passRetained(Waiting(pid, body))
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let waiting = Unmanaged<Waiting>.fromOpaque(argument).takeRetainedValue()
                waiting.body(Spawning.wait(for: waiting.pid))
                return nil
            }, waiting.toOpaque())
        guard code == 0 else {
            waiting.release()
            throw SpawnError(code: code, program: "a thread")
        }
    }
}
