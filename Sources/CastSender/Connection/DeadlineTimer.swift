import NIOCore

/// One timer that is moved lazily: a later deadline lets the earlier alarm come and be found too early, so that pushing a deadline
/// away, as every frame does, costs nothing. Belongs to its event loop.
struct DeadlineTimer {
    private var scheduled: Scheduled<Void>?
    private var armedFor = NIODeadline.distantFuture

    /// Calls `action` on `eventLoop` at `deadline` or before.
    mutating func arm(at deadline: NIODeadline, on eventLoop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
        if self.scheduled != nil {
            guard deadline < self.armedFor else { return }
            self.scheduled?.cancel()
        }
        self.armedFor = deadline
        self.scheduled = eventLoop.scheduleTask(deadline: deadline, action)
    }

    /// To be called first when the alarm came.
    mutating func fired() {
        self.scheduled = nil
        self.armedFor = .distantFuture
    }

    mutating func cancel() {
        self.scheduled?.cancel()
        self.fired()
    }
}
