import NIOCore

/// The records received on one interface, with their expiry (RFC 6762 sections 5.2, 10.1 and 10.2).
struct RecordCache {
    struct Key: Hashable {
        let name: DNSName
        let type: RecordType
    }

    struct Entry {
        let data: RecordData
        fileprivate(set) var ttlSeconds: UInt32
        fileprivate(set) var received: NIODeadline
        fileprivate(set) var expires: NIODeadline
        /// Whether a newer set of records with this name and type has replaced it.
        fileprivate(set) var isSuperseded = false
        fileprivate var refresh: Refresh

        /// Returns whether it belongs in a query's list of known answers (RFC 6762 section 7.1).
        func isKnownAnswer(at now: NIODeadline) -> Bool {
            !self.isSuperseded && (self.expires - now).nanoseconds * 2 > TimeAmount.seconds(Int64(self.ttlSeconds)).nanoseconds
        }
    }

    fileprivate struct Refresh {
        var stage = 0
        let jitter: Double
        var isOff = false

        static let shares = [0.80, 0.85, 0.90, 0.95]
    }

    enum Insertion: Equatable {
        case added
        case refreshed
        /// The record expires in a second unless received again.
        case goodbye
        /// The table is full, or it is a goodbye for an unknown record.
        case ignored
    }

    /// The grace period for replaced or withdrawn records (RFC 6762 sections 10.1 and 10.2).
    static let grace = TimeAmount.seconds(1)

    private let limits: Limits
    private var table: [Key: [RecordData: Entry]] = [:]
    /// A lower bound of the time of the first event; recomputed when it has passed.
    private(set) var nextEvent: NIODeadline?

    init(limits: Limits) { self.limits = limits }

    var isEmpty: Bool { self.table.isEmpty }
    var nameCount: Int { self.table.count }

    func entries(_ name: DNSName, _ type: RecordType) -> some Collection<Entry> {
        (self.table[Key(name: name, type: type)] ?? [:]).values
    }

    func contains(_ name: DNSName, _ type: RecordType, _ data: RecordData) -> Bool {
        self.table[Key(name: name, type: type)]?[data] != nil
    }

    /// - Parameters:
    ///   - capacity: the largest number of records with this name and type.
    ///   - jitter: 0 to 0.02, added to the share of the TTL after which a refresh is due.
    ///   - mayShorten: `false` for answers to one-shot queries, whose TTLs are capped for resolvers without a cache like ours.
    mutating func insert(
        _ record: ResourceRecord, capacity: Int, now: NIODeadline, jitter: Double, mayShorten: Bool = true
    ) -> Insertion {
        let key = Key(name: record.name, type: record.type)
        defer { if record.cacheFlush { self.supersedeOthers(key, record.data, now) } }
        let existing = self.table[key]?[record.data]
        if record.ttlSeconds == 0 {
            guard existing != nil else { return .ignored }
            self.table[key]?[record.data]?.expireSoon(now + Self.grace)
            self.note(now + Self.grace)
            return .goodbye
        }
        let ttl = min(record.ttlSeconds, self.limits.maximumTTLSeconds)
        // Names keep the case in which they were first received.
        var entry = Entry(
            data: existing?.data ?? record.data, ttlSeconds: ttl, received: now, expires: now + .seconds(Int64(ttl)),
            refresh: Refresh(jitter: jitter))
        if let existing {
            if !mayShorten, existing.expires >= entry.expires { entry = existing.received(now) }
        } else {
            guard self.table[key] != nil || self.table.count < self.limits.names else { return .ignored }
            guard (self.table[key]?.count ?? 0) < capacity else { return .ignored }
        }
        self.table[key, default: [:]][record.data] = entry
        self.note(entry.nextEvent)
        return existing == nil ? .added : .refreshed
    }

    /// Replaces records of the same name and type that were received more than a second ago (RFC 6762 section 10.2).
    private mutating func supersedeOthers(_ key: Key, _ kept: RecordData, _ now: NIODeadline) {
        for (data, entry) in self.table[key] ?? [:] where data != kept && entry.received + Self.grace < now && !entry.isSuperseded {
            self.table[key]?[data]?.expireSoon(now + Self.grace)
            self.table[key]?[data]?.isSuperseded = true
            self.note(now + Self.grace)
        }
    }

    /// Limits all expiries to `end`, without refreshing queries; receiving a record again restores its TTL.
    mutating func limitExpiry(to end: NIODeadline) {
        for key in self.table.keys {
            for data in (self.table[key] ?? [:]).keys { self.table[key]?[data]?.expireSoon(end) }
        }
        self.note(end)
    }

    /// Removes expired records, and returns the records that need a refreshing query, at 80, 85, 90 and 95 % of their TTL. Records due
    /// within a further 2 % are included, so that records received together are refreshed in one packet.
    mutating func advance(to now: NIODeadline, isWanted: (Key) -> Bool) -> (expired: [ResourceRecord], refreshes: [Key]) {
        guard let nextEvent, nextEvent <= now else { return ([], []) }
        var expired: [ResourceRecord] = []
        var refreshes: [Key] = []
        var next: NIODeadline?
        for (key, entries) in self.table {
            var kept = entries
            var isRefreshDue = false
            for (data, var entry) in entries {
                guard entry.expires > now else {
                    expired.append(ResourceRecord(name: key.name, data: data, ttlSeconds: 0))
                    kept[data] = nil
                    continue
                }
                if entry.isRefreshDue(now) {
                    entry.passRefreshes(now)
                    kept[data] = entry
                    isRefreshDue = true
                }
                next = min(next ?? entry.nextEvent, entry.nextEvent)
            }
            if kept.isEmpty { self.table[key] = nil } else { self.table[key] = kept }
            if isRefreshDue, isWanted(key) { refreshes.append(key) }
        }
        self.nextEvent = next
        refreshes.sort { ($0.name, $0.type.rawValue) < ($1.name, $1.type.rawValue) }
        return (expired, refreshes)
    }

    private mutating func note(_ event: NIODeadline) { self.nextEvent = min(self.nextEvent ?? event, event) }
}

extension RecordCache.Entry {
    fileprivate mutating func expireSoon(_ end: NIODeadline) {
        self.expires = min(self.expires, end)
        self.refresh.isOff = true
    }

    fileprivate func received(_ now: NIODeadline) -> Self {
        var copy = self
        copy.received = now
        return copy
    }

    /// Returns when stage `stage` of the refreshes is due. Relative to the expiry, which a one-shot answer does not change.
    private func refreshTime(_ stage: Int, share extra: Double = 0) -> NIODeadline {
        let timeToLive = Double(TimeAmount.seconds(Int64(self.ttlSeconds)).nanoseconds)
        return self.expires - .nanoseconds(Int64(timeToLive * (1 - RecordCache.Refresh.shares[stage] - self.refresh.jitter + extra)))
    }

    fileprivate func isRefreshDue(_ now: NIODeadline) -> Bool {
        !self.refresh.isOff && self.refresh.stage < RecordCache.Refresh.shares.count
            && self.refreshTime(self.refresh.stage, share: 0.02) <= now
    }

    fileprivate mutating func passRefreshes(_ now: NIODeadline) {
        while self.isRefreshDue(now) { self.refresh.stage += 1 }
    }

    fileprivate var nextEvent: NIODeadline {
        guard !self.refresh.isOff, self.refresh.stage < RecordCache.Refresh.shares.count else { return self.expires }
        return self.refreshTime(self.refresh.stage)
    }
}
