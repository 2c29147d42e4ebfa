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
    /// Whether what was received counts: it is of a leader that was heard, or newer than what this member knows.
    var isFromLeader = false
    /// What was received over an earlier link and counts.
    private var kept: StateFile?
    /// The version of what this member knew before this link; `nil` when it was alone since, so that its own record counts.
    private var ownVersion: PairVersion?

    /// Notes what the state file has.
    mutating func remember(_ own: StateFile) { self.ownVersion = own.version ?? (own.devices.isEmpty ? PairVersion(term: 0) : nil) }

    /// The broker may have lost what was sent before, and may retain what is older than what was received.
    mutating func linkUp(isLeader: Bool) {
        (self.sentRecord, self.sentSettings) = (nil, [])
        guard !isLeader else { return }
        if let file = self.takenOver { (self.kept, self.ownVersion) = (file, file.version) }
        (self.record, self.receivedSettings, self.isFromLeader) = (PairRecord(), nil, false)
    }

    /// Whether the broker retains what this member missed.
    var isNewer: Bool {
        guard let ownVersion, let version = self.record.file?.version else { return false }
        return ownVersion < version
    }

    /// The record from which this member continues if it leads; `nil` for its own.
    var takenOver: StateFile? { self.isFromLeader ? self.record.file : self.kept }

    /// The first version of a new leader, above all that it knows.
    func version(term: Int) -> PairVersion {
        let known = max(self.ownVersion ?? PairVersion(term: 0), self.record.file?.version ?? PairVersion(term: 0))
        return PairVersion(term: max(term, known.term + 1))
    }

    mutating func received(_ payload: [UInt8], part: String) { self.record.received(payload, name: part) }

    mutating func record(_ file: StateFile) { self.record = PairRecord(file) }

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
