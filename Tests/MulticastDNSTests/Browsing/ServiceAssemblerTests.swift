import NIOCore
import Testing

@testable import MulticastDNS

@Suite("Service assembler")
final class ServiceAssemblerTests {
    private var assembler = ServiceAssembler(serviceType: castType, limits: Limits())
    private let eth0 = InterfaceScope(index: 2, name: "eth0")
    private let wlan0 = InterfaceScope(index: 3, name: "wlan0")

    init() {
        self.assembler.addLink(self.eth0)
        self.assembler.addLink(self.wlan0)
    }

    private func scope(_ link: Int) -> InterfaceScope { link == 2 ? self.eth0 : self.wlan0 }

    /// The reported events, as words: `found tv`, `updated tv` …
    private func words(_ changes: [ServiceChange]) -> [String] {
        changes.map { change in
            switch change {
            case .found(let service): "found \(service.instanceName)"
            case .updated(let service): "updated \(service.instanceName)"
            case .sighted(let service): "sighted \(service.instanceName)"
            case .removed(let service): "removed \(service.instanceName)"
            case .networkChanged: "network changed"
            }
        }
    }

    @discardableResult
    private func deliver(_ records: [ResourceRecord], at seconds: Double = 0, on link: Int = 2, isOneShot: Bool = false) -> [String] {
        self.words(self.assembler.receive(response(records), on: self.scope(link), isOneShot: isOneShot, now: .at(seconds), random: lowest))
    }

    private func services(_ records: [ResourceRecord], at seconds: Double = 0, on link: Int = 2) -> [DiscoveredService] {
        self.assembler.receive(response(records), on: self.scope(link), now: .at(seconds), random: lowest).compactMap { change in
            switch change {
            case .found(let service), .updated(let service): service
            case .sighted, .removed, .networkChanged: nil
            }
        }
    }

    /// Lets time pass event by event, so that nothing due is skipped.
    private func pass(to seconds: Double) -> [String] {
        var words: [String] = []
        while let next = self.assembler.nextDeadline, next <= .at(seconds) {
            words += self.words(self.assembler.advance(to: next).changes)
            _ = self.assembler.dueChases(now: next)
        }
        return words + self.words(self.assembler.advance(to: .at(seconds)).changes)
    }

    private func chases(at seconds: Double) -> [String] {
        let asked = self.assembler.dueChases(now: .at(seconds))
        return asked.keys.sorted().flatMap { link in (asked[link] ?? []).map { "\(link.index) \($0.name) \($0.type.rawValue)" } }
    }

    // MARK: Finding

    @Test("a complete packet is a service with its values")
    func findsAtOnce() {
        let found = self.services([
            pointer("Living room. TV"), location("Living room. TV", host: "0f7c.local", port: 8010),
            text("Living room. TV", ["id=7", "fn=TV"]),
            address("0f7c.local", "192.0.2.7"), address("0f7c.local", "fe80::7"),
        ])
        #expect(found.count == 1)
        #expect(found.first?.instanceName == "Living room. TV" && found.first?.hostName == "0f7c.local" && found.first?.port == 8010)
        #expect(found.first?.text.string("id") == "7")
        #expect(found.first?.addresses.map(\.description) == ["192.0.2.7", "fe80::7%eth0"])
        #expect(self.assembler.serviceCount == 1)
    }

    static let orders: [[Int]] = (0..<24).map { number in
        var (rest, number, order) = ([0, 1, 2, 3], number, [Int]())
        for count in (1...4).reversed() {
            order.append(rest.remove(at: number % count))
            number /= count
        }
        return order
    }

    @Test("records in any order, one to a packet, are found once, with the last of them", arguments: orders)
    func findsInAnyOrder(order: [Int]) {
        let records = complete("tv")
        let words = order.map { self.deliver([records[$0]]) }
        #expect(words == [[], [], [], ["found tv"]])
    }

