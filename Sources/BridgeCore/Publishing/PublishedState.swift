import CastModels

/// What the broker holds of ours in this epoch, topic by topic, as fingerprints; the one truth about it.
///
/// An epoch begins with each connection the broker did not resume, and with nothing published. Bounded by the owners and their topics.
public struct PublishedState: Sendable {
    /// What has to be sent so that the broker holds what is wanted.
    public struct Difference: Sendable, Hashable {
        /// What differs, in the order of the wanted messages, then what clears topics that nobody wants.
        var documents: [Document] = []
        /// The topics wanted, when the record has to grow by some of them before the messages may go out; else `nil`.
        public var topicsToRecord: Set<String>?
    }

    /// A message to be sent, with what its value is compared by.
    struct Document: Sendable, Hashable {
        var message: OutgoingMessage
        var fingerprint: Int
        var isClearing = false
    }

    /// What is known of a topic: of each, something was sent in this epoch, or it is on record, or both.
    private struct Entry {
        /// The message that was sent last in this epoch: equal values sent twice are still two.
        var token: Publisher.Token?
        /// What it carried; `nil` when it did not arrive for certain: then anything may be there.
        var fingerprint: Int?
        /// Which moment it was true of, for a position.
        var moment: Int64?
        /// Whether passing values went to the topic since.
        var isOvertaken = false
        /// Whether the record on disk names the topic.
        var isRecorded = false

        mutating func sent(_ token: Publisher.Token, _ fingerprint: Int, _ moment: Int64?) {
            (self.token, self.fingerprint, self.moment, self.isOvertaken) = (token, fingerprint, moment, false)
        }

        /// Whether readers know the value. Who heard passing values since, has to hear an equal one of another moment.
        func holds(_ fingerprint: Int, _ moment: Int64?) -> Bool {
            self.fingerprint == fingerprint && !(self.isOvertaken && self.moment != moment)
        }
    }

    private var topics: [DocumentOwner: [String: Entry]] = [:]

    public init() {}

