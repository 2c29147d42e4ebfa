import NIOCore

/// A timer on an event loop that can be armed, moved and cancelled. Used on that loop only.
///
/// The action runs once for each arming, at the armed time or later. If the loop had already dequeued the alarm when the deadline was moved
/// or cancelled, the alarm is ignored. A deadline that is moved to a later time keeps its alarm, which then sets the next one, so moving it
/// with each frame costs only a comparison.
///
/// A pending alarm retains the deadline and its action, so the action must not retain the owner; `init(of:on:_:)` ensures that.
package final class Deadline {
    /// When the action is due; `nil` while the deadline is not armed.
    package private(set) var time: NIODeadline?

    private let eventLoop: any EventLoop
    private let action: () -> Void
    private let alarms: SharedAlarms?
    private var alarm: (callback: NIOScheduledCallback?, time: NIODeadline)?

    /// - Parameter alarms: the alarms to share; the action then runs up to a quarter of a second later.
    package init(on eventLoop: any EventLoop, sharing alarms: SharedAlarms? = nil, _ action: @escaping () -> Void) {
        self.eventLoop = eventLoop
        self.alarms = alarms
        self.action = action
    }

    /// Creates a deadline of an actor whose executor is `eventLoop`; it does nothing after the actor was released.
    package convenience init<Owner: Actor>(
        of owner: Owner, on eventLoop: any EventLoop, _ action: @escaping @Sendable (isolated Owner) -> Void
    ) {
        self.init(on: eventLoop) { [weak owner] in owner?.assumeIsolated { action($0) } }
    }

    /// Runs the action at `time`, or in the next turn of the loop if that has passed. Replaces the previously armed time.
    ///
    /// - Parameter time: the time; `nil` for no action until the deadline is armed again. The alarm then stays and rings for nothing, unless
    ///   it serves the next time, because making one costs more.
    package func arm(at time: NIODeadline?) {
        self.time = time
        guard let time else { return }
        if let alarm {
            guard time < alarm.time else { return }
            alarm.callback?.cancel()
        }
        self.setAlarm(at: time)
    }

    /// Runs the action after `amount`.
    package func arm(in amount: TimeAmount) { self.arm(at: self.eventLoop.now + amount) }

    /// Cancels the action, and its alarm, until the deadline is armed again.
    package func cancel() {
        self.time = nil
        self.alarm?.callback?.cancel()
        self.alarm = nil
    }

    private func setAlarm(at time: NIODeadline) {
        if let alarms { return self.alarm = (nil, alarms.add(self, at: time, on: self.eventLoop)) }
        // An event loop that is shut down schedules nothing; its users have ended by then.
        self.alarm = (try? self.eventLoop.assumeIsolated().scheduleCallback(at: time, handler: self)).map { ($0, time) }
    }

    /// An alarm rings; ignored unless it is the newest.
    func ring(at now: NIODeadline) {
        guard let alarm, now >= alarm.time else { return }
        self.alarm = nil
        guard let time else { return }
        guard now >= time else { return self.setAlarm(at: time) }
        self.time = nil
        self.action()
    }
}

extension Deadline: NIOScheduledCallbackHandler {
    package func handleScheduledCallback(eventLoop: some EventLoop) { self.ring(at: eventLoop.now) }
}
