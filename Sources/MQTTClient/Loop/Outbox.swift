/// The packets that the broker has not acknowledged on one link, and the known outcomes that are not reported yet. Used by the thread that
/// holds the link.
struct Outbox {
    /// A SUBSCRIBE call that needed several packets, one for each set of options.
    final class Parts {
        private var codes: [MQTTReasonCode]
        private var missing: Int
        private let completion: @Sendable (MQTTSubscribeOutcome) -> Void
        private var isDone = false

        init(filters: Int, packets: Int, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {
            self.codes = Array(repeating: .unspecifiedError, count: filters)
            self.missing = packets
            self.completion = completion
        }

        /// - Parameter indices: the positions of the answered filters in the call. If a broker sends too few codes, the rest count as
        ///   failures.
        func answered(_ indices: [Int], _ answer: [MQTTReasonCode]) {
            for (index, code) in zip(indices, answer) { self.codes[index] = code }
            self.missing -= 1
            if self.missing == 0 { self.finish(.acknowledged(self.codes)) }
        }

        func finish(_ outcome: MQTTSubscribeOutcome) {
            if self.isDone { return }
            self.isDone = true
            self.completion(outcome)
        }
    }

    /// Packets other than PUBLISH.
    enum Entry {
        /// `bytes` is counted with the call's first packet.
        case subscribe(Parts, indices: [Int], isFirst: Bool, bytes: Int)
        case unsubscribe(count: Int, bytes: Int, completion: @Sendable (MQTTSubscribeOutcome) -> Void)
        case farewell
    }

    /// A PUBLISH.
    private struct Message {
        var packetID: Int32
        var token: UInt64
        /// The size that counts towards `MQTTConfiguration.Outgoing.maximumBytes`.
        var bytes: Int
        var since: Duration
    }

    private let core: ClientCore
    private let onReport: ([MQTTPublished]) -> Void
    /// The messages, oldest first. Brokers acknowledge in that order, so a message is found at once; a dictionary costs ten times as much.
    private var messages: [Message] = []
    private var entries: [Int32: (entry: Entry, since: Duration)] = [:]
    private var gathering = OutcomeGathering()
    /// The outcomes that are not reported yet, and the room that their messages release.
    private var known: [MQTTPublished] = []
    private var freedBytes = 0

    init(core: ClientCore, onReport: @escaping ([MQTTPublished]) -> Void) { (self.core, self.onReport) = (core, onReport) }

    /// Whether every message has an outcome.
    var isAnswered: Bool { self.messages.isEmpty }

    var isEmpty: Bool { self.messages.isEmpty && self.entries.isEmpty }

    /// - Returns: `false` when the id is still in use. libmosquitto assigns ids without checking; 65 535 packets were then sent after one
    ///   that is unanswered.
    mutating func add(_ packetID: Int32, token: UInt64, bytes: Int, now: Duration) -> Bool {
        let isFree = self.loseUser(of: packetID, now: now)
        self.messages.append(Message(packetID: packetID, token: token, bytes: bytes, since: now))
        return isFree
    }

    /// - Returns: `false` when the id is still in use.
    mutating func add(_ packetID: Int32, _ entry: Entry, now: Duration) -> Bool {
        let isFree = self.loseUser(of: packetID, now: now)
        self.entries[packetID] = (entry, now)
        return isFree
    }

    /// - Returns: whether the id was unused.
    private mutating func loseUser(of packetID: Int32, now: Duration) -> Bool {
        if let message = self.takeMessage(packetID) {
            self.finish(message.token, bytes: message.bytes, .connectionLost, now: now)
        } else if !self.entries.isEmpty, let old = self.entries.removeValue(forKey: packetID) {
            self.lose(old.entry)
        } else {
            return true
        }
        return false
    }

    private mutating func takeMessage(_ packetID: Int32) -> Message? {
        self.messages.firstIndex { $0.packetID == packetID }.map { self.messages.remove(at: $0) }
    }

