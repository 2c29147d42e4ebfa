import NIOCore
import Testing

@testable import MulticastDNS
@testable import MulticastDNSAnnouncing

@Suite("Answering")
final class ResponderTests: AnnounceFixture {
    private let browse = Question(name: castType, type: .ptr)

    private func settle(_ labels: [String] = ["tv"], addresses: [String] = ["192.0.2.1"]) throws {
        for label in labels { try self.announce(self.announced(label, addresses: addresses)) }
        _ = self.actions(to: 10)
    }

    @Test("a browse question is answered after 20 to 120 ms with all pointers, and with what completes them besides")
    func answersBrowsing() throws {
        try self.settle(["tv", "radio"])
        #expect(try self.ask([self.browse], at: 10).isEmpty)
        let messages = try self.messages(to: 20)
        #expect(messages.map(\.at) == [10.02])
        #expect(messages[0].message.answers == [pointer("tv"), pointer("radio")])
        #expect(messages[0].message.additionals.count == 6 && messages[0].message.questions.isEmpty)
    }

    static let questions: [(Question, [RecordType])] = [
        (Question(name: instance("TV"), type: .srv), [.srv]), (Question(name: instance("tv"), type: .txt), [.txt]),
        (Question(name: instance("tv"), type: .any), [.srv, .txt]), (Question(name: name("tv.local"), type: .a), [.a]),
        (Question(name: name("tv.local"), type: .any), [.a]), (Question(name: name("tv.local"), type: .aaaa), [.nsec]),
        (Question(name: instance("tv"), type: .a), [.nsec]), (Question(name: castType, type: .srv), []),
        (Question(name: name("other.local"), type: .a), []), (Question(name: instance("other"), type: .any), []),
        (Question(name: name("_services._dns-sd._udp.local"), type: .ptr), [.ptr]),
        (Question(name: name("_airplay._tcp.local"), type: .ptr), []),
    ]

    @Test("each question gets its records, or the statement that there are none; unique ones at once", arguments: questions)
    func answers(question: Question, types: [RecordType]) throws {
        try self.settle()
        _ = try self.ask([question], at: 10)
        let messages = try self.messages(to: 20)
        #expect(messages.flatMap(\.message.answers).map(\.type) == types)
        if !types.isEmpty, types != [.ptr] { #expect(messages.map(\.at) == [10]) }
    }

    @Test("the NSEC record names the existing types")
    func namesTypes() throws {
        try self.settle(addresses: ["192.0.2.1", "fd00::1"])
        _ = try self.ask([Question(name: name("tv.local"), type: .txt), Question(name: instance("tv"), type: .ptr)], at: 10)
        #expect(
            Set(try self.messages(to: 11).flatMap(\.message.answers).map(\.data)) == [
                .nsec(next: name("tv.local"), types: [.a, .aaaa]), .nsec(next: instance("tv"), types: [.txt, .srv]),
            ])
    }

    static let knowledge: [([ResourceRecord], Bool)] = [
        ([pointer("tv", ttl: 2250)], false), ([pointer("TV", ttl: 4500)], false), ([pointer("tv", ttl: 2249)], true),
        ([pointer("radio")], true), ([], true),
    ]

    @Test("records that the asker knows with half of their TTL remaining are not repeated", arguments: knowledge)
    func suppresses(known: [ResourceRecord], isAnswered: Bool) throws {
        try self.settle()
        _ = try self.ask([self.browse], knowing: known, at: 10)
        #expect(try self.messages(to: 20).isEmpty != isAnswered)
    }

    @Test("of several addresses all must be known")
    func suppressesWholeSets() throws {
        try self.settle(addresses: ["192.0.2.1", "192.0.2.2"])
        let question = [Question(name: name("tv.local"), type: .a)]
        _ = try self.ask(question, knowing: [address("tv.local", "192.0.2.1")], at: 10)
        #expect(try self.messages(to: 12).first?.message.answers.count == 2)
        _ = try self.ask(question, knowing: [address("tv.local", "192.0.2.1"), address("tv.local", "192.0.2.2")], at: 20)
        #expect(try self.messages(to: 30).isEmpty)
    }

    @Test("a query with more known answers to come waits for them")
    func waitsForKnownAnswers() throws {
        try self.settle(["tv", "radio"])
        _ = try self.ask([self.browse], knowing: [pointer("tv")], truncated: true, at: 10)
        #expect(try self.messages(to: 10.3).isEmpty)
        _ = try self.ask([], knowing: [pointer("radio")], at: 10.3)
        #expect(try self.messages(to: 20).isEmpty, "all are known")
        _ = try self.ask([self.browse], knowing: [pointer("tv")], truncated: true, at: 20)
        let alone = try self.messages(to: 30)
        #expect(alone.map(\.at) == [20.42] && alone.first?.message.answers == [pointer("radio")], "the rest never arrived")
    }

