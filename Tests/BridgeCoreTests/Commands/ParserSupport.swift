import BridgeCore
import CastModels

/// One reading of both clocks for parsers: 2026-11-21T14:00:00Z.
let parserNow = Now(
    monotonic: MonotonicTime(nanoseconds: 5_000_000_000), wall: Timestamp(rfc3339: "2026-11-21T14:00:00Z") ?? Timestamp(milliseconds: 0))

let topics = TopicTree(base: "cast2mqtt")

func parse(_ topic: String, _ payload: String, retain: Bool = false, responseTopic: String? = nil) -> CommandParser.Outcome {
    parse(topic, Array(payload.utf8), retain: retain, responseTopic: responseTopic)
}

func parse(_ topic: String, _ payload: [UInt8], retain: Bool = false, responseTopic: String? = nil) -> CommandParser.Outcome {
    let message = IncomingMessage(
        topic: topic, payload: payload, qos: 1, retain: retain, responseTopic: responseTopic, correlationData: [0, 255, 7])
    return CommandParser(topics: topics, responsePrefixes: ["answers/node-red"]).parse(message, now: parserNow)
}

extension CommandParser.Outcome {
    var device: DeviceCommand? { if case .command(_, .device(let command)) = self { command } else { nil } }
    var bridge: BridgeCommand? { if case .command(_, .bridge(let command)) = self { command } else { nil } }
    var code: AnswerCode? { if case .rejected(_, let result) = self { result.code } else { nil } }
    var message: String? { if case .rejected(_, let result) = self { result.message } else { nil } }

    var envelope: CommandEnvelope? {
        switch self {
        case .command(let envelope, _), .rejected(let envelope, _): envelope
        case .ignored: nil
        }
    }
}

/// Parses `payload` on `cast2mqtt/living-room/<tail>`.
func device(_ tail: String, _ payload: String) -> CommandParser.Outcome { parse("cast2mqtt/living-room/\(tail)", payload) }
