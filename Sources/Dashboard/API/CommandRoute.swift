import BridgeCore
import CastModels
import HTTPTypes
import Hummingbird
import NIOCore

/// `commands/<topic>`: the commands of MQTT, with their answers.
struct CommandRoute: Sendable {
    let bridge: any BridgeAccess

    /// Longest path below `commands/`, in bytes.
    static let maximumTopicBytes = 512
    /// As over MQTT for `queue_load`; a body that is too large for its command is refused by the command itself.
    static let maximumBodyBytes = 262_144

    func add(to router: RouterGroup<DashboardContext>) {
        router.post("/commands/**") { request, context in
            let topic = context.parameters.getCatchAll().map { $0.percentDecoded }.joined(separator: "/")
            try context.require(Self.role(for: topic))
            guard topic.utf8.count <= Self.maximumTopicBytes, !topic.utf8.contains(0) else { throw WebError.notFound }
            let payload: ByteBuffer
            do {
                payload = try await request.body.collect(upTo: Self.maximumBodyBytes)
            } catch is NIOTooManyBytesError {
                throw WebError.tooLarge
            }
            let answer = await self.bridge.perform(topic, payload: Self.plain(Array(payload.readableBytesView)))
            return Response.json(bytes: answer.body, status: Self.status(of: answer))
        }
    }

    /// A body is JSON, where a plain text such as `+5` stands as a string; commands have it without quotes.
    static func plain(_ body: [UInt8]) -> [UInt8] {
        guard body.first == UInt8(ascii: "\""), let text = (try? JSONParser.parse(body))?.stringValue else { return body }
        return Array(text.utf8)
    }

    /// The role that a command takes: only `get` changes nothing, and requests to the bridge are for those who run it.
    static func role(for topic: String) -> WebRole {
        // By bytes, as the commands are read: a "/" with a combining mark behind it is another character, and the same byte.
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
        if levels.first.map({ $0.elementsEqual("bridge".utf8) }) ?? false { return .admin }
        return levels.count > 1 && levels[1].elementsEqual("get".utf8) ? .view : .control
    }

    static func status(of answer: DirectAnswer) -> HTTPResponse.Status {
        guard answer.isError else { return .ok }
        return switch answer.code {
        case .unknownDevice: .notFound
        case .badPayload, .unknownCommand: .badRequest
        case .tooLarge: .contentTooLarge
        case .forbidden: .forbidden
        case .rateLimited: .tooManyRequests
        case .deviceOffline: .serviceUnavailable
        case .timeout: .gatewayTimeout
        case .notSupported: .unprocessableContent
        case .done, .accepted, .superseded, .noSession, .loadFailed, .castError, .retainedRejected, .expired, .duplicate, .internal:
            .badGateway
        }
    }
}
