import CastModels

/// The messages that the broker holds from us in this epoch, by topic, as fingerprints. It is the only record of them.
///
/// An epoch begins, with nothing published, on each connection. Bounded by the owners and their topics.
public struct PublishedState: Sendable {
    /// The messages to send so that the broker holds the wanted ones.
    struct Difference {
        /// The wanted messages that differ, in order, except for those whose topics are unknown.
        var changed: [Change] = []
        var cleared: [Document] = []
        /// The wanted topics, when the record must grow before the messages may be sent; otherwise `nil`.
        var topicsToRecord: Set<String>?

        /// A message of the batch, and the entry of its topic.
        struct Change {
            let message: Int
            fileprivate let owner: Dictionary<DocumentOwner, [Entry]>.Index
            fileprivate let entry: Int
            let fingerprint: UInt64
        }
    }

    /// A message to be sent later, with the fingerprint of its value.
    struct Document: Sendable, Hashable {
        var message: OutgoingMessage
        var fingerprint: UInt64
        var isClearing = false
    }

    /// The known facts about a topic: a message was sent to it in this epoch, or it is in the record, or both.
    fileprivate struct Entry {
        let topic: String
        let digest: UInt64
        /// The token of the last message sent in this epoch; two sent messages with equal values have different tokens.
        var token: Publisher.Token?
        /// The fingerprint of that message; `nil` when its delivery is uncertain, so that the broker may hold any value.
        var fingerprint: UInt64?
        /// The moment of that message, for a position.
        var moment: Int64?
        /// Whether passing values were sent to the topic since.
        var isOvertaken = false
        var isRecorded = false
        var isPicture: Bool { self.topic.hasSuffix(TopicMapper.artworkImageName) }

        init(_ topic: String) {
            var text = topic
            self.topic = topic
            self.digest = text.withUTF8 { Digest.of(UnsafeRawBufferPointer($0), seed: 0) }
        }

        mutating func sent(_ token: Publisher.Token, _ fingerprint: UInt64, _ moment: Int64?) {
            (self.token, self.fingerprint, self.moment, self.isOvertaken) = (token, fingerprint, moment, false)
        }

        /// Resets the values, because the broker's content is unknown.
        mutating func beginEpoch() { (self.token, self.fingerprint, self.moment, self.isOvertaken) = (nil, nil, nil, false) }

        /// Returns whether readers have the value. A client that received passing values since must receive an equal value of another
        /// moment.
        func holds(_ fingerprint: UInt64, _ moment: Int64?) -> Bool {
            self.fingerprint == fingerprint && !(self.isOvertaken && self.moment != moment)
        }
    }

    /// The topics of each owner in the order of its documents: the next wanted one usually follows the last.
    private var topics: [DocumentOwner: [Entry]] = [:]

    public init() {}

    /// Starts a new epoch: the broker's content is unknown.
    public mutating func beginEpoch() {
        for owner in self.topics.keys {
            self.topics[owner]?.removeAll { !$0.isRecorded }
            self.change(owner) { $0.beginEpoch() }
        }
    }

    /// The broker holds this message from an earlier epoch. Only recorded topics count, because others are not known to be ours.
    mutating func found(_ message: OutgoingMessage, of owner: DocumentOwner) {
        guard self.entry(message.topic, of: owner)?.isRecorded == true else { return }
        let fingerprint = Self.fingerprint(of: message)
        self.change(owner, message.topic) { $0.fingerprint = fingerprint }
    }

    // MARK: Comparing

