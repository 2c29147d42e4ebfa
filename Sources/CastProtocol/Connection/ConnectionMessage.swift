@_spi(JSON) import CastModels

/// A payload of the connection namespace, which opens and closes virtual connections.
package enum ConnectionMessage: Sendable, Hashable {
    case connect(ConnectRequest)
    /// The answer to a CONNECT that offered protocol versions.
    case connected(protocolVersion: Int?)
    case close(CloseReason?)
    case unknown(type: String)

    private enum Word {
        static let connect = "CONNECT"
        static let connected = "CONNECTED"
        static let close = "CLOSE"
        static let reasonCode: StaticString = "reasonCode"
        static let protocolVersion: StaticString = "protocolVersion"
    }

    init(_ object: JSONView) {
        switch ReceivedPayload.type(of: object) {
        case Word.connect: self = .connect(ConnectRequest(object))
        case Word.connected: self = .connected(protocolVersion: object.whole(Word.protocolVersion))
        case Word.close: self = .close(object.whole(Word.reasonCode).map(CloseReason.init(rawValue:)))
        case let type: self = .unknown(type: type)
        }
    }

    /// The payload as sent.
    package var text: String {
        switch self {
        case .connect(let request): PayloadText.make(type: Word.connect) { request.write(to: &$0) }
        case .connected(let version): PayloadText.make(type: Word.connected) { $0.optional(Word.protocolVersion, version) }
        case .close(let reason): PayloadText.make(type: Word.close) { $0.optional(Word.reasonCode, reason?.rawValue) }
        case .unknown(let type): PayloadText.make(type: type)
        }
    }
}

/// The information that a sender sends when it opens a virtual connection. This is the long form, because some receivers never answer
/// LAUNCH after the short one.
package struct ConnectRequest: Sendable, Hashable {
    package var kind: VirtualConnectionKind
    /// The sender's name and version, `cast2mqtt/1.0`.
    package var userAgent: String
    /// The sender's version without its name.
    package var version: String

    package init(kind: VirtualConnectionKind = .strong, userAgent: String, version: String) {
        self.kind = kind
        self.userAgent = userAgent
        self.version = version
    }

    private enum Key {
        static let kind: StaticString = "connType"
        static let origin: StaticString = "origin"
        static let userAgent: StaticString = "userAgent"
        static let senderInfo: StaticString = "senderInfo"
        static let version: StaticString = "version"
    }

    init(_ object: JSONView) {
        self.init(
            kind: object.whole(Key.kind).map(VirtualConnectionKind.init(rawValue:)) ?? .strong, userAgent: object.text(Key.userAgent) ?? "",
            version: object.object(Key.senderInfo)?.text(Key.version) ?? "")
    }

    func write(to writer: inout JSONWriter) {
        writer.member(Key.kind, self.kind.rawValue)
        writer.member(Key.origin, JSONValue.object([:]))
        writer.member(Key.userAgent, self.userAgent)
        writer.key(Key.senderInfo)
        writer.beginObject()
        writer.member("sdkType", 2)  // what Chrome sends
        writer.member(Key.version, self.version)
        writer.member("browserVersion", self.version)
        writer.member("platform", 6)  // Linux
        writer.member("systemVersion", "Linux")
        writer.member("connectionType", 1)  // local network
        writer.endObject()
    }
}

/// The kind of a virtual connection, which determines its effect on the application (openscreen
/// `cast/common/channel/virtual_connection.h`).
package struct VirtualConnectionKind: RawRepresentable, Sendable, Hashable {
    package var rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The application should not quit while it has such a connection.
    package static let strong = Self(rawValue: 0)
    /// The application may quit when only weak connections remain.
    package static let weak = Self(rawValue: 1)
    /// The application does not see the connection and counts no sender; broadcasts still arrive.
    package static let invisible = Self(rawValue: 2)
}

/// The reason why a virtual connection was closed (openscreen `cast/common/channel/virtual_connection.h`).
package struct CloseReason: RawRepresentable, Sendable, Hashable {
    package var rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let unknown = Self(rawValue: 0)
    package static let closedBySelf = Self(rawValue: 5)
}
