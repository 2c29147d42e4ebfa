import NIOCore
import Testing

@testable import MulticastDNS

@Suite("Record cache")
final class RecordCacheTests {
    private var cache = RecordCache(limits: Limits())

    @discardableResult
    private func insert(_ record: ResourceRecord, at seconds: Double, jitter: Double = 0, mayShorten: Bool = true) -> RecordCache.Insertion
    {
        self.cache.insert(record, capacity: 4, now: .at(seconds), jitter: jitter, mayShorten: mayShorten)
    }

    private func advance(_ seconds: Double, wanted: Bool = true) -> (expired: [RecordData], refreshes: [RecordCache.Key]) {
        let (expired, refreshes) = self.cache.advance(to: .at(seconds), isWanted: { _ in wanted })
        return (expired.map(\.data), refreshes)
    }

    private var tv: Set<RecordData> { Set(self.cache.entries(name("tv.local"), .a).map(\.data)) }

    @Test("a record is kept for its TTL")
    func expires() {
        let record = address("tv.local", "192.0.2.1", ttl: 120)
        #expect(self.insert(record, at: 0) == .added)
        #expect(self.advance(119.999).expired.isEmpty)
        #expect(self.advance(120).expired == [record.data])
        #expect(self.cache.isEmpty && self.cache.nextEvent == nil)
    }

    @Test("receiving a record again restores its TTL")
    func prolongs() {
        self.insert(address("tv.local", "192.0.2.1"), at: 0)
        #expect(self.insert(address("TV.local", "192.0.2.1"), at: 100) == .refreshed)
        #expect(self.advance(219).expired.isEmpty)
        #expect(self.advance(220).expired.count == 1)
    }

    @Test("a wanted record is refreshed at 80, 85, 90 and 95 % of its TTL plus jitter", arguments: [0.0, 0.02])
    func refreshes(jitter: Double) {
        self.insert(address("tv.local", "192.0.2.1", ttl: 1000), at: 0, jitter: jitter)
        var times: [Double] = []
        while let next = self.cache.nextEvent, times.count < 10 {
            times.append((next.seconds * 1000).rounded() / 1000)
            let (expired, refreshes) = self.advance(next.seconds)
            #expect(refreshes.isEmpty != expired.isEmpty)
        }
        #expect(times == [800, 850, 900, 950].map { $0 + jitter * 1000 } + [1000])
    }

