import NIOCore
import Testing

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

/// An announcer's machine with one link, driven event by event.
class AnnounceFixture {
    var machine = AnnounceStateMachine(limits: Limits())
    let neighbour = ServiceAddress(ipv4: 0xC000_0263).socketAddress(port: 5353)
    let resolver = ServiceAddress(ipv4: 0xC000_0263).socketAddress(port: 40000)

    init() { self.machine.linkReady(2, now: .at(0)) }

    func announced(_ label: String, host: String? = nil, port: UInt16 = 8009, addresses: [String] = ["192.0.2.1"]) throws
        -> AnnouncedService
    {
        try service(label, type: "_googlecast._tcp.local", host: host, port: port, text: ["id": "1"], addresses: addresses)
    }

    func announce(_ service: AnnouncedService, probes: Bool = false, at seconds: Double = 0) throws {
        _ = try self.machine.announce(service, probes: probes, now: .at(seconds), random: lowest)
    }

    /// Every action up to the moment, with its time.
    func actions(to seconds: Double) -> [(at: Double, action: AnnounceStateMachine.Action)] {
        var actions: [(Double, AnnounceStateMachine.Action)] = []
        while let next = self.machine.nextDeadline, next <= .at(seconds) {
            actions += self.machine.advance(to: next, random: lowest).map { (next.seconds, $0) }
        }
        return actions
    }

    /// The multicast messages among them.
    func messages(to seconds: Double) throws -> [(at: Double, message: DNSMessage)] { try Self.messages(self.actions(to: seconds)) }

    static func messages(_ actions: [(at: Double, action: AnnounceStateMachine.Action)]) throws -> [(at: Double, message: DNSMessage)] {
        try actions.flatMap { entry -> [(Double, DNSMessage)] in
            guard case .multicast(let packets, _) = entry.action else { return [] }
            return try packets.map { ((entry.at * 1000).rounded() / 1000, try MessageCodecTests.decode($0).message) }
        }
    }

    func receive(_ message: DNSMessage, from source: SocketAddress? = nil, isOnLink: Bool = true, at seconds: Double)
        -> [AnnounceStateMachine.Action]
    {
        self.machine.receive(message, from: source ?? self.neighbour, isOnLink: isOnLink, on: 2, now: .at(seconds), random: lowest)
    }

    func ask(
        _ questions: [Question], knowing known: [ResourceRecord] = [], truncated: Bool = false, id: UInt16 = 0,
        from source: SocketAddress? = nil,
        at seconds: Double
    ) throws -> [DNSMessage] {
        var query = DNSMessage(id: id, questions: questions, answers: known)
        query.flags.isTruncated = truncated
        return try self.receive(query, from: source, at: seconds).flatMap { action -> [DNSMessage] in
            guard case .unicast(let packets, let target, 2) = action, target == source ?? self.neighbour else { return [] }
            return try packets.map { try MessageCodecTests.decode($0).message }
        }
    }
}

@Suite("Announcing")
final class AnnounceStateMachineTests: AnnounceFixture {
    @Test("without probing a service is ours at once, announced twice a second apart, with everything about it")
    func announcesTwice() throws {
        let (ticket, actions) = try self.machine.announce(self.announced("tv"), probes: false, now: .at(0), random: lowest)
        #expect(actions == [.established(ticket: ticket, try self.announced("tv"))])
        let messages = try self.messages(to: 100)
        #expect(messages.map(\.at) == [0.02, 1.02])
        for (_, message) in messages {
            #expect(message.flags == .response && message.id == 0 && message.questions.isEmpty && message.additionals.isEmpty)
            #expect(message.answers == complete("tv"))
        }
    }