    @Test("records in any order within one packet are found", arguments: orders)
    func findsInOnePacket(order: [Int]) { #expect(self.deliver(order.map { complete("tv")[$0] }) == ["found tv"]) }

    static let lacks: [([Int], [String])] = [
        ([0], ["2 tv._googlecast._tcp.local 16", "2 tv._googlecast._tcp.local 33"]),
        ([0, 1], ["2 tv._googlecast._tcp.local 16", "2 tv.local 1", "2 tv.local 28"]),
        ([0, 2], ["2 tv._googlecast._tcp.local 33"]),
        ([0, 1, 2], ["2 tv.local 1", "2 tv.local 28"]),
        ([0, 1, 3], ["2 tv._googlecast._tcp.local 16"]),
        ([0, 2, 3], ["2 tv._googlecast._tcp.local 33"]),
        ([1, 2, 3], []),
    ]

    @Test("missing records are requested a moment later, then after 1, 2, 4 seconds", arguments: lacks)
    func chases(received: [Int], asked: [String]) {
        self.deliver(received.map { complete("tv")[$0] })
        #expect(self.chases(at: 0.019) == [])
        for moment in [0.02, 1.02, 3.02, 7.02] {
            #expect(self.chases(at: moment - 0.001) == [])
            #expect(Set(self.chases(at: moment)) == Set(asked))
        }
        let words = self.deliver(complete("tv"), at: 8)
        #expect(words == ["found tv"])
        #expect(self.chases(at: 100) == [])
    }

    @Test("missing records are requested only on links that are up and on which the service was received")
    func chasesWhereReceived() {
        self.deliver([pointer("tv")], on: 3)
        #expect(self.chases(at: 0.02).allSatisfy { $0.hasPrefix("3 ") })
        self.deliver([pointer("tv")], on: 2)
        self.assembler.removeLink(self.wlan0, now: .at(0.5))
        let asked = self.chases(at: 1.02)
        #expect(!asked.isEmpty && asked.allSatisfy { $0.hasPrefix("2 ") })
    }

    @Test("an IPv6 address is enough; an IPv4 address is asked for three times at most")
    func asksForIPv4() {
        var records = complete("tv")
        records[3] = address("tv.local", "fd00::1")
        #expect(self.deliver(records) == ["found tv"])
        var asked: [[String]] = []
        for second in 0..<50 {
            self.deliver([pointer("tv")], at: Double(second))
            let now = self.chases(at: Double(second) + 0.5)
            if !now.isEmpty { asked.append(now) }
        }
        #expect(asked == [["2 tv.local 1"], ["2 tv.local 1"], ["2 tv.local 1"]])
    }

    @Test(
        "pointers to anything but an instance are ignored",
        arguments: [
            "_abc._sub._googlecast._tcp.local", "tv._googlezone._tcp.local", "_googlecast._tcp.local", "tv.local",
            "_CC1AD845\\._sub._googlecast._tcp.local",
        ])
    func ignoresOthers(target: String) {
        self.deliver([ResourceRecord(name: castType, data: .ptr(name(target)), ttlSeconds: 120)])
        #expect(self.assembler.nextDeadline == nil)
    }

    @Test("a pointer of another type is ignored")
    func ignoresOtherTypes() {
        self.deliver([ResourceRecord(name: name("_airplay._tcp.local"), data: .ptr(instance("tv")), ttlSeconds: 120)])
        #expect(self.assembler.nextDeadline == nil)
    }

    @Test("queries, and responses with an error code, change nothing")
    func ignoresUnusable() {
        var query = response(complete("tv"))
        query.flags.isResponse = false
        var failure = response(complete("tv"))
        failure.flags.responseCode = 3
        for message in [query, failure] {
            #expect(self.assembler.receive(message, on: self.eth0, now: .at(0), random: lowest).isEmpty)
        }
        #expect(
            self.assembler.receive(response(complete("tv")), on: InterfaceScope(index: 9, name: "usb0"), now: .at(0), random: lowest)
                .isEmpty, "an unknown link")
    }

    // MARK: Changing