    /// Compares the wanted messages with those that the broker holds.
    /// - Parameters:
    ///   - batch: the wanted messages, one for each topic; only retained ones are compared.
    ///   - remaining: the treatment of other topics of the owner.
    mutating func difference(
        for owner: DocumentOwner, _ batch: borrowing MessageBatch, remaining: RemainingTopics = .cleared
    ) -> Difference {
        var difference = Difference()
        var (knownCount, isRecordComplete) = (0, true)
        guard let owned = self.topics.index(forKey: owner) else {
            if batch.messages.contains(where: \.retain) { difference.topicsToRecord = Self.topics(of: batch) }
            return difference
        }
        difference.changed.reserveCapacity(batch.messages.count)
        var next = 0
        batch.withBytes { bytes in
            self.topics.values[owned].withUnsafeMutableBufferPointer { entries in
                for index in batch.messages.indices where batch.messages[index].retain {
                    guard var place = Self.place(of: batch.topicDigest(index, in: bytes), in: entries, from: next) else {
                        isRecordComplete = false
                        continue
                    }
                    // A complete round restores the order of the topics, in which a partial round finds them quickly.
                    if remaining != .kept, place > next {
                        entries.swapAt(next, place)
                        place = next
                    }
                    next = place + 1
                    knownCount += 1
                    if !entries[place].isRecorded { isRecordComplete = false }
                    let fingerprint = batch.fingerprint(index, in: bytes)
                    if entries[place].holds(fingerprint, batch.messages[index].moment) { continue }
                    difference.changed.append(Difference.Change(message: index, owner: owned, entry: place, fingerprint: fingerprint))
                }
            }
        }
        // Usually every known topic is wanted, which is checked without building a set.
        let entries = self.topics.values[owned]
        if remaining != .kept, knownCount < entries.count {
            let topics = Self.topics(of: batch)
            let unwanted = entries.lazy.map(\.topic).filter { !topics.contains($0) && !remaining.keeps($0) }
            for topic in TopicTree.clearingOrder(Array(unwanted)) {
                let fingerprint = Self.fingerprintOfClearing
                guard entries.first(where: { $0.topic == topic })?.fingerprint != fingerprint else { continue }
                difference.cleared.append(Document(message: .clearing(topic), fingerprint: fingerprint, isClearing: true))
            }
        }
        if !isRecordComplete { difference.topicsToRecord = Self.topics(of: batch) }
        return difference
    }

    /// Returns the index of a topic, searched from `start` on and then from the beginning. Digests are sufficient: two of the few topics of
    /// one owner never collide in practice.
    private static func place(of digest: UInt64, in entries: UnsafeMutableBufferPointer<Entry>, from start: Int) -> Int? {
        var index = start < entries.count ? start : 0
        for _ in entries.indices {
            if entries[index].digest == digest { return index }
            index = index + 1 < entries.count ? index + 1 : 0
        }
        return nil
    }

    private static func topics(of batch: borrowing MessageBatch) -> Set<String> {
        var topics: Set<String> = []
        for message in batch.messages where message.retain { topics.insert(batch.topic(message)) }
        return topics
    }

    private static let fingerprintOfClearing = Self.fingerprint(of: .clearing("-"))
    private static let fingerprintsOfNothing = [Self.fingerprintOfClearing, Self.fingerprint(of: .clearing("-", qos: 0))]

    private static func fingerprint(of message: OutgoingMessage) -> UInt64 {
        var batch = MessageBatch()
        batch.append(message, at: Timestamp(milliseconds: 0))
        return batch.withBytes { batch.fingerprint(0, in: $0) }
    }

    // MARK: Topics

    func recorded(_ owner: DocumentOwner) -> Set<String> { Set((self.topics[owner] ?? []).lazy.filter(\.isRecorded).map(\.topic)) }

    /// Returns whether the topic belongs to an owner: it was sent in this epoch, or is in the record and so must be cleared by the owner.
    func holds(_ topic: String) -> Bool {
        self.topics.keys.contains { owner in self.entry(topic, of: owner).map { $0.token != nil || $0.isRecorded } ?? false }
    }

    /// The topics that the broker should retain, without pictures, which are too large to be read regularly.
    var retained: [String] {
        self.topics.values.joined().filter { entry in
            entry.fingerprint.map { !Self.fingerprintsOfNothing.contains($0) } == true && !entry.isPicture
        }.map(\.topic)
    }

