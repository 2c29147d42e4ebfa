import CastModels

/// Turns a message into a command, or into a refusal that can still be answered.
///
/// Decides everything that needs no knowledge of devices: retained leftovers, response topics, sizes, expiry, spelling and ranges.
public struct CommandParser: Sendable {
    /// Largest accepted payload, in bytes.
    public static let maximumPayloadBytes = 65_536
    /// What a sender may give as `timeout`, in seconds.
    public static let timeoutSeconds = 0.1...300.0

    private let base: String
    private let responseTopics: ResponseTopicPolicy

    /// - Parameters:
    ///   - topics: the tree whose commands are read.
    ///   - responsePrefixes: `mqtt.response_prefixes`.
    public init(topics: TopicTree, responsePrefixes: [String] = []) {
        self.base = topics.base
        self.responseTopics = ResponseTopicPolicy(topics: topics, prefixes: responsePrefixes)
    }

    /// Whether commands of ours could arrive on this topic.
    public func isCommandTopic(_ topic: String) -> Bool { CommandTopic(topic, base: self.base) != nil }

    /// What a message turned out to be.
    public enum Outcome: Sendable, Hashable {
        case command(CommandEnvelope, Command)
        /// To be answered with this result and nothing else.
        case rejected(CommandEnvelope, CommandResult)
        /// No command topic of ours.
        case ignored
    }

    /// Reads one message that arrived at `now`.
    public func parse(_ message: IncomingMessage, now: Now) -> Outcome {
        guard let topic = CommandTopic(message.topic, base: self.base) else { return .ignored }
        var envelope = CommandEnvelope(
            target: Self.target(of: topic), name: topic.tail.shortened, topic: message.topic,
            correlationData: message.correlationData, answerQoS: min(message.qos, 1), received: now)
        let payload = CommandPayload(message.payload, limit: Self.maximumPayloadBytes)
        payload.identify(&envelope, isJSONForm: topic.branch == .cmd(nil))
        do throws(CommandRejection) {
            guard !message.retain else {
                throw CommandRejection(.retainedRejected, "The message was left over on the broker; it is not obeyed.")
            }
            if let responseTopic = message.responseTopic, !responseTopic.isEmpty {
                guard self.responseTopics.allows(responseTopic) else {
                    throw CommandRejection(.forbidden, "The response topic is not allowed.")
                }
                envelope.responseTopic = responseTopic
            }
            let command = try self.command(topic, payload, &envelope)
            if let expiresAt = envelope.expiresAt, expiresAt <= now.wall {
                throw CommandRejection(.expired, "expires_at has passed.")
            }
            return .command(envelope, command)
        } catch {
            return .rejected(envelope, CommandResult(error))
        }
    }

    private static func target(of topic: CommandTopic) -> CommandTarget {
        guard case .request(let name) = topic.branch else { return .device(topic.subject) }
        return .bridge(name.flatMap(BridgeVerb.init(rawValue:)))
    }

    private func command(
        _ topic: CommandTopic, _ payload: CommandPayload, _ envelope: inout CommandEnvelope
    ) throws(CommandRejection) -> Command {
        switch topic.branch {
        case .set(nil):
            let object = try payload.object(of: "set", &envelope, allowsTimeout: true)
            return .device(.set(try PropertyArguments.parse(object)))
        case .set(.some(let name)):
            guard PropertyArguments.names.contains(name) else { throw Self.unknown("property", name) }
            return .device(.set(try PropertyArguments.parse(name, payload.plainText(of: name))))
        case .cmd(nil):
            let object = try payload.object(of: "cmd", &envelope, allowsTimeout: true)
            return .device(try Self.jsonForm(object))
        case .cmd(.some(let verb)):
            return .device(try Verb(verb).command(try payload.arguments(of: verb, &envelope, allowsTimeout: true)))
        case .get(let name):
            guard let name, let document = DeviceDocument(rawValue: name) else { throw Self.unknown("document", name ?? "") }
            try payload.arguments(of: "get", &envelope, allowsTimeout: true).expectNone(for: "get")
            return .device(.get(document))
        case .request(let name):
            guard let name, let verb = BridgeVerb(rawValue: name) else { throw Self.unknown("request", name ?? "") }
            let arguments = try payload.arguments(of: name, &envelope, allowsTimeout: false)
            return .bridge(try verb.command(arguments, id: envelope.id))
        }
    }

    /// `{"cmd":…,"args":…}`; the envelope's members are gone from `object` already.
    private static func jsonForm(_ object: JSONObject) throws(CommandRejection) -> DeviceCommand {
        var reader = ArgumentReader(object, of: "cmd")
        guard let name = try reader.text("cmd") else { throw CommandRejection(.badPayload, "cmd: the member cmd is missing.") }
        let arguments = CommandArguments(json: reader.take("args"))
        try reader.finish()
        switch name {
        case "set":
            guard case .json(.object(let object)) = arguments else { throw CommandRejection(.badPayload, "set: args must be an object.") }
            return .set(try PropertyArguments.parse(object))
        case "get":
            guard case .json(.object(let object)) = arguments else { throw CommandRejection(.badPayload, "get: args must be an object.") }
            var reader = ArgumentReader(object, of: "get")
            guard let name = try reader.text("doc"), let document = DeviceDocument(rawValue: name) else {
                throw reader.wrong("doc", DeviceDocument.allCases.map(\.rawValue).joined(separator: ", "))
            }
            try reader.finish()
            return .get(document)
        default: return try Verb(name).command(arguments)
        }
    }

    static func unknown(_ kind: String, _ name: String) -> CommandRejection {
        CommandRejection(.unknownCommand, name.isEmpty ? "The topic names no \(kind)." : "There is no \(kind) \"\(name.shortened)\".")
    }
}