    @Test("hearing it again is a sighting, once for a packet, whichever record it is")
    func sights() {
        self.deliver(complete("tv"))
        #expect(self.deliver(complete("tv"), at: 5) == ["sighted tv"])
        for record in complete("tv") { #expect(self.deliver([record], at: 6) == ["sighted tv"]) }
        #expect(self.deliver(complete("TV"), at: 7) == ["sighted tv"], "names do not care for case")
        #expect(self.deliver([address("other.local", "192.0.2.9")], at: 8) == [])
    }

    @Test("new text, port and address are updates with the new value")
    func updates() {
        self.deliver(complete("tv"))
        #expect(self.services([text("tv", ["id=1", "st=1"])], at: 5).first?.text.string("st") == "1")
        #expect(self.services([location("tv", port: 9)], at: 6).first?.port == 9)
        #expect(self.services([address("tv.local", "192.0.2.9")], at: 7).first?.addresses.map(\.description) == ["192.0.2.9", "192.0.2.1"])
        #expect(self.pass(to: 8.1) == ["updated tv"], "the old address goes")
        #expect(self.services([address("tv.local", "fd00::1")], at: 9).first?.addresses.map(\.description) == ["192.0.2.9", "fd00::1"])
    }

    @Test(
        "addresses that no other machine can have count on loopback only",
        arguments: [
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "224.0.0.251", "239.1.2.3", "255.255.255.255", "240.0.0.1", "::1", "::",
            "ff02::fb", "::ffff:127.0.0.1", "::ffff:0.0.0.0", "::ffff:224.0.0.1", "::127.0.0.1",
        ])
    func addressesOfNobody(text: String) {
        let records = complete("tv").filter { $0.type != .a } + [address("tv.local", text)]
        #expect(self.services(records) == [])
        #expect(self.services([address("tv.local", "192.0.2.7")]).first?.addresses.map(\.description) == ["192.0.2.7"])
        let loopback = InterfaceScope(index: 1, name: "lo")
        self.assembler.addLink(loopback)
        let there = self.assembler.receive(response(records), on: loopback, now: .at(1), random: lowest)
        #expect(self.words(there) == ["updated tv"], "the simulator announces there")
    }

    @Test("services of one host share its addresses")
    func sharesHost() {
        let host = "leader.local"
        self.deliver([
            pointer("tv"), location("tv", host: host), text("tv"), pointer("group"), location("group", host: host, port: 32111),
            text("group"),
            address(host, "192.0.2.1"),
        ])
        #expect(self.deliver([address(host, "192.0.2.1")], at: 1) == ["sighted tv", "sighted group"])
        #expect(self.deliver([address(host, "192.0.2.2")], at: 5) == ["updated tv", "updated group"])
    }

    @Test("a group that moves to a host not known yet stays reported until its address comes")
    func movesHost() {
        self.deliver(complete("group"))
        #expect(self.deliver([location("group", host: "new.local")], at: 5) == ["sighted group"])
        #expect(Set(self.chases(at: 5.02)) == ["2 new.local 1", "2 new.local 28"])
        #expect(self.pass(to: 5.9) == [])
        let moved = self.services([address("new.local", "192.0.2.8")], at: 6)
        #expect(moved.first?.addresses.map(\.description) == ["192.0.2.8"] && moved.first?.hostName == "new.local")
    }

    @Test("a group whose new host never announces its address is removed, and found when it does")
    func losesHost() {
        self.deliver(complete("group"))
        self.deliver([location("group", host: "new.local")], at: 5)
        #expect(self.pass(to: 9.9) == [])
        #expect(self.pass(to: 10) == ["removed group"])
        #expect(self.deliver([address("new.local", "192.0.2.8")], at: 11) == ["found group"])
    }

    // MARK: Going

    @Test("a goodbye removes a second later")
    func goodbye() {
        self.deliver(complete("tv"))
        #expect(self.deliver([pointer("tv", ttl: 0)], at: 5) == [])
        #expect(self.pass(to: 5.99) == [])
        #expect(self.pass(to: 6) == ["removed tv"])
        #expect(self.deliver([pointer("tv")], at: 7) == ["found tv"], "its other records are still known")
    }

    @Test("a goodbye that is followed by the record within a second is not a change")
    func goodbyeRevoked() {
        self.deliver(complete("tv"))
        let goodbye = complete("tv").map { record in
            var record = record
            record.ttlSeconds = 0
            return record
        }
        #expect(self.deliver(goodbye, at: 5) == [])
        #expect(self.deliver(complete("tv"), at: 5.9) == ["sighted tv"])
        #expect(self.pass(to: 20) == [])
    }

    @Test("a service that is not received again expires with its pointer")
    func expires() {
        self.deliver([pointer("tv", ttl: 60), location("tv", ttl: 120), text("tv"), address("tv.local", "192.0.2.1")])
        #expect(self.pass(to: 59.9) == [])
        #expect(self.pass(to: 60) == ["removed tv"])
        #expect(self.pass(to: 5000) == [] && self.assembler.nextDeadline == nil)
    }

    @Test("a location that is not refreshed is asked for, then the service is given up")
    func locationExpires() {
        self.deliver(complete("tv"))
        #expect(self.pass(to: 120) == [])
        #expect(self.pass(to: 124.9) == [])
        #expect(self.pass(to: 125) == ["removed tv"])
        #expect(self.deliver([location("tv"), address("tv.local", "192.0.2.1")], at: 130) == ["found tv"])
    }

    @Test("records of services are refreshed before they go, others are not")
    func refreshes() {
        self.deliver(complete("tv") + [address("printer.local", "192.0.2.77")])
        let (changes, refreshes) = self.assembler.advance(to: .at(96.1))
        #expect(changes.isEmpty)
        #expect(refreshes.keys.sorted() == [self.eth0])
        #expect(
            Set(refreshes[self.eth0] ?? []) == [Question(name: instance("tv"), type: .srv), Question(name: name("tv.local"), type: .a)])
    }

