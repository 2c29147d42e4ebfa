/// A result code of libmosquitto (`enum mosq_err_t` in mosquitto.h); open, because newer libraries add some.
public struct MosquittoResult: Error, RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    public var rawValue: Int32

    public init(rawValue: Int32) { self.rawValue = rawValue }

    public static let success = Self(rawValue: 0)
    public static let noMemory = Self(rawValue: 1)
    public static let protocolError = Self(rawValue: 2)
    public static let invalid = Self(rawValue: 3)
    public static let noConnection = Self(rawValue: 4)
    public static let notFound = Self(rawValue: 6)
    public static let connectionLost = Self(rawValue: 7)
    public static let tls = Self(rawValue: 8)
    public static let payloadSize = Self(rawValue: 9)
    public static let notSupported = Self(rawValue: 10)
    public static let systemError = Self(rawValue: 14)
    public static let malformedUTF8 = Self(rawValue: 18)
    public static let keepAlive = Self(rawValue: 19)
    public static let malformedPacket = Self(rawValue: 21)
    public static let duplicateProperty = Self(rawValue: 22)
    public static let tlsHandshake = Self(rawValue: 23)
    public static let qosNotSupported = Self(rawValue: 24)
    public static let oversizePacket = Self(rawValue: 25)
    public static let topicAliasInvalid = Self(rawValue: 29)

    /// Whether a send failed because of the link, and not because of its arguments.
    var isAboutLink: Bool {
        switch self {
        case .noMemory, .noConnection, .connectionLost, .tls, .systemError, .keepAlive, .tlsHandshake: true
        default: false
        }
    }

    public var description: String {
        if let name = Self.names[self.rawValue] { "\(self.rawValue) (\(name))" } else { "\(self.rawValue)" }
    }

    private static let names: [Int32: String] = [
        0: "success", 1: "out of memory", 2: "protocol error", 3: "invalid argument", 4: "not connected", 5: "connection refused",
        6: "not found", 7: "connection lost", 8: "TLS error", 9: "payload too large", 10: "not supported", 11: "authorisation failed",
        12: "access denied", 13: "unknown error", 14: "system call failed", 15: "address lookup failed", 18: "malformed UTF-8",
        19: "keep-alive exceeded", 20: "lookup failed", 21: "malformed packet", 22: "property given twice", 23: "TLS handshake failed",
        24: "QoS not supported", 25: "packet larger than the broker takes", 27: "timeout", 28: "retain not supported",
        29: "topic alias invalid", 30: "administrative action",
    ]
}
