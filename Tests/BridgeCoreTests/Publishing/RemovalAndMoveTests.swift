import CastModels
import TestSupport
import Testing

@testable import BridgeCore

@Suite("Removal of a device, and its move to other topics")
struct RemovalAndMoveTests {
    private let documents: [(topic: String, text: String)] = [
        ("base/a/availability", "online"), ("base/a/info", "i"), ("base/a/status/volume", "5"), ("base/a/zone", "z"),
    ]

    private func fixture() -> PublisherFixture {
        var fixture = PublisherFixture()
        fixture.change(.device("a"), self.documents)
        fixture.change(.discovery("a"), [("homeassistant/device/a/config", "config")])
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        return fixture
    }

    @Test("records what announces a device apart from its documents, and publishes it after them")
    func announcement() {
        var fixture = PublisherFixture()
        fixture.change(.discovery("a"), [("homeassistant/device/a/config", "config")])
        fixture.change(.device("a"), self.documents)
        fixture.change(.bridgeDiscovery, [("homeassistant/device/bridge/config", "b")])
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.records.contains(["homeassistant/device/a/config"]))
        #expect(fixture.records.contains(Set(self.documents.map(\.topic))))
        #expect(
            fixture.sentTopics == self.documents.map(\.topic)
                + ["homeassistant/device/bridge/config", "homeassistant/device/a/config", "base/bridge/state"])
    }

    @Test("clears the announcement, waits two seconds, then clears the rest, availability last")
    func removal() {
        var fixture = self.fixture()
        var removal = TopicPlan.removal(of: "a", isAnnounced: true)
        let begun = MonotonicTime(nanoseconds: 0)
        #expect(removal.begin(now: begun) == .settle([.discovery("a")]))
        fixture.documents[.discovery("a")] = []
        fixture.publisher.settle(.discovery("a"))
        fixture.run()
        #expect(fixture.settled.isEmpty, "the broker has not answered yet")
        fixture.acknowledgeAll()
        #expect(fixture.settled == [.discovery("a")])
        #expect(fixture.sentTopics == ["homeassistant/device/a/config"])
        #expect(fixture.sent.allSatisfy { $0.message.retain && $0.message.payload.isEmpty })

        let start = MonotonicTime(nanoseconds: 7)
        #expect(removal.settled(.device("a"), now: start) == .none)
        #expect(removal.settled(.discovery("b"), now: start) == .none)
        #expect(removal.settled(.discovery("a"), now: start) == .wake(at: start + .seconds(2)))
        #expect(removal.keepsOldTopics)
        #expect(removal.wake(now: start + .milliseconds(1999)) == .wake(at: start + .seconds(2)))
        #expect(removal.wake(now: start + .seconds(2)) == .settle([.device("a")]))
        #expect(!removal.keepsOldTopics)
        #expect(removal.wake(now: start + .seconds(3)) == .none)

        fixture.documents[.device("a")] = []
        fixture.publisher.settle(.device("a"))
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.suffix(4) == ["base/a/info", "base/a/status/volume", "base/a/zone", "base/a/availability"])
        #expect(removal.settled(.device("a"), now: start) == .finished)
        #expect(removal.settled(.device("a"), now: start) == .none, "once is enough")
        #expect(fixture.retained.keys.sorted() == ["base/bridge/state"])
    }

    @Test("does not wait for an announcement that was never made")
    func unannounced() {
        var removal = TopicPlan.removal(of: "a", isAnnounced: false)
        let now = MonotonicTime(nanoseconds: 0)
        #expect(removal.begin(now: now) == .settle([.device("a")]))
        #expect(removal.begin(now: now) == .none)
    }

    @Test("of everything waits for each owner before it continues")
    func everything() {
        var removal = TopicPlan.removal(
            announcements: [.discovery("a"), .bridgeDiscovery], documents: [.device("a"), .device("b"), .bridge])
        let now = MonotonicTime(nanoseconds: 0)
        #expect(removal.begin(now: now) == .settle([.discovery("a"), .bridgeDiscovery]))
        #expect(removal.settled(.bridgeDiscovery, now: now) == .none)
        #expect(removal.settled(.bridgeDiscovery, now: now) == .none, "once is enough")
        #expect(removal.settled(.discovery("a"), now: now) == .wake(at: now + .seconds(2)))
        #expect(removal.wake(now: now + .seconds(2)) == .settle([.device("a"), .device("b"), .bridge]))
        #expect(removal.settled(.bridge, now: now) == .none)
        #expect(removal.settled(.device("b"), now: now) == .none)
        #expect(removal.settled(.device("a"), now: now) == .finished)
        var nothing = TopicPlan.removal(announcements: [], documents: [])
        #expect(nothing.begin(now: now) == .finished)
    }

    @Test("is settled when the link broke in between and everything was cleared over the next one")
    func interrupted() {
        var fixture = self.fixture()
        fixture.documents[.device("a")] = []
        fixture.publisher.settle(.device("a"))
        fixture.run()
        fixture.acknowledge()
        fixture.disconnect()
        #expect(fixture.settled.isEmpty)
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.settled == [.device("a")])
        #expect(fixture.shrunk.last?.isEmpty == true)
        #expect(!fixture.retained.keys.contains { $0.hasPrefix("base/a/") })
    }

    @Test("is not settled while the broker's quota is exceeded")
    func quota() {
        var fixture = self.fixture()
        fixture.documents[.device("a")] = []
        fixture.publisher.settle(.device("a"))
        fixture.run()
        fixture.refuse(0x97)
        fixture.acknowledgeAll()
        #expect(fixture.settled.isEmpty)
        fixture.publisher.wake(now: fixture.now + .seconds(2))
        fixture.acknowledgeAll()
        #expect(fixture.settled == [.device("a")])
    }

    @Test("publishes under the new slug, then announces, then clears the old topics, availability last")
    func move() {
        var fixture = self.fixture()
        var move = TopicPlan.move(of: "a")
        let now = MonotonicTime(nanoseconds: 0)
        #expect(move.begin(now: now) == .settle([.device("a")]))
        #expect(move.settled(.discovery("a"), now: now) == .none)
        #expect(move.keepsOldTopics)
        #expect(move.settled(.device("a"), now: now) == .settle([.discovery("a")]))
        #expect(move.keepsOldTopics)
        #expect(move.settled(.discovery("a"), now: now) == .settle([.device("a")]))
        #expect(!move.keepsOldTopics)
        fixture.change(.device("a"), self.documents.map { ($0.topic.replacingSlug, $0.text) })
        fixture.acknowledgeAll()
        #expect(
            fixture.sentTopics == self.documents.map(\.topic.replacingSlug) + [
                "base/a/info", "base/a/status/volume", "base/a/zone", "base/a/availability",
            ])
        #expect(move.settled(.device("a"), now: now) == .finished)
        #expect(move.settled(.device("a"), now: now) == .none)
    }

    /// Device `a` leaves its slug to `b`, at every point of what it has to do: what `b` publishes there stays, and both records fit.
    @Test("of topics to a slug that another device is just leaving", arguments: 0...13)
    func handOver(step: Int) {
        var limits = Publisher.Limits()
        limits.unacknowledged = 4
        var fixture = PublisherFixture(limits: limits)
        fixture.change(.device("a"), self.documents)
        fixture.change(.device("b"), [("base/b/availability", "online")])
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("a"), self.documents.map { ($0.topic.replacingSlug, $0.text) })
        fixture.run()
        for _ in 0..<step { fixture.acknowledge() }

        fixture.publisher.handOver(topicsBelow: "base/a/", from: .device("a"), to: .device("b"))
        fixture.change(.device("b"), [("base/a/availability", "online"), ("base/a/info", "other"), ("base/a/status/volume", "5")])
        fixture.publisher.settle(.device("a"))
        fixture.publisher.settle(.device("b"))
        fixture.acknowledgeAll()
        #expect(
            fixture.retained.filter { !$0.key.hasPrefix("base/new/") && !$0.key.hasPrefix("base/bridge/") } == [
                "base/a/availability": "online", "base/a/info": "other", "base/a/status/volume": "5",
            ])
        #expect(fixture.retained.filter { $0.key.hasPrefix("base/new/") }.count == self.documents.count)
        #expect(fixture.publisher.record(of: .device("a")) == Set(self.documents.map(\.topic.replacingSlug)))
        #expect(fixture.publisher.record(of: .device("b")) == ["base/a/availability", "base/a/info", "base/a/status/volume"])
        #expect(Set(fixture.settled) == [.device("a"), .device("b")])
    }

    @Test("keeps topics on record that are about to be written there")
    func recordWhileClearing() {
        var fixture = self.fixture()
        fixture.change(.device("a"), [self.documents[0]])
        fixture.run()
        fixture.recordsAtOnce = false
        fixture.change(.device("a"), self.documents.map { ($0.topic.replacingSlug, $0.text) })
        fixture.run()
        fixture.acknowledgeAll()
        #expect(fixture.shrunk.last?.isSuperset(of: self.documents.map(\.topic.replacingSlug)) == true, "\(fixture.shrunk)")
    }

    @Test("leaves what an earlier run left under the present slug, and clears what stands elsewhere")
    func keptBelow() {
        var state = PublishedState()
        state.record(["base/new/info", "base/new/availability", "base/old/info", "former/new/info"], for: .device("a"))
        let wanted = MessageBatch([document("base/new/availability", "offline")])
        let difference = state.difference(for: .device("a"), wanted, remaining: .keptBelow("base/new/"))
        #expect(difference.changed.map(\.message) == [0])
        #expect(difference.cleared.map(\.message.topic) == ["base/old/info", "former/new/info"])
    }
}

extension String {
    fileprivate var replacingSlug: String { "base/new/" + self.dropFirst("base/a/".count) }
}
