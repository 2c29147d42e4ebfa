import BridgeCore
import CastSender

/// What the leader hands over: its record and its chosen settings, as retained documents of which only the changed ones are sent.
struct PairHandover {
    /// The newest record: on a standby the one that was received.
    private var record = PairRecord()
    /// What the broker has of it; `nil` when that is unknown.
    private var sentRecord: PairRecord?
    /// The chosen settings as JSON; empty until they are known.
    var settings: [UInt8] = []
    private var sentSettings: [UInt8] = []

    /// What the leader has chosen; `nil` until it is known.
    var receivedSettings: JSONObject?
    /// Whether what was received is of a leader that was heard, and not a rest of an earlier pair.
    var isFromLeader = false

    /// The broker may have lost what was sent before.
    mutating func linkUp() { (self.sentRecord, self.sentSettings) = (nil, []) }

    mutating func received(_ payload: [UInt8], part: String) { self.record.received(payload, name: part) }

    mutating func record(_ file: StateFile) { self.record = PairRecord(file) }

    /// The record that was received.
    var file: StateFile? { self.record.file }

    /// Returns what is to be sent, which then counts as sent.
    mutating func due(_ topics: TopicTree) -> [OutgoingMessage] {
        var messages = self.record.messages(since: self.sentRecord, topics: topics)
        self.sentRecord = self.record
        if self.settings != self.sentSettings {
            self.sentSettings = self.settings
            messages.append(
                OutgoingMessage(topic: topics.pair("settings"), payload: self.settings, qos: 1, retain: true, content: .json))
        }
        return messages
    }

    /// Returns the messages that clear what was sent.
    func clearings(_ topics: TopicTree) -> [OutgoingMessage] {
        PairRecord().messages(since: self.sentRecord, topics: topics) + [.clearing(topics.pair("settings"))]
    }
}
