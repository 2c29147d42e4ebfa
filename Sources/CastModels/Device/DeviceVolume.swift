/// The volume of a device or of a stream.
public struct DeviceVolume: Sendable, Hashable {
    /// The level, 0 to 1; `nil` when the receiver never reported one.
    public var level: Double?
    public var isMuted: Bool?
    public var controlType: ControlType?
    /// The step that the device recommends for volume up and down, 0 to 1; `nil` when the device reports none.
    public var stepInterval: Double?

    public init(level: Double? = nil, isMuted: Bool? = nil, controlType: ControlType? = nil, stepInterval: Double? = nil) {
        self.level = level
        self.isMuted = isMuted
        self.controlType = controlType
        self.stepInterval = stepInterval
    }

    /// The step for volume up and down when the device recommends none.
    public static let defaultStepInterval = 0.05

    /// Returns the level after `steps` steps up (or down, when negative), within 0 to 1; `nil` when the level was never reported.
    public func level(afterSteps steps: Int) -> Double? {
        guard let level else { return nil }
        return min(max(level + Double(steps) * (self.stepInterval ?? Self.defaultStepInterval), 0), 1)
    }

    /// Whether the level is one of these, or a little beside them, because devices round to their steps; also while it is unknown.
    package func isWithin(_ levels: ClosedRange<Double>) -> Bool {
        let tolerance = max(0.011, (self.stepInterval ?? 0) * 0.75)
        return self.level.map { (levels.lowerBound - tolerance...levels.upperBound + tolerance).contains($0) } ?? true
    }

    /// Whether level and mute can be changed, as far as the device reports.
    public var isChangeable: Bool { self.controlType != .fixed }

    /// How the device changes its loudness. A `fixed` volume cannot be changed.
    public enum ControlType: WireWord {
        case attenuation, fixed, master
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["attenuation": .attenuation, "fixed": .fixed, "master": .master]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }
}
