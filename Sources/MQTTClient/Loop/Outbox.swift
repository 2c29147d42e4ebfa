/// What the broker still has to acknowledge on one link, by packet id, and what is known and not told yet. Not thread-safe: it belongs to
/// the MQTT thread.
struct Outbox {
    /// The messages of one call. Outcomes are told when `OutcomeGathering` says so.
    final class Batch {
        private let completion: @Sendable ([MQTTPublished]) -> Void
        fileprivate var known: [MQTTPublished] = []

        init(completion: @escaping @Sendable ([MQTTPublished]) -> Void) { self.completion = completion }

        fileprivate func tell() {
            let known = self.known
            self.known = []
            self.completion(known)
        }
    }

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
        case publish(Batch, index: Int, bytes: Int)
        /// `bytes` is counted with the call's first packet.
        case subscribe(Parts, indices: [Int], isFirst: Bool, bytes: Int)
        case unsubscribe(count: Int, bytes: Int, completion: @Sendable (MQTTSubscribeOutcome) -> Void)
        case farewell
    }

    private let core: ClientCore
    private var entries: [Int32: (entry: Entry, since: Duration)] = [:]
    private var gathering = OutcomeGathering()
    /// Batches with known outcomes, and the room that these give back.
    private var touched: [Batch] = []
    private var freed = (count: 0, bytes: 0)

    init(core: ClientCore) { self.core = core }

    var isEmpty: Bool { self.entries.isEmpty }

    /// - Returns: false when the id is still in use. libmosquitto gives ids without looking; 65 535 publishes overtook one that is unanswered.
    mutating func add(_ packetID: Int32, _ entry: Entry, now: Duration) -> Bool {
        guard let old = self.entries.updateValue((entry, now), forKey: packetID) else { return true }
        self.lose(old.entry, now: now)
        return false
    }

    /// - Returns: whether it was the farewell.
    mutating func acknowledged(_ packetID: Int32, _ reason: MQTTReasonCode, now: Duration) -> Bool {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return false }
        switch entry {
        case .publish(let batch, let index, let bytes): self.finish(batch, index, bytes: bytes, .acknowledged(reason), now: now)
        case .farewell: return true
        case .subscribe, .unsubscribe: self.lose(entry, now: now)
        }
        return false
    }

    /// The outcome of a message is known; `tellIfDue` tells it.
    mutating func finish(_ batch: Batch, _ index: Int, bytes: Int, _ outcome: MQTTPublishOutcome, now: Duration) {
        if batch.known.isEmpty { self.touched.append(batch) }
        batch.known.append(MQTTPublished(index: index, outcome: outcome))
        self.freed.count += 1
        self.freed.bytes += bytes
        self.gathering.add(isFailure: outcome.isFailure, now: now)
    }

    /// When `tellIfDue` wants to be called without traffic.
    var deadline: Duration? { self.gathering.deadline }

    mutating func tellIfDue(now: Duration) {
        if self.gathering.isDue(isLast: self.entries.isEmpty, now: now) { self.tell() }
    }

    mutating func tell() {
        guard !self.touched.isEmpty else { return }
        let touched = self.touched
        self.core.finished(self.freed.count, bytes: self.freed.bytes)
        (self.touched, self.freed) = ([], (0, 0))
        self.gathering.told()
        for batch in touched { batch.tell() }
    }

    mutating func subscribed(_ packetID: Int32, _ codes: [MQTTReasonCode]) {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return }
        guard case .subscribe(let parts, let indices, let isFirst, let bytes) = entry else { return self.lose(entry, now: .zero) }
        if isFirst { self.core.finished(bytes: bytes) }
        parts.answered(indices, codes)
    }

    mutating func unsubscribed(_ packetID: Int32) {
        guard let (entry, _) = self.entries.removeValue(forKey: packetID) else { return }
        guard case .unsubscribe(let count, let bytes, let completion) = entry else { return self.lose(entry, now: .zero) }
        self.core.finished(bytes: bytes)
        completion(.acknowledged(Array(repeating: .success, count: count)))
    }

    /// The link is gone: everything that is left ends as lost.
    mutating func loseAll() {
        let left = self.entries
        self.entries = [:]
        for (_, value) in left.sorted(by: { $0.value.since < $1.value.since }) { self.lose(value.entry, now: .zero) }
        self.tell()
    }

    func hasEntry(olderThan limit: Duration, now: Duration) -> Bool { self.entries.values.contains { now >= $0.since + limit } }

    private mutating func lose(_ entry: Entry, now: Duration) {
        switch entry {
        case .publish(let batch, let index, let bytes): self.finish(batch, index, bytes: bytes, .connectionLost, now: now)
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
