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

    /// How the device changes its loudness. `fixed` can't be changed.
    public enum ControlType: Sendable, Hashable, RawRepresentable {
        case attenuation, fixed, master
        case unknown(String)

        public init(rawValue: String) {
            switch rawValue {
            case "attenuation": self = .attenuation
            case "fixed": self = .fixed
            case "master": self = .master
            default: self = .unknown(rawValue)
            }
        }

        public var rawValue: String {
            switch self {
            case .attenuation: "attenuation"
            case .fixed: "fixed"
            case .master: "master"
            case .unknown(let value): value
            }
        }
    }
}
