import CastModels

/// The end of a sleep timer: in the last minute the device becomes quieter, then what plays there is stopped.
public struct Sleep: Sendable, Hashable {
    /// The longest time before it, in minutes.
    static let longest = 1440.0
    /// How often the volume changes on the way to the end.
    public static let steps = 12
    /// For how long after its end it still applies, to a bridge that did not run then, in seconds.
    static let patience = 600.0

    public var end: Timestamp
    /// The level before it became quieter, 0 to 1; `nil` before that.
    public var level: Double?

    public init(end: Timestamp, level: Double? = nil) { (self.end, self.level) = (end, level) }

    /// Whether it is too late for it.
    public func isOver(at now: Timestamp) -> Bool { self.end.adding(seconds: Self.patience).milliseconds < now.milliseconds }

    /// How long the way to the end takes: a minute, or all of a shorter time.
    public static func fade(of whole: Duration) -> Duration { min(.seconds(60), whole) }

    /// Returns the level after so many of `steps`, from 1.
    public static func level(from level: Double, after step: Int) -> Double {
        level * Double(self.steps + 1 - step) / Double(self.steps + 1)
    }

    /// Whether a device has the level that was set: devices round to their steps.
    public static func isSame(_ level: Double, _ present: DeviceVolume?) -> Bool {
        present?.level.map { abs($0 - level) < max(0.011, (present?.stepInterval ?? 0) * 0.75) } ?? false
    }

    public var json: JSONValue { ["end": .integer(self.end.milliseconds), "level": self.level.map { .number($0) } ?? .null] }

    public init?(json: JSONValue) {
        guard let end = json["end"]?.intValue else { return nil }
        self.init(end: Timestamp(milliseconds: Int64(end)), level: json["level"]?.doubleValue)
    }
}