    @Test("probing asks three times, 250 ms apart, with the records claimed, then the service is ours and announced")
    func probes() throws {
        try self.announce(self.announced("tv"), probes: true)
        let actions = self.actions(to: 100)
        let messages = try Self.messages(actions)
        #expect(messages.map(\.at) == [0.02, 0.27, 0.52, 0.77, 1.77])
        for (_, probe) in messages.prefix(3) {
            #expect(!probe.flags.isResponse && probe.answers.isEmpty)
            #expect(probe.questions == [Question(name: instance("tv"), type: .any), Question(name: name("tv.local"), type: .any)])
            #expect(
                probe.authorities.map(\.data) == complete("tv").dropFirst().map(\.data) && !probe.authorities.contains { $0.cacheFlush })
        }
        #expect(messages.suffix(2).allSatisfy { $0.message.answers == complete("tv") })
        #expect(
            actions.contains {
                $0.action == .established(ticket: 1, (try? self.announced("tv")) ?? AnnouncedService.none) && abs($0.at - 0.77) < 0.001
            })
    }

    @Test("a hundred services announced together share packets of at most 1400 bytes, and probes do too", arguments: [false, true])
    func sharesPackets(probes: Bool) throws {
        for number in 1...100 { try self.announce(self.announced("tv\(number)"), probes: probes, at: Double(number) / 10_000) }
        let actions = self.actions(to: 0.3)
        let packets = actions.flatMap { if case .multicast(let packets, _) = $0.action { packets } else { [[UInt8]]() } }
        #expect(packets.allSatisfy { $0.count <= 1400 })
        #expect(packets.count <= (probes ? 2 : 1) * 18)
        let messages = try Self.messages(actions)
        #expect(Set(messages.flatMap { $0.message.answers + $0.message.authorities }.map(\.name)).count >= 200)
    }

    @Test("while probing nothing is answered")
    func silentWhileProbing() throws {
        try self.announce(self.announced("tv"), probes: true)
        #expect(try self.ask([Question(name: castType, type: .ptr)], from: self.resolver, at: 0.1).isEmpty)
        #expect(try self.ask([Question(name: instance("tv"), type: .any)], from: self.resolver, at: 0.1).isEmpty)
    }

    static let rivals: [(ResourceRecord, String, String)] = [
        (location("tv", port: 1), "tv-2", "tv.local"), (text("tv", ["id=2"]), "tv-2", "tv.local"),
        (address("tv.local", "192.0.2.9", flush: false), "tv", "tv-2.local"),
    ]

    @Test("another host that has the name makes us take the next one", arguments: rivals)
    func renames(record: ResourceRecord, label: String, host: String) throws {
        try self.announce(self.announced("tv"), probes: true)
        _ = self.actions(to: 0.3)
        let renamed = try self.announced(label, host: host)
        #expect(self.receive(response([record]), at: 0.3) == [.renamed(from: try self.announced("tv"), to: renamed)])
        let actions = self.actions(to: 5)
        #expect(actions.contains { $0.action == .established(ticket: 1, renamed) })
        #expect(try Self.messages(actions).first?.message.questions.map(\.name) == [instance(label), name(host)])
    }

    @Test("names continue with -3 and so on, and stay within 63 bytes")
    func renamesAgain() throws {
        let long = String(repeating: "ü", count: 31)
        try self.announce(self.announced(long, host: "h.local"), probes: true)
        for attempt in 2...11 {
            let rival = self.machine.records.services.values.first.map { $0.announced.instanceName } ?? ""
            _ = self.receive(response([location(rival, port: 1)]), at: Double(attempt) / 100)
            let label = self.machine.records.services.values.first?.announced.instanceName ?? ""
            #expect(label.hasSuffix("-\(attempt)") && label.utf8.count <= 63)
        }
    }

    @Test("after fifteen conflicts within ten seconds each further attempt waits five")
    func slowsDown() throws {
        try self.announce(self.announced("tv", host: "h.local"), probes: true)
        for attempt in 1...15 {
            let rival = self.machine.records.services.values.first?.announced.instanceName ?? ""
            _ = self.receive(response([location(rival, port: 1)]), at: Double(attempt) / 100)
        }
        #expect(try self.messages(to: 10).first?.at == 5.15)
    }

    @Test("equal records of another host are not a conflict")
    func sameWords() throws {
        try self.announce(self.announced("tv"), probes: true)
        #expect(self.receive(response(complete("tv")), at: 0.1).isEmpty)
        #expect(self.actions(to: 5).contains { abs($0.at - 0.77) < 0.001 })
    }

    static let probesOfOthers: [(ResourceRecord, Bool)] = [
        (location("tv", port: 9000, flush: false), true), (location("tv", port: 1, flush: false), false),
    ]

    @Test("of two simultaneous probes the one with the later records wins; the other waits a second", arguments: probesOfOthers)
    func breaksTies(rival: ResourceRecord, weWait: Bool) throws {
        try self.announce(self.announced("tv"), probes: true)
        _ = self.actions(to: 0.1)
        // Our SRV precedes our TXT in no order but that of types: TXT (16) is compared first, so both sides have the same.
        let claim = DNSMessage(questions: [Question(name: instance("tv"), type: .any)], authorities: [text("tv"), rival])
        #expect(self.receive(claim, at: 0.1).isEmpty)
        #expect(try self.messages(to: 2).first?.at == (weWait ? 1.1 : 0.27))
    }

    @Test("our own probe, received again, is not a rival")
    func ownProbe() throws {
        try self.announce(self.announced("tv"), probes: true)
        let probe = try #require(try self.messages(to: 0.1).first?.message)
        _ = self.receive(probe, at: 0.1)
        #expect(try self.messages(to: 0.3).first?.at == 0.27)
    }

    @Test("a unique claim to an established name makes us probe again; without probing the name is announced again")
    func defends() throws {
        try self.announce(self.announced("tv"), probes: true)
        try self.announce(self.announced("radio"), probes: false)
        _ = self.actions(to: 10)
        #expect(self.receive(response([location("tv", port: 1, flush: false)]), at: 10).isEmpty, "no unique claim")
        #expect(try self.messages(to: 20).isEmpty)
        _ = self.receive(response([location("tv", port: 1)]), at: 20)
        #expect(try self.messages(to: 20.1).first?.message.questions.first?.name == instance("tv"))
        _ = self.actions(to: 29)
        _ = self.receive(response([location("radio", port: 1)]), at: 30)
        #expect(try self.messages(to: 32).map(\.message.answers) == [complete("radio")])
    }

    @Test("an update is announced twice, with the cache-flush bit and the new values only")
    func updates() throws {
        try self.announce(self.announced("tv"))
        _ = self.actions(to: 10)
        #expect(try self.machine.update(self.announced("tv", port: 9, addresses: ["192.0.2.9"]), now: .at(10)).isEmpty)
        let messages = try self.messages(to: 20)
        #expect(messages.map(\.at) == [10.02, 11.02])
        #expect(messages[0].message.answers == [pointer("tv"), location("tv", port: 9), text("tv"), address("tv.local", "192.0.2.9")])
    }

    @Test("an update that removes an address family or a host sends a goodbye for it")
    func updateWithdraws() throws {
        try self.announce(self.announced("tv", addresses: ["192.0.2.1", "fd00::1"]))
        let lost = try self.machine.update(self.announced("tv"), now: .at(10))
        #expect(try AnnounceFixture.messages(lost.map { (10, $0) }).flatMap(\.message.answers) == [address("tv.local", "fd00::1", ttl: 0)])
        let moved = try self.machine.update(self.announced("tv", host: "other.local"), now: .at(20))
        #expect(
            try AnnounceFixture.messages(moved.map { (20, $0) }).flatMap(\.message.answers) == [address("tv.local", "192.0.2.1", ttl: 0)])
    }

    @Test("withdrawing sends a goodbye for everything except a host that others use; without goodbye it sends nothing")
    func withdraws() throws {
        let (leader, group, lamp) = (
            try self.announced("leader"), try self.announced("group", host: "leader.local"), try self.announced("lamp")
        )
        for service in [leader, group, lamp] { try self.announce(service) }
        _ = self.actions(to: 10)
        let withdrawn = try self.machine.withdraw(group, sendGoodbye: true)
        let goodbyes = try AnnounceFixture.messages(withdrawn.map { (0, $0) }).flatMap(\.message.answers)
        #expect(goodbyes.allSatisfy { $0.ttlSeconds == 0 } && goodbyes.map(\.type) == [.ptr, .srv, .txt])
        #expect(try self.machine.withdraw(lamp, sendGoodbye: false).isEmpty)
        let rest = self.machine.withdrawAll()
        #expect(try AnnounceFixture.messages(rest.map { (0, $0) }).flatMap(\.message.answers).map(\.type) == [.ptr, .srv, .txt, .a])
        #expect(self.machine.nextDeadline == nil)
        #expect { try self.machine.withdraw(lamp, sendGoodbye: true) } throws: { ($0 as? MulticastDNSError)?.code == .notAnnounced }
    }

    @Test("everything is announced again on a link that becomes ready")
    func linkReady() throws {
        try self.announce(self.announced("tv"))
        _ = self.actions(to: 10)
        self.machine.linkReady(3, now: .at(10))
        #expect(try self.messages(to: 20).map(\.message.answers) == [complete("tv"), complete("tv")])
    }

    @Test("unusable services, second ones of a name and too many are refused with a code")
    func refuses() throws {
        let code = { (service: AnnouncedService) -> MulticastDNSError.Code? in
            do {
                try self.announce(service)
                return nil
            } catch { return (error as? MulticastDNSError)?.code }
        }
        var tv = try self.announced("tv")
        #expect(code(tv) == nil && code(tv) == .alreadyAnnounced)
        tv.instanceName = String(repeating: "x", count: 64)
        #expect(code(tv) == .invalidName)
        tv.instanceName = ""
        #expect(code(tv) == .invalidName)
        #expect(code(try self.announced("a", port: 0)) == .invalidService)
        #expect(code(try self.announced("b", addresses: [])) == .invalidService)
        var limits = Limits()
        limits.services = 1
        self.machine = AnnounceStateMachine(limits: limits)
        #expect(code(try self.announced("c")) == nil)
        #expect(code(try self.announced("d")) == .limitReached)
        #expect { try self.machine.update(self.announced("zzz"), now: .at(0)) } throws: {
            ($0 as? MulticastDNSError)?.code == .notAnnounced
        }
    }
}

extension AnnouncedService {
    static var none: AnnouncedService {
        AnnouncedService(instanceName: "", serviceType: "", hostName: "", port: 0, text: TXTRecord(wire: []), addresses: [])
    }
}