    /// The broker lost the messages at these topics, and probably the pictures of the same owners.
    /// - Returns: the owners.
    mutating func vanished(_ topics: Set<String>) -> [DocumentOwner] {
        // One that was cleared since the broker was asked is not lost.
        let topics = topics.intersection(self.retained)
        let owners = self.topics.filter { $0.value.contains { topics.contains($0.topic) } }.map(\.key)
        for owner in owners { self.change(owner) { if topics.contains($0.topic) || $0.isPicture { $0.fingerprint = nil } } }
        return owners
    }

    public mutating func record(_ topics: Set<String>, for owner: DocumentOwner) {
        for topic in topics.sorted() { self.changeOrAdd(topic, of: owner) { $0.isRecorded = true } }
    }

    /// Notes that a changed message is in flight; nothing else may have changed since the comparison.
    /// - Returns: its topic.
    mutating func sent(_ change: Difference.Change, token: Publisher.Token, moment: Int64?) -> String {
        self.topics.values[change.owner][change.entry].sent(token, change.fingerprint, moment)
        return self.topics.values[change.owner][change.entry].topic
    }

    /// Notes that a message is in flight, with the fingerprint of the wanted value.
    /// - Returns: `false`, without a change, for a document whose topic is not recorded; clearing a topic needs no record.
    mutating func sent(_ document: Document, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        let topic = document.message.topic
        guard document.isClearing || self.entry(topic, of: owner)?.isRecorded == true else { return false }
        self.changeOrAdd(topic, of: owner) { $0.sent(token, document.fingerprint, document.message.moment) }
        return true
    }

    /// Notes that a passing value was sent to the topic.
    mutating func overtaken(_ topic: String, of owner: DocumentOwner) { self.change(owner, topic) { $0.isOvertaken = true } }

    /// Notes that the delivery of a message is uncertain: unless a newer one was sent, the topic is sent again.
    mutating func lost(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) {
        self.change(owner, topic) { if $0.token == token { $0.fingerprint = nil } }
    }

    /// Notes that the broker confirmed the clearing of an unwanted topic. Returns whether the owner's record became smaller.
    mutating func cleared(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        // A newer value may be in flight after the clearing.
        guard let entry = self.entry(topic, of: owner), entry.token == token else { return false }
        self.topics[owner]?.removeAll { $0.topic == topic }
        return entry.isRecorded
    }

    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        guard let entries = self.topics[former] else { return }
        let meant = entries.filter { isMeant($0.topic) }
        self.topics[former] = entries.filter { !isMeant($0.topic) }
        for entry in meant { self.changeOrAdd(entry.topic, of: owner) { $0 = entry } }
    }

    /// Returns whether the topic may still be cleared: no document was sent to it since.
    func allows(_ clearing: TopicClearings.Clearing) -> Bool {
        guard let refused = clearing.refused else { return !self.topics.keys.contains { self.entry(clearing.topic, of: $0)?.token != nil } }
        return self.entry(clearing.topic, of: refused.owner)?.token == refused.token
    }

    mutating func forgetValues(of owner: DocumentOwner) { self.change(owner) { $0.fingerprint = nil } }

    /// Removes an owner whose topics are all cleared.
    mutating func remove(_ owner: DocumentOwner) { self.topics[owner] = nil }

    private func entry(_ topic: String, of owner: DocumentOwner) -> Entry? { self.topics[owner]?.first { $0.topic == topic } }

    /// Changes every entry of an owner, or the one of a topic.
    private mutating func change(_ owner: DocumentOwner, _ topic: String? = nil, _ change: (inout Entry) -> Void) {
        guard let owned = self.topics.index(forKey: owner) else { return }
        for place in self.topics.values[owned].indices where topic == nil || self.topics.values[owned][place].topic == topic {
            change(&self.topics.values[owned][place])
        }
    }

    private mutating func changeOrAdd(_ topic: String, of owner: DocumentOwner, _ change: (inout Entry) -> Void) {
        if self.entry(topic, of: owner) == nil { self.topics[owner, default: []].append(Entry(topic)) }
        self.change(owner, topic, change)
    }
}
