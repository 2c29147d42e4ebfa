import MulticastDNS
import NIOCore

/// Decides on answers: recipients, times and omissions (RFC 6762 sections 5.4, 6 and 7).
struct Responder {
    struct Origin: Hashable {
        let source: SocketAddress
        let isOnLink: Bool
        let link: UInt32

        /// Whether the asker is an ordinary resolver, which uses a port other than 5353 (RFC 6762 section 6.7).
        var isLegacy: Bool { self.source.port != Int(MulticastSocket.port) }
    }

    private struct Waiting {
        var questions: [Question]
        var knownAnswers: [ResourceRecord]
        var due: NIODeadline
        let id: UInt16
    }

    private struct Link {
        var pending: [AnnouncedRecords.Key: NIODeadline] = [:]
        var lastMulticast: [AnnouncedRecords.Key: NIODeadline] = [:]
    }

    static let sharedDelayMilliseconds = 20.0...120.0
    /// Answers that are held back for `repetitionInterval` are due at multiples of this, so that many of them share packets.
    static let gathering = TimeAmount.milliseconds(50)
    static let moreKnownAnswersDelayMilliseconds = 400.0...500.0
    /// The shortest time between two multicasts of a record; the shorter one applies in defence against a probe (RFC 6762 section 6).
    static let repetitionInterval = TimeAmount.seconds(1)
    static let defenceInterval = TimeAmount.milliseconds(250)
    /// The TTL of records in answers to ordinary resolvers (RFC 6762 section 6.7).
    static let legacyTTLSeconds: UInt32 = 10
    /// The largest number of questions of one asker that are combined, and of known answers of a query in several packets.
    static let maximumQuestions = 1024
    static let maximumKnownAnswers = 8192

    private let limits: Limits
    private var links: [UInt32: Link] = [:]
    private var waiting: [Origin: Waiting] = [:]

    init(limits: Limits) { self.limits = limits }

    mutating func addLink(_ index: UInt32) { if self.links[index] == nil { self.links[index] = Link() } }

    mutating func removeLink(_ index: UInt32) {
        self.links[index] = nil
        self.waiting = self.waiting.filter { $0.key.link != index }
    }

    /// Removes the history of records that were changed or withdrawn.
    mutating func forget(_ keys: [AnnouncedRecords.Key]) {
        for index in self.links.keys {
            for key in keys {
                self.links[index]?.pending[key] = nil
                self.links[index]?.lastMulticast[key] = nil
            }
        }
    }

    mutating func noteMulticast(_ keys: [AnnouncedRecords.Key], _ now: NIODeadline) {
        for index in self.links.keys { for key in keys { self.links[index]?.lastMulticast[key] = now } }
    }

    var nextDeadline: NIODeadline? { (self.links.values.flatMap(\.pending.values) + self.waiting.values.map(\.due)).min() }

    mutating func receive(
        _ query: DNSMessage, _ origin: Origin, _ records: AnnouncedRecords, now: NIODeadline, random: (ClosedRange<Double>) -> Double
    ) -> [AnnounceStateMachine.Action] {
        guard self.links[origin.link] != nil else { return [] }
        var questions = Array(query.questions.prefix(Self.maximumQuestions))
        var knownAnswers = query.answers
        if let earlier = self.waiting[origin] {
            questions = (earlier.questions + questions).suffix(Self.maximumQuestions)
            knownAnswers = (earlier.knownAnswers + knownAnswers).suffix(Self.maximumKnownAnswers)
        }
        if query.flags.isTruncated, !origin.isLegacy, self.waiting[origin] != nil || self.waiting.count < self.limits.waitingQueries {
            let delay = TimeAmount.microseconds(Int64(random(Self.moreKnownAnswersDelayMilliseconds) * 1000))
            self.waiting[origin] = Waiting(questions: questions, knownAnswers: knownAnswers, due: now + delay, id: query.id)
            return []
        }
        self.waiting[origin] = nil
        let answer = Waiting(questions: questions, knownAnswers: knownAnswers, due: now, id: query.id)
        return self.answer(answer, origin, isProbe: !query.authorities.isEmpty, records, now, random)
    }

    private mutating func answer(
        _ query: Waiting, _ origin: Origin, isProbe: Bool, _ records: AnnouncedRecords, _ now: NIODeadline,
        _ random: (ClosedRange<Double>) -> Double
    ) -> [AnnounceStateMachine.Action] {
        // The asker's list is indexed once, not searched for each of our records.
        let known = Dictionary(query.knownAnswers.map { (Known($0), $0.ttlSeconds) }, uniquingKeysWith: max)
        let sharedDelay = TimeAmount.microseconds(Int64(random(Self.sharedDelayMilliseconds) * 1000))
        var unicast: [AnnouncedRecords.Key] = []
        for question in query.questions {
            for key in records.answers(to: question) where !Self.isKnown(records.records(key), known) {
                if origin.isLegacy {
                    unicast.append(key)
                } else if question.wantsUnicast {
                    unicast.append(key)
                    if self.isStale(key, origin.link, records, now) { self.plan(key, origin.link, isProbe: isProbe, now, sharedDelay) }
                } else {
                    self.plan(key, origin.link, isProbe: isProbe, now, sharedDelay)
                }
            }
        }
        guard !unicast.isEmpty, origin.isOnLink else { return [] }
        return [.unicast(self.unicastPackets(unicast, query, origin, records), to: origin.source, link: origin.link)]
    }

