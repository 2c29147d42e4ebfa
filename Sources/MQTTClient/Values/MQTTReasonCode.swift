/// A reason code of MQTT 5 (section 2.4); open, because brokers and later versions may add some.
///
/// The five refusal codes of an MQTT 3.1.1 CONNACK are translated to their MQTT 5 counterparts (`init(connectReturnCode:)`).
public struct MQTTReasonCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let success = Self(rawValue: 0)
    public static let grantedQoS1 = Self(rawValue: 1)
    public static let grantedQoS2 = Self(rawValue: 2)
    public static let noMatchingSubscribers = Self(rawValue: 16)
    public static let unspecifiedError = Self(rawValue: 128)
    public static let malformedPacket = Self(rawValue: 129)
    public static let protocolError = Self(rawValue: 130)
    public static let unsupportedProtocolVersion = Self(rawValue: 132)
    public static let clientIdentifierNotValid = Self(rawValue: 133)
    public static let badUserNameOrPassword = Self(rawValue: 134)
    public static let notAuthorized = Self(rawValue: 135)
    public static let serverUnavailable = Self(rawValue: 136)
    public static let serverBusy = Self(rawValue: 137)
    public static let banned = Self(rawValue: 138)
    public static let serverShuttingDown = Self(rawValue: 139)
    public static let badAuthenticationMethod = Self(rawValue: 140)
    public static let sessionTakenOver = Self(rawValue: 142)
    public static let packetTooLarge = Self(rawValue: 149)
    public static let quotaExceeded = Self(rawValue: 151)
    public static let administrativeAction = Self(rawValue: 152)
    public static let retainNotSupported = Self(rawValue: 154)
    public static let qosNotSupported = Self(rawValue: 155)

    /// Whether the code is a refusal or an error (128 and above).
    public var isFailure: Bool { self.rawValue >= 128 }

    /// Creates the MQTT 5 counterpart of a CONNACK code as libmosquitto reports it: 1 to 5 are return codes of MQTT 3.1.1 (section
    /// 3.2.2.3).
    init(connectReturnCode code: UInt8) {
        switch code {
        case 1: self = .unsupportedProtocolVersion
        case 2: self = .clientIdentifierNotValid
        case 3: self = .serverUnavailable
        case 4: self = .badUserNameOrPassword
        case 5: self = .notAuthorized
        case let code: self.init(rawValue: code)
        }
    }

    public var description: String {
        if let name = Self.names[self.rawValue] { "\(self.rawValue) (\(name))" } else { "\(self.rawValue)" }
    }

    private static let names: [UInt8: String] = [
        0: "success", 1: "granted QoS 1", 2: "granted QoS 2", 16: "no matching subscribers", 17: "no subscription existed",
        128: "unspecified error", 129: "malformed packet", 130: "protocol error", 131: "implementation specific error",
        132: "unsupported protocol version", 133: "client identifier not valid", 134: "bad user name or password", 135: "not authorized",
        136: "server unavailable", 137: "server busy", 138: "banned", 139: "server shutting down", 140: "bad authentication method",
        141: "keep alive timeout", 142: "session taken over", 143: "topic filter invalid", 144: "topic name invalid",
        149: "packet too large", 150: "message rate too high", 151: "quota exceeded", 152: "administrative action",
        153: "payload format invalid", 154: "retain not supported", 155: "QoS not supported", 156: "use another server",
        157: "server moved", 159: "connection rate exceeded",
    ]
}
