import CastModels

/// Decides what a check of a device means for its `last_seen` and for `availability.forget_after`. Does no I/O; the time is an argument.
public enum Absence {
    private static let day = 86_400.0

    public enum Action: Sendable, Hashable {
        case none
        /// Record this time as the last at which the device was available.
        case note(Timestamp)
        /// Remove the device, which was absent for too long.
        case forget
    }

    /// Returns the action for a device.
    /// - Parameters:
    ///   - lastSeen: the recorded time; `nil` when there is none.
    ///   - isAvailable: whether the device is available now, or was a moment ago.
    ///   - now: the time of day. While the clock is not set, nothing is recorded or removed.
    ///   - forgetAfterDays: the limit of an absence in days; `nil` removes no device.
    public static func action(lastSeen: Timestamp?, isAvailable: Bool, now: Timestamp, forgetAfterDays: Int?) -> Action {
        guard now.isPlausible else { return .none }
        // An implausible time was recorded with a wrong clock, so the absence starts now.
        guard let lastSeen, lastSeen.isPlausible, lastSeen.seconds(until: now) > -Self.day else { return .note(now) }
        let seconds = lastSeen.seconds(until: now)
        // Once a day is enough, because each write wears the disk.
        if isAvailable { return seconds >= Self.day ? .note(now) : .none }
        guard let forgetAfterDays, seconds > Double(forgetAfterDays) * Self.day else { return .none }
        return .forget
    }
}

extension Timestamp {
    /// Whether the clock that returned this time was set.
    fileprivate var isPlausible: Bool { WallClock.isPlausible(self.milliseconds / 1000) }
}
