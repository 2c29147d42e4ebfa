import CastModels

/// The control link of a device, as far as availability depends on it.
///
/// ```
///   neverSeen ──► online ◄──► grace ──► offline ◄──► connecting ──► online
///       └── time ────────────────────────▲
/// ```
public struct DeviceLink: Sendable, Hashable {
    enum Phase: Sendable, Hashable {
        /// Not reached since the process started. The documents of an earlier run stay on the broker until `until`, also when attempts fail:
        /// the network of a machine that restarts may be late, and automations must not see the device leave.
        case neverSeen(until: MonotonicTime)
        /// Being connected again after it was offline.
        case connecting
        /// Connected, and the state was read.
        case online
        /// Lost a moment ago; still available until `until`.
        case grace(until: MonotonicTime)
        case offline
    }

    private(set) var phase: Phase
    /// When the device was last seen; `nil` when never. An available device is seen continuously.
    private(set) var lastSeen: Timestamp?
    private var isSeenInThisRun = false

    init(lastSeen: Timestamp?, patience until: MonotonicTime) { (self.lastSeen, self.phase) = (lastSeen, .neverSeen(until: until)) }

    /// Whether `availability` is `online`.
    public var isAvailable: Bool {
        switch self.phase {
        case .online, .grace: true
        case .neverSeen, .connecting, .offline: false
        }
    }

    /// Whether enough is known to replace the documents of an earlier run.
    public var isDetermined: Bool { if case .neverSeen = self.phase { false } else { true } }

    /// When time alone changes this state; `nil` when it does not.
    var deadline: MonotonicTime? {
        switch self.phase {
        case .neverSeen(let until), .grace(let until): until
        case .connecting, .online, .offline: nil
        }
    }

    /// A time of an earlier run stays: the clock by which it was read is not known.
    mutating func clockStepped(by seconds: Double) { if self.isSeenInThisRun { self.lastSeen?.add(seconds: seconds) } }

    mutating func connecting() { if self.phase == .offline { self.phase = .connecting } }

    mutating func ready() { self.phase = .online }

    mutating func lost(at now: Now, grace: Duration) {
        switch self.phase {
        case .online:
            (self.lastSeen, self.isSeenInThisRun, self.phase) = (now.wall, true, .grace(until: now.monotonic + grace))
        case .connecting: self.phase = .offline
        case .neverSeen, .grace, .offline: break
        }
    }

    /// Ends a phase whose time is over: the device is offline.
    /// - Returns: whether it was available until now; `nil` when nothing changed.
    mutating func expire(at time: MonotonicTime) -> Bool? {
        guard let deadline = self.deadline, time >= deadline else { return nil }
        defer { self.phase = .offline }
        return self.isAvailable
    }
}
