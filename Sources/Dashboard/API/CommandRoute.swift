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
    /// The largest body: that of `queue_load` over MQTT. A body too large for another command is refused by that command.
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
            let body = Self.plain(Array(payload.readableBytesView))
            let answer = await self.bridge.perform(topic, payload: body, by: context.caller.limitKey)
            return Response.json(bytes: answer.body, status: Self.status(of: answer))
        }
    }

    /// Returns the payload of a command. A body is JSON, so plain text such as `+5` is sent as a JSON string and loses its quotes here.
    static func plain(_ body: [UInt8]) -> [UInt8] {
        guard body.first == UInt8(ascii: "\""), let text = (try? JSONParser.parse(body))?.stringValue else { return body }
        return Array(text.utf8)
    }

    /// The role that a command requires: `get` changes nothing and requires the lowest; requests to the bridge require the highest.
    static func role(for topic: String) -> WebRole {
        // Compared by bytes, like commands: a "/" followed by a combining mark is another character, but the same byte.
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
        if levels.first.map({ $0.elementsEqual("bridge".utf8) }) ?? false { return .admin }
        return levels.count > 1 && levels[1].elementsEqual("get".utf8) ? .view : .control
    }

    static func status(of answer: DirectAnswer) -> HTTPResponse.Status {
        answer.isError ? self.failures[answer.code] ?? .badGateway : .ok
    }

    private static let failures: [AnswerCode: HTTPResponse.Status] = [
        .unknownDevice: .notFound, .badPayload: .badRequest, .unknownCommand: .badRequest, .tooLarge: .contentTooLarge,
        .forbidden: .forbidden, .rateLimited: .tooManyRequests, .deviceOffline: .serviceUnavailable, .timeout: .gatewayTimeout,
        .notResponding: .gatewayTimeout, .notSupported: .unprocessableContent,
    ]
}
