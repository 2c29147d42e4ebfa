import CastModels

/// What the broker holds of ours in this epoch, topic by topic, as fingerprints; the one truth about it.
///
/// An epoch begins with each connection the broker did not resume, and with nothing published. Bounded by the owners and their topics.
package struct PublishedState: Sendable {
    /// What has to be sent so that the broker holds what is wanted.
    struct Difference {
        /// The wanted messages that differ, in their order, but for those whose topics are unknown.
        var changed: [Change] = []
        /// What clears topics that are not wanted.
        var cleared: [Document] = []
        /// The topics wanted, when the record has to grow by some of them before the messages may go out; else `nil`.
        var topicsToRecord: Set<String>?

        /// A message of the batch and the entry of its topic.
        struct Change {
            let message: Int
            fileprivate let owner: Dictionary<DocumentOwner, [Entry]>.Index
            fileprivate let entry: Int
            let fingerprint: UInt64
        }
    }

    /// A message to be sent later, with what its value is compared by.
    struct Document: Sendable, Hashable {
        var message: OutgoingMessage
        var fingerprint: UInt64
        var isClearing = false
    }

    /// What is known of a topic: of each, something was sent in this epoch, or it is on record, or both.
    fileprivate struct Entry {
        let topic: String
        let digest: UInt64
        /// The message that was sent last in this epoch: equal values sent twice are still two.
        var token: Publisher.Token?
        /// What it carried; `nil` when it did not arrive for certain: then anything may be there.
        var fingerprint: UInt64?
        /// Which moment it was true of, for a position.
        var moment: Int64?
        /// Whether passing values went to the topic since.
        var isOvertaken = false
        /// Whether the record on disk names the topic.
        var isRecorded = false

        init(_ topic: String) {
            var text = topic
            self.topic = topic
            self.digest = text.withUTF8 { Digest.of(UnsafeRawBufferPointer($0), seed: 0) }
        }

        mutating func sent(_ token: Publisher.Token, _ fingerprint: UInt64, _ moment: Int64?) {
            (self.token, self.fingerprint, self.moment, self.isOvertaken) = (token, fingerprint, moment, false)
        }

        /// Nothing is known of what the broker holds.
        mutating func beginEpoch() { (self.token, self.fingerprint, self.moment, self.isOvertaken) = (nil, nil, nil, false) }

        /// Whether readers know the value. A client that received passing values since must receive an equal one of another moment.
        func holds(_ fingerprint: UInt64, _ moment: Int64?) -> Bool {
            self.fingerprint == fingerprint && !(self.isOvertaken && self.moment != moment)
        }
    }

    /// The topics of each owner in the order of its documents: the next wanted one mostly follows the last.
    private var topics: [DocumentOwner: [Entry]] = [:]

    package init() {}

    /// A new epoch: nothing is known of what the broker holds.
    package mutating func beginEpoch() {
        for owner in self.topics.keys {
            self.topics[owner]?.removeAll { !$0.isRecorded }
            self.change(owner) { $0.beginEpoch() }
        }
    }

    /// The broker holds this message from an earlier epoch. Only topics on record count: no other is known to be ours.
    mutating func found(_ message: OutgoingMessage, of owner: DocumentOwner) {
        guard self.entry(message.topic, of: owner)?.isRecorded == true else { return }
        let fingerprint = Self.fingerprint(of: message)
        self.change(owner, message.topic) { $0.fingerprint = fingerprint }
    }

    // MARK: Comparing

    /// Compares what is wanted with what the broker holds.
    /// - Parameters:
    ///   - batch: the wanted messages, one for each topic; only retained ones count.
    ///   - remaining: what becomes of topics that are not among them.
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
                    // All documents bring the topics into their order, in which those of a part are found soon.
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
        // Nearly always every topic we know of is wanted, and no set has to be made to find out.
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

    /// The place of a topic, looked for from `start` on and then from the beginning. Digests decide: of the few topics of one owner no two are
    /// ever alike.
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

    private static func fingerprint(of message: OutgoingMessage) -> UInt64 {
        var batch = MessageBatch()
        batch.append(message, at: Timestamp(milliseconds: 0))
        return batch.withBytes { batch.fingerprint(0, in: $0) }
    }

    // MARK: Topics

    /// The topics of an owner that the record names.
    func recorded(_ owner: DocumentOwner) -> Set<String> { Set((self.topics[owner] ?? []).lazy.filter(\.isRecorded).map(\.topic)) }

    /// Whether the topic is some owner's: sent in this epoch, or on record and so the owner's to clear.
    func holds(_ topic: String) -> Bool {
        self.topics.keys.contains { owner in self.entry(topic, of: owner).map { $0.token != nil || $0.isRecorded } ?? false }
    }

    /// The record on disk names these topics.
    package mutating func record(_ topics: Set<String>, for owner: DocumentOwner) {
        for topic in topics.sorted() { self.changeOrAdd(topic, of: owner) { $0.isRecorded = true } }
    }

    /// A message that differs is on its way; nothing else has changed since it was compared.
    /// - Returns: its topic.
    mutating func sent(_ change: Difference.Change, token: Publisher.Token, moment: Int64?) -> String {
        self.topics.values[change.owner][change.entry].sent(token, change.fingerprint, moment)
        return self.topics.values[change.owner][change.entry].topic
    }

    /// A message is on its way, with the fingerprint of what was wanted.
    /// - Returns: `false`, with nothing noted, for a document whose topic the record doesn't name; what clears a topic needs no record.
    mutating func sent(_ document: Document, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        let topic = document.message.topic
        guard document.isClearing || self.entry(topic, of: owner)?.isRecorded == true else { return false }
        self.changeOrAdd(topic, of: owner) { $0.sent(token, document.fingerprint, document.message.moment) }
        return true
    }

    /// A passing value went to the topic.
    mutating func overtaken(_ topic: String, of owner: DocumentOwner) { self.change(owner, topic) { $0.isOvertaken = true } }

    /// The message did not arrive for certain: unless a newer one was sent, the topic is sent again.
    mutating func lost(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) {
        self.change(owner, topic) { if $0.token == token { $0.fingerprint = nil } }
    }

    /// The broker confirmed that a topic that is no longer wanted is cleared. Returns whether the owner's record became smaller by that.
    mutating func cleared(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        // A newer value may be on its way behind the clearing.
        guard let entry = self.entry(topic, of: owner), entry.token == token else { return false }
        self.topics[owner]?.removeAll { $0.topic == topic }
        return entry.isRecorded
    }

    /// What is known of some topics of an owner is another's from now on.
    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        guard let entries = self.topics[former] else { return }
        let meant = entries.filter { isMeant($0.topic) }
        self.topics[former] = entries.filter { !isMeant($0.topic) }
        for entry in meant { self.changeOrAdd(entry.topic, of: owner) { $0 = entry } }
    }

    /// Whether clearing the topic still harms nothing: no document was sent to it since.
    func allows(_ clearing: Publisher.Clearing) -> Bool {
        guard let refused = clearing.refused else { return !self.topics.keys.contains { self.entry(clearing.topic, of: $0)?.token != nil } }
        return self.entry(clearing.topic, of: refused.owner)?.token == refused.token
    }

    /// What the broker holds of an owner counts as unknown.
    mutating func forgetValues(of owner: DocumentOwner) { self.change(owner) { $0.fingerprint = nil } }

    /// Forgets an owner whose topics are all cleared.
    mutating func remove(_ owner: DocumentOwner) { self.topics[owner] = nil }

    private func entry(_ topic: String, of owner: DocumentOwner) -> Entry? { self.topics[owner]?.first { $0.topic == topic } }

    /// Changes every entry of an owner, or that of one topic.
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
