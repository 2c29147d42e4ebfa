/// What the broker still has to acknowledge on one link, by packet id. Not thread-safe: it belongs to the MQTT thread.
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

        /// - Parameter indices: places of the answered filters in the call. A broker that sends too few codes leaves failures.
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

    enum Entry {
        case publish(bytes: Int, completion: @Sendable (MQTTPublishOutcome) -> Void)
        /// `bytes` is counted with the call's first packet.
        case subscribe(Parts, indices: [Int], isFirst: Bool, bytes: Int)
        case unsubscribe(count: Int, bytes: Int, completion: @Sendable (MQTTSubscribeOutcome) -> Void)
        case farewell
    }

    private let core: ClientCore
    private var entries: [Int32: (entry: Entry, since: Duration)] = [:]

    init(core: ClientCore) { self.core = core }

    /// - Returns: false when the id is still in use. libmosquitto gives ids without looking; 65 535 publishes overtook one that is unanswered.
    mutating func add(_ packetID: Int32, _ entry: Entry, now: Duration) -> Bool {
        self.entries.updateValue((entry, now), forKey: packetID).map { old in
            self.lose(old.entry)
            return false
        } ?? true
    }

    /// - Returns: whether it was the farewell.
    mutating func acknowledged(_ packetID: Int32, _ reason: MQTTReasonCode) -> Bool {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return false }
        switch entry {
        case .publish(let bytes, let completion):
            self.core.finished(bytes: bytes)
            completion(.acknowledged(reason))
        case .farewell: return true
        case .subscribe, .unsubscribe: self.lose(entry)
        }
        return false
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

    /// The link is gone: everything that is left ends as lost.
    mutating func loseAll() {
        let left = self.entries
        self.entries = [:]
        for (_, value) in left.sorted(by: { $0.value.since < $1.value.since }) { self.lose(value.entry) }
    }

    func hasEntry(olderThan limit: Duration, now: Duration) -> Bool { self.entries.values.contains { now >= $0.since + limit } }

    private func lose(_ entry: Entry) {
        switch entry {
        case .publish(let bytes, let completion):
            self.core.finished(bytes: bytes)
            completion(.connectionLost)
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
