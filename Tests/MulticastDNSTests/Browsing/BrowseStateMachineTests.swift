import NIOCore
import Testing

@testable import MulticastDNS

@Suite("Browse state machine")
final class BrowseStateMachineTests {
    private var machine = BrowseStateMachine(serviceType: castType, limits: Limits())
    private let eth0 = InterfaceScope(index: 2, name: "eth0")

    private func ready(at seconds: Double = 0, chance: Double = 0) {
        self.machine.linkReady(self.eth0, hasMoved: false, now: .at(seconds)) { $0.lowerBound + ($0.upperBound - $0.lowerBound) * chance }
    }

    /// Runs every event up to the moment; the queries with their time.
    private func queries(to seconds: Double) -> [(at: Double, query: BrowseStateMachine.Query)] {
        var queries: [(Double, BrowseStateMachine.Query)] = []
        while let next = self.machine.nextDeadline, next <= .at(seconds) {
            queries += self.machine.advance(to: next).queries.map { (next.seconds, $0) }
        }
        return queries
    }

    private func deliver(_ records: [ResourceRecord], at seconds: Double) {
        _ = self.machine.receive(response(records), on: self.eth0, isOneShot: false, now: .at(seconds), random: lowest)
    }

    @Test(
        "the first query waits 20 to 120 ms, as chance has it, and is a one-shot query too",
        arguments: [(0.0, 0.02), (0.5, 0.07), (1.0, 0.12)])
    func firstQuery(chance: Double, delay: Double) {
        self.ready(chance: chance)
        let first = self.queries(to: 0.5).first
        #expect(first.map { abs($0.at - delay) < 0.0001 } == true)
        #expect(
            first?.query == .init(link: self.eth0, questions: [Question(name: castType, type: .ptr)], knownAnswers: [], isOneShotToo: true))
    }

    @Test("queries are repeated after 1, 2, 4 … seconds, at most an hour apart, and none is a one-shot query again")
    func backsOff() {
        self.ready()
        let queries = self.queries(to: 15_000)
        let gaps = zip(queries, queries.dropFirst()).map { ($1.at - $0.at).rounded() }
        #expect(gaps == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600])
        #expect(queries.map(\.query.isOneShotToo) == [true] + [Bool](repeating: false, count: queries.count - 1))
    }

    @Test("pointers with more than half of their TTL remaining are listed, with the remaining TTL")
    func listsKnownAnswers() {
        self.ready()
        _ = self.queries(to: 0.5)
        self.deliver(complete("tv") + complete("radio") + [pointer("old", ttl: 3)], at: 0.5)
        let second = self.queries(to: 1.1).last?.query
        #expect(Set(second?.knownAnswers.map(\.data) ?? []) == Set(["tv", "old", "radio"].map { .ptr(instance($0)) }))
        #expect(second?.knownAnswers.first { $0.data == .ptr(instance("tv")) }?.ttlSeconds == 4499)
        let third = self.queries(to: 3.1).last?.query
        #expect(Set(third?.knownAnswers.map(\.data) ?? []) == [.ptr(instance("tv")), .ptr(instance("radio"))])
    }

    @Test("refreshes of records received together are one query with every question once")
    func refreshesTogether() {
        self.ready()
        self.deliver(complete("tv") + complete("radio"), at: 0.5)
        let refresh = self.queries(to: 97).map(\.query).filter { !$0.questions.contains(Question(name: castType, type: .ptr)) }
        #expect(refresh.count == 1)
        #expect(refresh.first.map { Set($0.questions).count == 4 && $0.questions.count == 4 } == true)
    }

    @Test("a pointer near its end is asked for by the browse question, without it among the known answers")
    func refreshesPointer() {
        self.ready()
        _ = self.queries(to: 1)
        self.deliver(
            complete("tv").map { record in
                var record = record
                record.ttlSeconds = 20
                return record
            }, at: 1.1)
        let refresh = self.queries(to: 18).last
        #expect(refresh.map { $0.at > 17 && $0.at < 17.6 } == true)
        #expect(refresh?.query.questions.last == Question(name: castType, type: .ptr) && refresh?.query.knownAnswers == [])
    }

    @Test("a removed link is not queried; one that is ready again is queried at once from the start")
    func linkGoesAndReturns() {
        self.ready()
        _ = self.queries(to: 100)
        self.machine.linkRemoved(self.eth0, now: .at(100))
        #expect(self.queries(to: 200).isEmpty)
        self.ready(at: 200)
        let queries = self.queries(to: 204)
        #expect(queries.map { ($0.at * 100).rounded() / 100 } == [200.02, 201.02, 203.02])
        #expect(queries.first?.query.isOneShotToo == true)
    }

    @Test("a link in another network loses its records unless they are received again")
    func linkMoves() {
        self.ready()
        self.deliver(complete("tv"), at: 1)
        self.deliver(complete("radio"), at: 1)
        self.machine.linkReady(self.eth0, hasMoved: true, now: .at(5), random: lowest)
        self.deliver(complete("radio"), at: 6)
        var removed: [ServiceChange] = []
        while let next = self.machine.nextDeadline, next <= .at(20) { removed += self.machine.advance(to: next).changes }
        #expect(removed.count == 1 && self.machine.serviceCount == 1)
    }
}
