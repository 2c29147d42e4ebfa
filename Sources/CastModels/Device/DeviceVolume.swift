/// The volume of a device or of a stream.
public struct DeviceVolume: Sendable, Hashable {
    /// 0 to 1; `nil` when never reported.
    public var level: Double?
    public var isMuted: Bool?
    public var controlType: ControlType?
    /// The step for up and down the device recommends, 0 to 1; `nil` when not told.
    public var stepInterval: Double?

    public init(level: Double? = nil, isMuted: Bool? = nil, controlType: ControlType? = nil, stepInterval: Double? = nil) {
        self.level = level
        self.isMuted = isMuted
        self.controlType = controlType
        self.stepInterval = stepInterval
    }

    /// The step that up and down take: the device's, or 0.05 where it recommends none.
    public static let defaultStepInterval = 0.05

    /// The level so many steps up, or down when negative, within 0 to 1; `nil` when the level was never reported.
    public func level(afterSteps steps: Int) -> Double? {
        guard let level else { return nil }
        return min(max(level + Double(steps) * (self.stepInterval ?? Self.defaultStepInterval), 0), 1)
    }

    /// Whether level and mute can be changed, as far as the device tells.
    public var isChangeable: Bool { self.controlType != .fixed }

    /// How the device changes its loudness. `fixed` can't be changed.
    public enum ControlType: WireWord {
        case attenuation, fixed, master
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["attenuation": .attenuation, "fixed": .fixed, "master": .master]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }
}