    // MARK: Several interfaces

    @Test("a service received on several interfaces is one service with all addresses")
    func mergesInterfaces() {
        let records = complete("tv") + [address("tv.local", "fe80::7")]
        #expect(self.deliver(records, on: 2) == ["found tv"])
        let merged = self.services(
            Array(records.dropLast(2)) + [address("tv.local", "198.51.100.1"), address("tv.local", "fe80::7")], at: 1, on: 3)
        #expect(merged.first?.addresses.map(\.description) == ["192.0.2.1", "198.51.100.1", "fe80::7%eth0", "fe80::7%wlan0"])
    }

    @Test("a goodbye on one interface does not apply to the other")
    func goodbyeOnOneInterface() {
        self.deliver(complete("tv"), on: 2)
        self.deliver(complete("tv"), on: 3)
        self.deliver([pointer("tv", ttl: 0)], at: 5, on: 3)
        #expect(self.pass(to: 10) == [])
    }

    @Test("the records of a removed interface expire after ten seconds, without questions")
    func linkGoes() {
        self.deliver(complete("tv"), on: 3)
        self.assembler.removeLink(self.wlan0, now: .at(5))
        #expect(self.pass(to: 14.9) == [])
        #expect(self.pass(to: 15) == ["removed tv"])
    }

    @Test("an interface that returns in time keeps its services if they are received again")
    func linkReturns() {
        self.deliver(complete("tv"), on: 3)
        self.assembler.removeLink(self.wlan0, now: .at(5))
        self.assembler.addLink(self.wlan0)
        #expect(self.deliver(complete("tv"), at: 8, on: 3) == ["sighted tv"])
        #expect(self.pass(to: 100) == [])
    }

    @Test("another interface with the number of one that went knows nothing of it, and keeps nothing of it alive")
    func linkReplaced() {
        self.deliver(complete("tv"), on: 3)
        self.assembler.removeLink(self.wlan0, now: .at(1))
        self.assembler.addLink(InterfaceScope(index: 3, name: "usb0"))
        #expect(self.pass(to: 11) == ["removed tv"])
    }

    // MARK: Bounds

    @Test("services are bounded; those that fit are served")
    func boundsServices() {
        var limits = Limits()
        limits.services = 10
        self.assembler = ServiceAssembler(serviceType: castType, limits: limits)
        self.assembler.addLink(self.eth0)
        for number in 0..<100 { self.deliver(complete("tv\(number)")) }
        #expect(self.assembler.serviceCount == 10)
        #expect(self.deliver(complete("tv3"), at: 1) == ["sighted tv3"])
        self.deliver([pointer("tv3", ttl: 0)], at: 2)
        _ = self.pass(to: 4)
        #expect(self.deliver(complete("tv99"), at: 5) == ["found tv99"])
    }

    @Test("addresses of strangers leave half of the table to services")
    func boundsStrangers() {
        var limits = Limits()
        limits.names = 100
        self.assembler = ServiceAssembler(serviceType: castType, limits: limits)
        self.assembler.addLink(self.eth0)
        for number in 0..<1000 { self.deliver([address("host\(number).local", "192.0.2.1")]) }
        for number in 0..<10 { #expect(self.deliver(complete("tv\(number)")) == ["found tv\(number)"]) }
    }

    @Test("an answer to a one-shot query is accepted without shortening TTLs, and refreshed like any other")
    func oneShot() {
        let capped = complete("tv").map { record in
            var record = record
            (record.ttlSeconds, record.cacheFlush) = (10, false)
            return record
        }
        #expect(self.deliver(capped, isOneShot: true) == ["found tv"])
        #expect(!self.assembler.advance(to: .at(8.1)).refreshes.isEmpty)
        self.deliver(complete("tv"), at: 8.2)
        #expect(self.deliver(capped, at: 9, isOneShot: true) == ["sighted tv"])
        #expect(self.pass(to: 30) == [])
    }
}
