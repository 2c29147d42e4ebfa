import CastModels

/// What a sender calls its command, to find the answer again: a text of 1 to 128 bytes, or a whole number. Echoed as it came.
package enum CommandID: Sendable, Hashable {
    case text(String)
    case number(Int64)

    /// Longest accepted text, in bytes.
    package static let maximumBytes = 128

    /// `nil` when `value` is neither such a text nor a whole number.
    package init?(_ value: JSONValue) {
        switch value {
        case .string(let text) where !text.isEmpty && text.utf8.count <= Self.maximumBytes: self = .text(text)
        case .integer(let number): self = .number(number)
        default: return nil
        }
    }

    /// The value as JSON.
    package var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .number(let number): .integer(number)
        }
    }
}

/// Whom a command addresses.
package enum CommandTarget: Sendable, Hashable {
    /// The level in the device position as it was written: a slug, an id or an alias, perhaps of no device at all.
    case device(String)
    /// Every device.
    case all
    /// The bridge itself; the verb when it is a known one.
    case bridge(BridgeVerb?)
}

/// Everything about a command but what it wants: where it came from and where its answer goes.
package struct CommandEnvelope: Sendable, Hashable {
    package var target: CommandTarget
    /// The answer's `cmd`: the tail of the command's topic (`set/volume`, `cmd/load`), or the `cmd` of the JSON form.
    package var name: String
    /// Where it came in.
    package var topic: String
    package var id: CommandID?
    /// The checked response topic; `nil` answers on the default topic.
    package var responseTopic: String?
    /// Goes back byte for byte.
    package var correlationData: [UInt8]?
    /// The answer's quality of service: as the command's, at most 1.
    package var answerQoS: UInt8
    /// How long the sender waits, counted from the arrival; `nil` leaves it to the command.
    package var timeout: Duration?
    /// After this the command must not begin.
    package var expiresAt: Timestamp?
    /// When it arrived.
    package var received: Now
    /// The command to all devices that this is one device's share of; its answer goes into that one's.
    package var fanOut: FanOut.Ticket?
    /// Who waits for the answer; `nil` sends it over MQTT.
    package var direct: DirectTicket?

    package init(
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
