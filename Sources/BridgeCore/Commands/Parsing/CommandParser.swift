import CastModels

/// Turns a message into a command, or into a refusal that can still be answered.
///
/// Checks everything that requires no knowledge of devices: retained commands, response topics, sizes, expiry, spelling and ranges.
public struct CommandParser: Sendable {
    /// The largest accepted payload, in bytes.
    public static let maximumPayloadBytes = 65_536
    /// The largest accepted `queue_load`, in bytes.
    public static let maximumQueueBytes = 262_144
    /// The longest `cmd` of an answer, in characters; long enough for the longest valid topic.
    public static let maximumNameLength = 160
    /// The allowed range of `timeout`, in seconds.
    public static let timeoutSeconds = 0.1...300.0

    private let base: String
    private let rules: CommandRules
    private let responseTopics: ResponseTopicPolicy

    /// - Parameters:
    ///   - topics: the topics whose commands are read.
    ///   - responsePrefixes: `mqtt.response_prefixes`.
    public init(topics: TopicTree, responsePrefixes: [String] = [], options: CommandOptions = CommandOptions()) {
        self.base = topics.base
        self.rules = CommandRules(options)
        self.responseTopics = ResponseTopicPolicy(topics: topics, prefixes: responsePrefixes)
    }

    /// Reads again what is to be played.
    /// - Parameter recent: the applications seen on the device.
    public func command(of playable: Playable, recent: RecentApplications) throws(CommandRejection) -> DeviceCommand {
        var rules = self.rules
        rules.applications.recent = recent
        return try playable.command(rules)
    }

    public func isCommandTopic(_ topic: String) -> Bool { CommandTopic(topic, base: self.base) != nil }

    public enum Outcome: Sendable, Hashable {
        case command(CommandEnvelope, Command)
        /// Answer with this result; there is nothing to carry out.
        case rejected(CommandEnvelope, CommandResult)
        case ignored
    }

    /// Reads one message that arrived at `now`.
    /// - Parameter recent: returns the applications seen on the device with this slug, id or alias; `nil` when there is no such device.
    public func parse(
        _ message: IncomingMessage, now: Now, recent: (_ device: String) -> RecentApplications? = { _ in nil }
    ) -> Outcome {
        guard let topic = CommandTopic(message.topic, base: self.base) else { return .ignored }
        var envelope = CommandEnvelope(
            target: Self.target(of: topic), name: topic.tail.shortened(to: Self.maximumNameLength), topic: message.topic,
            correlationData: message.correlationData, answerQoS: min(message.qos, 1), received: now)
        (envelope.direct, envelope.caller) = (message.direct, message.direct.map { .direct($0.caller) })
        let payload = self.payload(message.payload, of: topic)
        payload?.identify(&envelope, isJSONForm: topic.branch == .cmd(nil))
        do throws(CommandRejection) {
            guard !message.retain else {
                throw CommandRejection(.retainedRejected, "The message was retained by the broker; retained commands are ignored.")
            }
            if let responseTopic = message.responseTopic, !responseTopic.isEmpty {
                guard self.responseTopics.allows(responseTopic) else {
                    throw CommandRejection(
                        .forbidden, "The response topic is not allowed.",
                        hint: "Use a response topic below the client branch, or list its prefix in mqtt.response_prefixes.")
                }
                (envelope.responseTopic, envelope.caller) = (responseTopic, .responseTopic(responseTopic))
            }
            let command: Command
            if let payload {
                command = try self.command(topic, payload, &envelope, self.rules(for: topic, recent))
            } else {
                command = .device(try self.channelMessage(topic, message))
            }
            if let expiresAt = envelope.expiresAt, expiresAt <= now.wall {
                throw CommandRejection(.expired, "expires_at has passed.")
            }
            return .command(envelope, command)
        } catch {
            return .rejected(envelope, CommandResult(error))
        }
    }

    /// Reads a payload as far as possible; `nil` on the topics of namespaces, whose payloads are passed through unread.
    private func payload(_ bytes: [UInt8], of topic: CommandTopic) -> CommandPayload? {
        switch topic.branch {
        case .channel: nil
        case .cmd("queue_load"): CommandPayload(bytes, limit: Self.maximumQueueBytes)
        case .cmd(nil): CommandPayload(bytes, limit: Self.maximumPayloadBytes, queueLimit: Self.maximumQueueBytes)
        case .set, .cmd, .get, .request: CommandPayload(bytes, limit: Self.maximumPayloadBytes)
        }
    }

    /// Returns a message for the application: as text if the bytes are UTF-8, unless the sender declares them binary.
    private func channelMessage(_ topic: CommandTopic, _ message: IncomingMessage) throws(CommandRejection) -> DeviceCommand {
        guard case .channel(let namespace) = topic.branch else { throw Self.unknown("command", topic.tail) }
        guard topic.subject != "all" else { throw CommandRejection(.unknownCommand, "A namespace is spoken with one device at a time.") }
        try self.rules.check(namespace)
        guard !message.payload.isEmpty else { throw CommandRejection(.badPayload, "The message for the application is empty.") }
        guard message.payload.count <= Self.maximumPayloadBytes else {
            throw CommandRejection(.tooLarge, "A message for an application may have at most \(Self.maximumPayloadBytes) bytes.")
        }
        let isBinary = message.contentType == "application/octet-stream"
        let text = isBinary ? nil : String(validating: message.payload, as: UTF8.self)
        return .raw(.channel(namespace: namespace, target: .application, text.map { .text($0) } ?? .binary(message.payload)))
    }

    private static func target(of topic: CommandTopic) -> CommandTarget {
        guard case .request(let name) = topic.branch else { return topic.subject == "all" ? .all : .device(topic.subject) }
        return .bridge(name.flatMap(BridgeVerb.init(rawValue:)))
    }