    private struct Known: Hashable {
        let name: DNSName
        let data: RecordData

        init(_ record: ResourceRecord) { (self.name, self.data) = (record.name, record.data) }
    }

    /// Returns whether the asker has all of the records with at least half of their TTL remaining (RFC 6762 section 7.1).
    private static func isKnown(_ records: [ResourceRecord], _ known: [Known: UInt32]) -> Bool {
        records.allSatisfy { record in known[Known(record)].map { $0 >= record.ttlSeconds / 2 } ?? false }
    }

    /// Returns whether the records were not multicast for a quarter of their TTL, so that other hosts may need them (RFC 6762 section 5.4).
    private func isStale(_ key: AnnouncedRecords.Key, _ link: UInt32, _ records: AnnouncedRecords, _ now: NIODeadline) -> Bool {
        guard let last = self.links[link]?.lastMulticast[key], let ttl = records.records(key).first?.ttlSeconds else { return true }
        return last + .seconds(Int64(ttl / 4)) < now
    }

    private mutating func plan(
        _ key: AnnouncedRecords.Key, _ link: UInt32, isProbe: Bool, _ now: NIODeadline, _ sharedDelay: TimeAmount
    ) {
        var due = key.isShared ? now + sharedDelay : now
        if let last = self.links[link]?.lastMulticast[key] {
            let earliest = last + (isProbe ? Self.defenceInterval : Self.repetitionInterval)
            let step = UInt64(Self.gathering.nanoseconds)
            if earliest > due { due = .uptimeNanoseconds((earliest.uptimeNanoseconds / step + 1) * step) }
        }
        let planned = self.links[link]?.pending[key] ?? due
        self.links[link]?.pending[key] = min(planned, due)
    }

    private func unicastPackets(
        _ keys: [AnnouncedRecords.Key], _ query: Waiting, _ origin: Origin, _ records: AnnouncedRecords
    ) -> [[UInt8]] {
        var packets = GroupedPackets(id: query.id, flags: .response, packetBytes: self.limits.packetBytes)
        var groups = Self.groups(keys, records)
        if origin.isLegacy {
            packets.questions = query.questions.filter { !records.answers(to: $0).isEmpty }
            packets.compressesServiceTargets = false
            groups = groups.map { group in
                RecordGroup(answers: group.answers.map(Self.legacy), additionals: group.additionals.map(Self.legacy))
            }
        }
        return packets.make(groups)
    }

    private static func legacy(_ record: ResourceRecord) -> ResourceRecord {
        var record = record
        record.ttlSeconds = min(record.ttlSeconds, Self.legacyTTLSeconds)
        record.cacheFlush = false
        return record
    }

    private static func groups(_ keys: [AnnouncedRecords.Key], _ records: AnnouncedRecords) -> [RecordGroup] {
        keys.map { key in
            RecordGroup(answers: records.records(key), additionals: records.additionals(for: key).flatMap(records.records))
        }
    }

    /// Sends the answers that are due.
    mutating func advance(
        to now: NIODeadline, _ records: AnnouncedRecords, random: (ClosedRange<Double>) -> Double
    ) -> [AnnounceStateMachine.Action] {
        var actions: [AnnounceStateMachine.Action] = []
        for (origin, query) in self.waiting where query.due <= now {
            self.waiting[origin] = nil
            actions += self.answer(query, origin, isProbe: false, records, now, random)
        }
        for index in self.links.keys.sorted() {
            let due = (self.links[index]?.pending ?? [:]).filter { $0.value <= now }.keys.sorted { $0.order < $1.order }
            guard !due.isEmpty else { continue }
            for key in due {
                self.links[index]?.pending[key] = nil
                self.links[index]?.lastMulticast[key] = now
            }
            let packets = GroupedPackets(flags: .response, packetBytes: self.limits.packetBytes).make(Self.groups(due, records))
            if !packets.isEmpty { actions.append(.multicast(packets, link: index)) }
        }
        return actions
    }
}

extension AnnouncedRecords.Key {
    /// The sort order, for reproducible packets.
    fileprivate var order: (kind: Int, name: DNSName) {
        switch self {
        case .pointer(let name): (0, name)
        case .location(let name): (1, name)
        case .text(let name): (2, name)
        case .addresses(let name, let type): (type == .a ? 3 : 4, name)
        case .absence(let name): (5, name)
        case .type(let name): (6, name)
        }
    }
}