    @Test("an unwanted record is never asked for")
    func unwanted() {
        self.insert(address("tv.local", "192.0.2.1"), at: 0)
        for second in 1..<120 { #expect(self.advance(Double(second), wanted: false).refreshes.isEmpty) }
    }

    @Test("records due soon after come along in one refresh")
    func gathersRefreshes() {
        self.insert(address("a.local", "192.0.2.1", ttl: 100), at: 0)
        self.insert(address("b.local", "192.0.2.2", ttl: 100), at: 1.5)
        self.insert(address("c.local", "192.0.2.3", ttl: 100), at: 4)
        #expect(self.advance(80.001).refreshes.map(\.name) == [name("a.local"), name("b.local")])
    }

    @Test("a goodbye leaves a second to object")
    func goodbye() {
        self.insert(address("tv.local", "192.0.2.1"), at: 0)
        #expect(self.insert(address("tv.local", "192.0.2.1", ttl: 0), at: 10) == .goodbye)
        #expect(self.advance(10.9).expired.isEmpty)
        self.insert(address("tv.local", "192.0.2.1"), at: 10.9)
        #expect(self.advance(11).expired.isEmpty)
        self.insert(address("tv.local", "192.0.2.1", ttl: 0), at: 20)
        self.insert(address("tv.local", "192.0.2.1", ttl: 0), at: 20.9)
        #expect(self.advance(21).expired.count == 1, "a second goodbye must not prolong")
        #expect(self.insert(address("tv.local", "192.0.2.1", ttl: 0), at: 30) == .ignored)
    }

    @Test("the cache-flush bit expires records older than a second, a second later")
    func flush() {
        let (old, young, new) = (address("tv.local", "192.0.2.1"), address("tv.local", "192.0.2.2"), address("tv.local", "192.0.2.3"))
        self.insert(old, at: 0, jitter: 0)
        self.insert(young, at: 9.5)
        #expect(!self.cache.entries(name("tv.local"), .a).contains { $0.isSuperseded && $0.data == young.data })
        self.insert(new, at: 10)
        #expect(Set(self.cache.entries(name("tv.local"), .a).filter(\.isSuperseded).map(\.data)) == [old.data])
        _ = self.advance(10.4)
        #expect(self.tv == [old.data, young.data, new.data])
        // The record of half a second before was not superseded; the old one was removed by the one of 9.5.
        _ = self.advance(11)
        #expect(self.tv == [young.data, new.data])
    }

    @Test("a record without the cache-flush bit ends nothing, nor one of another type or name")
    func noFlush() {
        self.insert(address("tv.local", "192.0.2.1"), at: 0)
        self.insert(address("tv.local", "192.0.2.2", flush: false), at: 10)
        self.insert(address("tv.local", "fd00::1"), at: 10)
        self.insert(address("radio.local", "192.0.2.3"), at: 10)
        _ = self.advance(12)
        #expect(self.tv.count == 2)
    }

    @Test("all records of one announcement survive its own cache-flush bits, whatever their age")
    func flushWithinOnePacket() {
        let both = [address("tv.local", "192.0.2.1"), address("tv.local", "192.0.2.2")]
        for record in both { self.insert(record, at: 0) }
        for record in both { self.insert(record, at: 50) }
        _ = self.advance(52)
        #expect(self.tv.count == 2)
        #expect(!self.cache.entries(name("tv.local"), .a).contains { $0.isSuperseded })
    }

    @Test("an answer to a one-shot query, with its capped TTL, does not shorten a TTL")
    func oneShotKeepsExpiry() {
        self.insert(pointer("tv", ttl: 4500), at: 0)
        #expect(self.insert(pointer("tv", ttl: 10), at: 100, mayShorten: false) == .refreshed)
        #expect(self.advance(111).expired.isEmpty)
        #expect(self.insert(pointer("radio", ttl: 10), at: 111, mayShorten: false) == .added)
        #expect(self.advance(121).expired == [.ptr(instance("radio"))])
        self.insert(pointer("tv", ttl: 10), at: 130)
        #expect(self.advance(140).expired == [.ptr(instance("tv"))], "multicast may shorten")
    }

    @Test("tables are bounded: names, records for a name, TTL")
    func bounds() {
        var limits = Limits()
        (limits.names, limits.maximumTTLSeconds) = (3, 60)
        self.cache = RecordCache(limits: limits)
        for number in 1...6 { self.insert(address("tv.local", "192.0.2.\(number)", ttl: UInt32(Int32.max), flush: false), at: 0) }
        #expect(self.tv.count == 4)
        for number in 1...6 { self.insert(address("host\(number).local", "192.0.2.1"), at: 0) }
        #expect(self.cache.nameCount == 3)
        _ = self.advance(60)
        #expect(self.cache.isEmpty)
    }

    @Test("limited records expire together without questions, unless received again")
    func limitExpiry() {
        self.insert(address("a.local", "192.0.2.1", ttl: 100), at: 0)
        self.insert(address("b.local", "192.0.2.2", ttl: 100), at: 0)
        self.cache.limitExpiry(to: .at(10))
        self.insert(address("b.local", "192.0.2.2", ttl: 100), at: 5)
        let (expired, refreshes) = self.advance(10)
        #expect(expired.count == 1 && refreshes.isEmpty && !self.cache.entries(name("b.local"), .a).isEmpty)
    }

    @Test("known answers have more than half of their TTL remaining and are not about to expire")
    func knownAnswers() {
        self.insert(pointer("tv", ttl: 100), at: 0)
        let isKnown = { (cache: RecordCache, seconds: Double) in
            cache.entries(castType, .ptr).contains { $0.isKnownAnswer(at: .at(seconds)) }
        }
        #expect(isKnown(self.cache, 49.9) && !isKnown(self.cache, 50))
        self.insert(pointer("tv", ttl: 0), at: 10)
        #expect(!isKnown(self.cache, 10))
    }
}
