import CastModels

/// The sender's id of a command, by which it finds the answer: a text of 1 to 128 bytes, or a whole number. Returned unchanged.
public enum CommandID: Sendable, Hashable {
    case text(String)
    case number(Int64)

    /// The longest accepted text, in bytes.
    public static let maximumBytes = 128

    /// `nil` when `value` is neither such a text nor a whole number.
    public init?(_ value: JSONValue) {
        switch value {
        case .string(let text) where !text.isEmpty && text.utf8.count <= Self.maximumBytes: self = .text(text)
        case .integer(let number): self = .number(number)
        default: return nil
        }
    }

    public var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .integer(number)
        }
    }
}

public enum CommandTarget: Sendable, Hashable {
    /// The device level of the topic, as written: a slug, an id or an alias, known or not.
    case device(String)
    case all
    /// The bridge itself; contains the verb if it is known.
    case bridge(BridgeVerb?)
}

/// The properties of a command beside its content: where it came from and where its answer goes.
public struct CommandEnvelope: Sendable, Hashable {
    public var target: CommandTarget
    /// The answer's `cmd`: the tail of the command's topic (`set/volume`, `cmd/load`), or the `cmd` of the JSON form.
    public var name: String
    /// The topic on which it was received.
    public var topic: String
    public var id: CommandID?
    /// The checked response topic; `nil` uses the default topic.
    public var responseTopic: String?
    /// The correlation data, returned unchanged.
    public var correlationData: [UInt8]?
    /// The answer's quality of service: that of the command, at most 1.
    public var answerQoS: UInt8
    /// How long the sender waits, counted from the arrival; `nil` uses the command's own limit.
    public var timeout: Duration?
    /// The command must not begin after this time.
    public var expiresAt: Timestamp?
    /// Shared, because the queue copies envelopes.
    @Shared public var content = Content()
    public var received: Now
    /// The command to all devices that this one is a share of; its answer becomes part of that one's.
    public var fanOut: FanOut.Ticket?
    /// The caller that waits for the answer; `nil` sends it over MQTT.
    public var direct: DirectTicket?
    /// The sender, as far as it is known; `nil` for a command over MQTT without a response topic.
    public var caller: Caller?
    /// Set by `RepeatedCommands` for a command with an id.
    var repeatKey: RepeatedCommands.Key?

    /// What belongs to the content of the command, and not to one of its forms.
    public struct Content: Sendable, Hashable {
        /// Data for the application, which the requests of the command carry.
        public var customData: JSONValue?
        /// What a load plays, as it was written.
        public var playable: Playable?
        /// The preset that it plays.
        public var preset: Preset?
        /// The command as it was given, in whose place another one is executed.
        public var given: DeviceCommand?
    }

    public enum Caller: Sendable, Hashable {
        case responseTopic(String)
        /// `DirectTicket.caller`.
        case direct(String)
    }

    public init(
        target: CommandTarget, name: String, topic: String, id: CommandID? = nil, responseTopic: String? = nil,
        correlationData: [UInt8]? = nil, answerQoS: UInt8 = 0, timeout: Duration? = nil, expiresAt: Timestamp? = nil, received: Now
    ) {
        self.target = target
        self.name = name
        self.topic = topic
        self.id = id
        self.responseTopic = responseTopic
        self.correlationData = correlationData
        self.answerQoS = answerQoS
        self.timeout = timeout
        self.expiresAt = expiresAt
        self.received = received
    }
}