    @Test("queries that wait are bounded; those beyond are answered at once")
    func boundsWaiting() throws {
        var limits = Limits()
        limits.waitingQueries = 1
        self.machine = AnnounceStateMachine(limits: limits)
        self.machine.linkReady(2, now: .at(0))
        try self.settle()
        let other = ServiceAddress(ipv4: 0xC000_0264).socketAddress(port: 5353)
        _ = try self.ask([self.browse], knowing: [pointer("tv")], truncated: true, at: 10)
        _ = try self.ask([self.browse], truncated: true, from: other, at: 10)
        #expect(try self.messages(to: 10.1).map(\.at) == [10.02])
    }

    @Test("a record is multicast once a second at most; a question in between is answered then")
    func limitsRate() throws {
        try self.settle()
        for moment in [10, 10.05, 10.3, 10.5] {
            _ = try self.ask([Question(name: instance("tv"), type: .srv)], at: moment)
            _ = self.actions(to: moment).isEmpty
        }
        let late = try self.messages(to: 20)
        #expect(late.count == 1 && late.map { $0.at >= 11 && $0.at <= 11.06 } == [true])
    }

    @Test("a probe for our name is answered within a quarter of a second, even so")
    func answersProbes() throws {
        try self.settle()
        let srv = Question(name: instance("tv"), type: .any)
        _ = try self.ask([srv], at: 10)
        _ = self.actions(to: 10)
        let probe = DNSMessage(questions: [srv], authorities: [location("tv", port: 1, flush: false)])
        #expect(self.receive(probe, at: 10.1).isEmpty)
        let answer = try self.messages(to: 20)
        #expect(answer.map { $0.at >= 10.25 && $0.at <= 10.31 } == [true])
        #expect(answer.first?.message.answers.contains(location("tv")) == true)
    }

    @Test("a question with the QU bit is answered by unicast at once, and by multicast if that was long ago")
    func answersUnicast() throws {
        try self.settle()
        let question = Question(name: castType, type: .ptr, wantsUnicast: true)
        let unicast = try self.ask([question], id: 9, at: 10)
        #expect(unicast.map(\.answers) == [[pointer("tv")]] && unicast.first?.id == 9 && unicast.first?.additionals.count == 3)
        #expect(unicast.first?.questions.isEmpty == true && unicast.first?.additionals.contains(location("tv")) == true)
        #expect(try self.messages(to: 100).isEmpty)
        #expect(try self.ask([question], at: 1500).count == 1)
        #expect(try self.messages(to: 1600).count == 1)
    }

    @Test("an ordinary resolver gets its question back, its id, short TTLs and no cache-flush bits")
    func answersResolvers() throws {
        try self.settle()
        let question = Question(name: castType, type: .ptr, wantsUnicast: true)
        let answer = try #require(try self.ask([question], id: 77, from: self.resolver, at: 10).first)
        #expect(answer.id == 77 && answer.questions == [question] && answer.answers.map(\.data) == [.ptr(instance("tv"))])
        #expect((answer.answers + answer.additionals).allSatisfy { $0.ttlSeconds == 10 && !$0.cacheFlush })
        #expect(try self.messages(to: 100).isEmpty)
    }

    @Test("a hundred services answer one resolver in packets of at most 1400 bytes, complete")
    func answersMany() throws {
        try self.settle((1...100).map { "tv\($0)" })
        let answers = try self.ask([self.browse], from: self.resolver, at: 10)
        #expect(answers.flatMap(\.answers).count == 100 && answers.flatMap(\.additionals).count == 300)
        #expect(answers.allSatisfy { $0.questions == [self.browse] })
    }

    @Test("no asker off the link is answered by unicast")
    func ignoresOffLink() throws {
        try self.settle()
        let query = DNSMessage(questions: [Question(name: castType, type: .ptr, wantsUnicast: true)])
        #expect(self.receive(query, from: self.resolver, isOnLink: false, at: 10).isEmpty)
    }

    @Test("withdrawn records are not answered, not even when the answer was scheduled")
    func forgetsWithdrawn() throws {
        try self.settle()
        _ = try self.ask([self.browse], at: 10)
        _ = try self.machine.withdraw(self.announced("tv"), sendGoodbye: false)
        #expect(try self.messages(to: 20).isEmpty)
        #expect(try self.ask([self.browse], from: self.resolver, at: 20).isEmpty)
    }

    @Test("packets we sent are known again for two seconds, and the memory is bounded")
    func remembersSent() {
        var sent = SentPackets()
        sent.insert([1, 2, 3], now: .at(0))
        #expect(sent.contains([1, 2, 3], now: .at(1.9)) && !sent.contains([1, 2, 3], now: .at(2.1)) && !sent.contains([3], now: .at(0)))
        for number in 0..<10_000 { sent.insert([UInt8(number & 0xFF), UInt8(number >> 8)], now: .at(0)) }
        #expect(sent.count <= SentPackets.maximumCount)
    }
}