    /// What the value of `message` is compared by. The time in a document does not count.
    ///
    /// 64 bits by folded multiplication, several times as fast as the hasher. Equal ones of different messages come by chance only, about
    /// once in 2^64: the seeds are not known outside the process.
    static func fingerprint(_ message: OutgoingMessage) -> Int {
        let kind: UInt64 =
            switch message.content {
            case .document(let schema): UInt64(truncatingIfNeeded: schema) << 8
            case .json: 1
            case .text: 2
            case .message: 3
            case .binary: 4
            case .empty: 5
            }
        return message.payload.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Int in
            let seeds = self.seeds
            func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
                let product = (left ^ seeds.0).multipliedFullWidth(by: right ^ seeds.1)
                return product.high ^ product.low
            }
            var digest = fold(UInt64(bytes.count), kind << 8 | UInt64(message.qos))
            var index = 0
            while index + 16 <= bytes.count {
                let left = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                digest = fold(left ^ digest, bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
                index += 16
            }
            var (low, high): (UInt64, UInt64) = (0, 0)
            while index < bytes.count {
                high = high << 8 | low >> 56
                low = low << 8 | UInt64(bytes[index])
                index += 1
            }
            return Int(truncatingIfNeeded: fold(low ^ digest, high))
        }
    }

    private static let seeds = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))

    /// A new epoch: nothing is known of what the broker holds.
    public mutating func beginEpoch() {
        for (owner, entries) in self.topics {
            self.topics[owner] = entries.filter(\.value.isRecorded).mapValues { _ in Entry(isRecorded: true) }
        }
    }

    /// Compares what is wanted with what the broker holds.
    /// - Parameters:
    ///   - wanted: retained messages, one for each topic.
    ///   - leftovers: what becomes of topics that are not among `wanted`.
    public func difference(for owner: DocumentOwner, wanted: [OutgoingMessage], leftovers: LeftoverTopics = .cleared) -> Difference {
        let entries = self.topics[owner] ?? [:]
        var difference = Difference()
        var (knownCount, recordedCount, wantedCount) = (0, 0, 0)
        for message in wanted where message.retain {
            wantedCount += 1
            let entry = entries[message.topic]
            if let entry {
                knownCount += 1
                if entry.isRecorded { recordedCount += 1 }
            }
            let fingerprint = Self.fingerprint(message)
            if entry?.holds(fingerprint, message.moment) == true { continue }
            difference.documents.append(Document(message: message, fingerprint: fingerprint))
        }
        // Nearly always every topic we know of is wanted, and no set has to be made to find out.
        if leftovers != .kept, knownCount < entries.count {
            let topics = Set(wanted.lazy.filter(\.retain).map(\.topic))
            for topic in TopicTree.clearingOrder(entries.keys.filter { !topics.contains($0) && !leftovers.keeps($0) }) {
                let clearing = OutgoingMessage.clearing(topic)
                let fingerprint = Self.fingerprint(clearing)
                guard entries[topic]?.fingerprint != fingerprint else { continue }
                difference.documents.append(Document(message: clearing, fingerprint: fingerprint, isClearing: true))
            }
        }
        if recordedCount < wantedCount {
            difference.topicsToRecord = Set(wanted.lazy.filter(\.retain).map(\.topic))
        }
        return difference
    }

    /// The topics of an owner that the record names.
    func recorded(_ owner: DocumentOwner) -> Set<String> {
        Set((self.topics[owner] ?? [:]).lazy.filter(\.value.isRecorded).map(\.key))
    }

    /// Whether the topic is some owner's: sent in this epoch, or on record and so the owner's to clear.
    func holds(_ topic: String) -> Bool {
        self.topics.values.contains { entries in entries[topic].map { $0.token != nil || $0.isRecorded } ?? false }
    }

    /// The record on disk names these topics.
    public mutating func record(_ topics: Set<String>, for owner: DocumentOwner) {
        for topic in topics { self.topics[owner, default: [:]][topic, default: Entry()].isRecorded = true }
    }

    /// A message is on its way, with the fingerprint of what was wanted.
    /// - Returns: `false`, with nothing noted, for a document whose topic the record doesn't name; what clears a topic needs no record.
    mutating func sent(_ document: Document, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        let topic = document.message.topic
        if document.isClearing {
            self.topics[owner, default: [:]][topic, default: Entry()].sent(token, document.fingerprint, document.message.moment)
            return true
        }
        guard let owned = self.topics.index(forKey: owner), let place = self.topics.values[owned].index(forKey: topic),
            self.topics.values[owned].values[place].isRecorded
        else { return false }
        self.topics.values[owned].values[place].sent(token, document.fingerprint, document.message.moment)
        return true
    }

    /// A passing value went to the topic.
    mutating func overtaken(_ topic: String, of owner: DocumentOwner) { self.topics[owner]?[topic]?.isOvertaken = true }

    /// The message did not arrive for certain: unless a newer one was sent, the topic is sent anew.
    mutating func lost(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) {
        if self.topics[owner]?[topic]?.token == token { self.topics[owner]?[topic]?.fingerprint = nil }
    }

    /// The broker confirmed that a topic nobody wants is cleared. Returns whether the owner's record became smaller by that.
    mutating func cleared(_ topic: String, token: Publisher.Token, for owner: DocumentOwner) -> Bool {
        // A newer value may be on its way behind the clearing.
        guard let entry = self.topics[owner]?[topic], entry.token == token else { return false }
        self.topics[owner]?[topic] = nil
        return entry.isRecorded
    }

    /// What is known of some topics of an owner is another's from now on.
    mutating func handOver(_ isMeant: (String) -> Bool, from former: DocumentOwner, to owner: DocumentOwner) {
        for (topic, entry) in self.topics[former] ?? [:] where isMeant(topic) {
            self.topics[former]?[topic] = nil
            self.topics[owner, default: [:]][topic] = entry
        }
    }

    /// Whether clearing the topic still harms nothing: no document was sent to it since.
    func allows(_ sweep: Publisher.Sweep) -> Bool {
        guard let refused = sweep.refused else { return !self.topics.values.contains { $0[sweep.topic]?.token != nil } }
        return self.topics[refused.owner]?[sweep.topic]?.token == refused.token
    }

    /// What the broker holds of an owner counts as unknown.
    mutating func forgetValues(of owner: DocumentOwner) {
        for topic in (self.topics[owner] ?? [:]).keys { self.topics[owner]?[topic]?.fingerprint = nil }
    }

    /// Forgets an owner whose topics are all cleared.
    mutating func remove(_ owner: DocumentOwner) { self.topics[owner] = nil }
}
