import CastSender
import NIOCore

/// One deadline on an event loop that can be moved. Used on that loop only.
struct EventLoopTimer {
    private var scheduled: Scheduled<Void>?
    private var deadline: MonotonicTime?

    /// Calls `action` on the loop at `time`, instead of at any earlier wish.
    mutating func set(_ time: MonotonicTime, on eventLoop: any EventLoop, _ action: @escaping @Sendable () -> Void) {
        if self.deadline == time, self.scheduled != nil { return }
        self.scheduled?.cancel()
        self.deadline = time
        let clamped = UInt64(max(0, time.nanoseconds))
        self.scheduled = eventLoop.scheduleTask(deadline: .uptimeNanoseconds(clamped), action)
    }

    /// The action will not be called.
    mutating func cancel() {
        self.scheduled?.cancel()
        self.scheduled = nil
        self.deadline = nil
    }
}

extension MonotonicTime {
    /// The event loop's own clock.
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