    /// - Returns: whether it acknowledges the farewell.
    mutating func acknowledged(_ packetID: Int32, _ reason: MQTTReasonCode, now: Duration) -> Bool {
        if let message = self.takeMessage(packetID) {
            self.finish(message.token, bytes: message.bytes, .acknowledged(reason), now: now)
            return false
        }
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return false }
        if case .farewell = entry { return true }
        self.lose(entry)
        return false
    }

    /// Stores the outcome of a message; `reportIfDue` reports it.
    mutating func finish(_ token: UInt64, bytes: Int, _ outcome: MQTTPublishOutcome, now: Duration) {
        if self.known.isEmpty { self.known.reserveCapacity(OutcomeGathering.enough) }
        self.known.append(MQTTPublished(token: token, outcome: outcome))
        self.freedBytes += bytes
        self.gathering.add(isFailure: outcome.isFailure, now: now)
    }

    /// When `reportIfDue` is due without traffic.
    var deadline: Duration? { self.gathering.deadline }

    mutating func reportIfDue(now: Duration) { if self.gathering.isDue(isLast: self.isEmpty, now: now) { self.report() } }

    /// Whether the owner waits for outcomes.
    var isAwaited: Bool {
        get { self.gathering.isAwaited }
        set { self.gathering.isAwaited = newValue }
    }

    mutating func report() {
        let known = self.take()
        if !known.isEmpty { self.onReport(known) }
    }

    /// Returns the outcomes that are not reported yet, so that no event reports them.
    mutating func take() -> [MQTTPublished] {
        guard !self.known.isEmpty else { return [] }
        self.core.finished(self.known.count, bytes: self.freedBytes)
        defer { (self.known, self.freedBytes) = ([], 0) }
        self.gathering.reported()
        return self.known
    }

    mutating func subscribed(_ packetID: Int32, _ codes: [MQTTReasonCode]) {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return }
        guard case .subscribe(let parts, let indices, let isFirst, let bytes) = entry else { return self.lose(entry) }
        if isFirst { self.core.finished(bytes: bytes) }
        parts.answered(indices, codes)
    }

    mutating func unsubscribed(_ packetID: Int32) {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return }
        guard case .unsubscribe(let count, let bytes, let completion) = entry else { return self.lose(entry) }
        self.core.finished(bytes: bytes)
        completion(.acknowledged(Array(repeating: .success, count: count)))
    }

    /// Ends all remaining messages and the commands that were not executed as lost, because the link ended.
    mutating func loseAll(_ commands: [ClientCommand]) {
        for message in self.messages { self.finish(message.token, bytes: message.bytes, .connectionLost, now: .zero) }
        let entries = self.entries
        (self.messages, self.entries) = ([], [:])
        for (_, value) in entries.sorted(by: { $0.value.since < $1.value.since }) { self.lose(value.entry) }
        for command in commands { self.lose(command) }
        self.report()
    }

    /// Ends a command as lost, because the link ended before it was executed.
    mutating func lose(_ command: ClientCommand) {
        switch command {
        case .publish(let batch, _):
            for entry in batch.entries { self.finish(entry.token, bytes: entry.weight, .connectionLost, now: .zero) }
        case .subscribe(_, let completion), .unsubscribe(_, let completion):
            self.core.finished(bytes: command.weight)
            completion(.connectionLost)
        }
    }

    func hasEntry(olderThan limit: Duration, now: Duration) -> Bool {
        self.messages.first.map { now >= $0.since + limit } ?? false || self.entries.values.contains { now >= $0.since + limit }
    }

    private mutating func lose(_ entry: Entry) {
        switch entry {
        case .subscribe(let parts, _, let isFirst, let bytes):
            if isFirst { self.core.finished(bytes: bytes) }
            parts.finish(.connectionLost)
        case .unsubscribe(_, let bytes, let completion):
            self.core.finished(bytes: bytes)
            completion(.connectionLost)
        case .farewell: break
        }
    }
}
