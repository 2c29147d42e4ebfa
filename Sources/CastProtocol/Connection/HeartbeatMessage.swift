@_spi(JSON) import CastModels

/// A payload of the heartbeat namespace. Any other frame is a sign of life as well.
package enum HeartbeatMessage: Sendable, Hashable {
    case ping
    case pong
    case unknown(type: String)

    private static let pingType = "PING"
    private static let pongType = "PONG"

    init(_ object: JSONView) {
        switch ReceivedPayload.type(of: object) {
        case Self.pingType: self = .ping
        case Self.pongType: self = .pong
        case let type: self = .unknown(type: type)
        }
    }

    /// The payload as sent.
    package var text: String {
        switch self {
        case .ping: PayloadText.make(type: Self.pingType)
        case .pong: PayloadText.make(type: Self.pongType)
        case .unknown(let type): PayloadText.make(type: type)
        }
    }
}
