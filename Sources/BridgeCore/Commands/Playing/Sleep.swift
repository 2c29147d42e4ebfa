import CastModels

/// A sleep timer: in the last minute before its end the device becomes quieter, then what plays there is stopped.
public struct Sleep: Sendable, Hashable {
    /// The longest time before it, in minutes.
    public static let longest = 1440.0
    /// How often the volume changes on the way to the end.
    public static let steps = 12
    /// For how long after its end it still stops something, for a bridge that did not run then, in seconds.
    private static let patience = 600.0

    public var end: Timestamp
    /// The level before it became quieter, 0 to 1; `nil` while the volume is left alone.
    public private(set) var level: Double?
    /// The level at which this run began, and those between which the device is unless a person changed it.
    private var base = 0.0, upper = 0.0, lower = 0.0

    public init(end: Timestamp) { self.end = end }

    /// Whether it is too late to stop something.
    public func isOver(at now: Timestamp) -> Bool { self.end.adding(seconds: Self.patience).milliseconds < now.milliseconds }

    /// How long the way to the end takes: a minute, or all of a shorter time.
    public static func fade(of whole: Duration) -> Duration { min(.seconds(60), whole) }

    /// The way to the end begins, or goes on after a restart.
    /// - Parameter isPlaying: whether anything is heard.
    public mutating func begin(at present: DeviceVolume?, isPlaying: Bool) {
        guard let now = present?.level else { return }
        if self.level != nil, !self.isOurs(present) { self.level = now }
        if self.level == nil, isPlaying, present?.isChangeable == true { self.level = now }
        (self.base, self.upper, self.lower) = (now, now, now)
    }

    /// Returns the level to set in a step, from 1; `nil` when a person has changed it, who decides on it from now on.
    public mutating func next(after step: Int, at present: DeviceVolume?) -> Double? {
        guard self.level != nil, self.isOurs(present) else {
            self.level = nil
            return nil
        }
        // A group reaches it by and by, and a device that did not answer may have taken it.
        self.upper = max(present?.level ?? self.lower, self.lower)
        self.lower = self.base * Double(Self.steps + 1 - step) / Double(Self.steps + 1)
        return self.lower
    }

    /// Returns the level to give back; `nil` when the volume was left alone, or a person has changed it.
    public func former(at present: DeviceVolume?) -> Double? { self.isOurs(present) ? self.level : nil }

    private func isOurs(_ present: DeviceVolume?) -> Bool { present?.isWithin(self.lower...self.upper) ?? true }

    public var json: JSONValue {
        [
            "end": .integer(self.end.milliseconds), "level": self.level.map { .number($0) } ?? .null, "upper": .number(self.upper),
            "lower": .number(self.lower),
        ]
    }

    public init?(json: JSONValue) {
        guard let end = Timestamp(json: json["end"]) else { return nil }
        self.init(end: end)
        self.level = json["level"]?.doubleValue
        // The file may be damaged, and a range has its ends in order.
        self.lower = json["lower"]?.doubleValue ?? 0
        self.upper = max(self.lower, json["upper"]?.doubleValue ?? 0)
    }
}