    /// Returns the rules with the application names that apply to the addressed device.
    private func rules(for topic: CommandTopic, _ recent: (_ device: String) -> RecentApplications?) -> CommandRules {
        if case .set(.some(let property)) = topic.branch, property != "app" { return self.rules }
        guard case .device(let name) = Self.target(of: topic), let applications = recent(name) else { return self.rules }
        var rules = self.rules
        rules.applications.recent = applications
        return rules
    }

    private func command(
        _ topic: CommandTopic, _ payload: CommandPayload, _ envelope: inout CommandEnvelope, _ rules: CommandRules
    ) throws(CommandRejection) -> Command {
        if envelope.target == .all, !rules.options.isFanOutEnabled {
            throw CommandRejection(
                .forbidden, "Commands to all devices need commands.fan_out in the configuration.",
                hint: "Set commands.fan_out to true, or address one device.")
        }
        switch topic.branch {
        case .set(nil):
            let object = try payload.object(of: "set", &envelope, allowsTimeout: true)
            return .device(try self.set(.json(.object(object)), &envelope, rules))
        case .set(.some(let name)):
            guard PropertyArguments.names.contains(name) else { throw Self.unknown("property", name) }
            return .device(.set(try PropertyArguments.parse(name, payload.value(of: name, &envelope), rules)))
        case .cmd(nil):
            let object = try payload.object(of: "cmd", &envelope, allowsTimeout: true)
            return .device(try self.forAll(try self.jsonForm(object, &envelope, rules), &envelope))
        case .cmd(.some(let verb)):
            var arguments = try payload.arguments(of: verb, &envelope, allowsTimeout: true)
            arguments.hand(to: &envelope, of: verb)
            return .device(try self.forAll(try Verb(verb).command(arguments, rules), &envelope))
        case .get(let name):
            guard let name, let document = DeviceDocuments.Name(rawValue: name), envelope.target != .all else {
                throw Self.unknown("document", name ?? "")
            }
            let arguments = try payload.arguments(of: "get", &envelope, allowsTimeout: true)
            guard document.rawValue == "queue", case .json(.object(let object)) = arguments else {
                try arguments.expectNone(for: "get")
                return .device(.get(document))
            }
            let page = try ArgumentReader.read(object, of: "get", QueueListing.Page.parse)
            return .device(page.map { .getQueue($0) } ?? .get(document))
        case .channel: throw Self.unknown("command", topic.tail)
        case .request(let name):
            guard let name, let verb = BridgeVerb(rawValue: name) else { throw Self.unknown("request", name ?? "") }
            let arguments = try payload.arguments(of: name, &envelope, allowsTimeout: false)
            return .bridge(try verb.command(arguments, id: envelope.id))
        }
    }

    /// Refuses commands that can't be meant for all devices. The `timeout` of an announcement is how long it may play: it also waits for others.
    private func forAll(_ command: DeviceCommand, _ envelope: inout CommandEnvelope) throws(CommandRejection) -> DeviceCommand {
        if case .announce(var announcement) = command, let timeout = envelope.timeout {
            (announcement.limit, envelope.timeout) = (timeout / .seconds(1), nil)
            return .announce(announcement)
        }
        guard envelope.target == .all else { return command }
        switch command {
        case .transfer, .get, .getQueue, .check, .save, .preset(.step):
            throw CommandRejection(.badPayload, "\(envelope.name) is for one device at a time.")
        default: return command
        }
    }

    /// Reads `{"cmd":…,"args":…}`; the envelope's members are already taken out of `object`.
    private func jsonForm(
        _ object: JSONObject, _ envelope: inout CommandEnvelope, _ rules: CommandRules
    ) throws(CommandRejection) -> DeviceCommand {
        var reader = ArgumentReader(object, of: "cmd")
        guard let name = try reader.text("cmd") else { throw CommandRejection(.badPayload, "cmd: the member cmd is missing.") }
        var arguments = CommandArguments(json: reader.take("args"))
        try reader.finish()
        switch name {
        case "set": return try self.set(arguments, &envelope, rules)
        case "get":
            guard case .json(.object(let object)) = arguments else { throw CommandRejection(.badPayload, "get: args must be an object.") }
            return try ArgumentReader.read(object, of: "get") { reader throws(CommandRejection) in
                guard let name = try reader.text("doc"), let document = DeviceDocuments.Name(rawValue: name) else {
                    throw reader.wrong("doc", DeviceDocuments.Name.allCases.map(\.rawValue).joined(separator: ", "))
                }
                let page = document.rawValue == "queue" ? try QueueListing.Page.parse(&reader) : nil
                return page.map { .getQueue($0) } ?? .get(document)
            }
        default:
            if let message = try RawArguments.parse(name, arguments, rules) { return .raw(message) }
            arguments.hand(to: &envelope, of: name)
            return try Verb(name).command(arguments, rules)
        }
    }

    private func set(
        _ arguments: CommandArguments, _ envelope: inout CommandEnvelope, _ rules: CommandRules
    ) throws(CommandRejection) -> DeviceCommand {
        var arguments = arguments
        arguments.hand(to: &envelope, of: "set")
        guard case .json(.object(let object)) = arguments else { throw CommandRejection(.badPayload, "set: args must be an object.") }
        let changes = try PropertyArguments.parse(object, rules)
        guard envelope.content.customData == nil || changes.contains(where: \.carriesData) else {
            throw CommandRejection(.badPayload, "set: custom_data must be given with a property of the media.")
        }
        return .set(changes)
    }

    static func unknown(_ kind: String, _ name: String) -> CommandRejection {
        CommandRejection(.unknownCommand, name.isEmpty ? "The topic names no \(kind)." : "There is no \(kind) \"\(name.shortened)\".")
    }
}
