import BridgeCore
import CastModels
import TestSupport
import Testing

@Suite("The publisher")
struct PublisherTests {
    @Test("sends nothing before the subscriptions are acknowledged, and online last of all")
    func order() {
        var fixture = PublisherFixture.house()
        fixture.publisher.linkUp(Publisher.LinkLimits())
        fixture.run()
        #expect(fixture.sent.isEmpty)
        fixture.publisher.subscriptionsAcknowledged()
        fixture.run()
        #expect(!fixture.sentTopics.contains("base/bridge/state"))
        while fixture.open.count > 1 { fixture.acknowledge() }
        #expect(!fixture.sentTopics.contains("base/bridge/state"))
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.last == "base/bridge/state")
        #expect(fixture.sentTopics.first == "base/bridge/info")
        #expect(fixture.sent.count == 2 + 12 + 1)
        #expect(Set(fixture.sentTopics).count == fixture.sent.count)
        #expect(fixture.retained["base/bridge/state"] == "online")
        #expect(fixture.onlineCount == 1)
    }

    @Test(
        "keeps fewer than 20 messages unacknowledged, and no more than the broker accepts",
        arguments: [(65_535, 19), (20, 19), (7, 7), (1, 1)])
    func inFlight(receiveMaximum: Int, most: Int) {
        var fixture = PublisherFixture.house(devices: 40)
        fixture.connect(limits: Publisher.LinkLimits(receiveMaximum: receiveMaximum))
        for _ in 0..<300 { fixture.publisher.enqueue(event: event(0)) }
        fixture.acknowledgeAll()
        #expect(fixture.mostOpen == most)
        #expect(fixture.onlineCount == 1)
        #expect(fixture.retained.count == 163)
    }

    @Test("does not send a plain value that the broker holds already, if it is equal, on record, and was found before the state goes out")
    func found() {
        let owner = DocumentOwner.device("d0")
        func sent(record: Set<String>, _ find: (inout Publisher) -> Bool, isLate: Bool = false) -> (isTaken: Bool, isSent: Bool) {
            var fixture = PublisherFixture.house(devices: 1, documents: 1)
            fixture.qos = 0
            fixture.publisher.restore(record, for: owner)
            var isTaken = false
            fixture.publisher.linkUp(Publisher.LinkLimits())
            if !isLate { isTaken = find(&fixture.publisher) }
            fixture.publisher.subscriptionsAcknowledged()
            if isLate { isTaken = find(&fixture.publisher) }
            fixture.acknowledgeAll()
            return (isTaken, fixture.sentTopics.contains("base/d0/t0"))
        }
        let topic = "base/d0/t0"
        func find(_ text: String, _ content: OutgoingMessage.Content = .text, _ publisher: inout Publisher) -> Bool {
            publisher.found(
                OutgoingMessage(topic: topic, payload: Array(text.utf8), qos: 0, retain: true, content: content), of: owner)
        }
        let equal = { (publisher: inout Publisher) in find("v0", .text, &publisher) }
        #expect(sent(record: [topic], equal) == (true, false))
        #expect(sent(record: [], equal) == (true, true))
        #expect(sent(record: [topic], equal, isLate: true) == (false, true))
        #expect(sent(record: [topic], { find("v1", .text, &$0) }) == (true, true))
        #expect(sent(record: [topic], { find("", .text, &$0) }) == (true, true))
        #expect(sent(record: [topic], { find("v0", .binary, &$0) }) == (true, true))
    }

    @Test("awaits outcomes while something depends on them")
    func awaitsOutcomes() {
        var fixture = PublisherFixture.house(devices: 1, documents: 2)
        fixture.connect()
        #expect(fixture.publisher.awaitsOutcomes == true, "the first round")
        fixture.acknowledgeAll()
        #expect(fixture.publisher.awaitsOutcomes == false)
        fixture.change(.device("d0"), [("base/d0/t0", "new"), ("base/d0/t1", "v1")])
        fixture.run()
        #expect(fixture.open.count == 1)
        #expect(fixture.publisher.awaitsOutcomes == false, "a document by itself")
        fixture.publisher.settle(.device("d0"))
        fixture.run()
        #expect(fixture.publisher.awaitsOutcomes == true, "the end of a round")
        fixture.acknowledgeAll()
        #expect(fixture.settled == [.device("d0")])
        #expect(fixture.publisher.awaitsOutcomes == false)
        fixture.change(.device("d0"), [("base/d0/t0", "new")])
        fixture.run()
        #expect(fixture.publisher.awaitsOutcomes == true, "a clearing, after which the record shrinks")
        fixture.acknowledgeAll()
        fixture.publisher.clear(stale: ["base/old"])
        fixture.run()
        #expect(fixture.publisher.awaitsOutcomes == true, "stale topics")
        fixture.acknowledgeAll()
        for _ in 0..<19 { fixture.publisher.enqueue(event: event(0)) }
        fixture.run()
        #expect(fixture.publisher.awaitsOutcomes == false, "all are on their way")
        fixture.publisher.enqueue(event: event(0))
        fixture.run()
        #expect(fixture.publisher.awaitsOutcomes == true, "an event that waits for room")
        fixture.acknowledgeAll()
        #expect(fixture.publisher.awaitsOutcomes == false)
    }

    @Test("forms a device's documents only when there is room, once for many changes")
    func conflation() {
        var fixture = PublisherFixture.house()
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        let before = fixture.formed.count
        for value in 0..<100 {
            fixture.change(
                .device("d0"), [("base/d0/t0", "new \(value)"), ("base/d0/t1", "v1"), ("base/d0/t2", "v2"), ("base/d0/t3", "v3")])
        }
        fixture.acknowledgeAll()
        #expect(fixture.formed.count == before + 1)
        #expect(fixture.sentTopics == ["base/d0/t0"])
        #expect(fixture.retained["base/d0/t0"] == "new 99")
    }

    @Test("sends a document again only when something other than its time changed")
    func unchanged() {
        var fixture = PublisherFixture.house()
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        fixture.publisher.changed(.device("d1"))
        fixture.publisher.changed(.bridge)
        fixture.acknowledgeAll()
        #expect(fixture.sent.isEmpty)
    }

    @Test("takes newer documents instead of the rest of older ones")
    func newerWins() {
        var limits = Publisher.Limits()
        limits.unacknowledged = 4
        var fixture = PublisherFixture(limits: limits)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("x"), (0..<6).map { ("base/x/t\($0)", "old") })
        fixture.run()
        fixture.change(.device("x"), (0..<6).map { ("base/x/t\($0)", "new") })
        fixture.acknowledgeAll()
        #expect((0..<6).allSatisfy { fixture.retained["base/x/t\($0)"] == "new" })
        #expect(fixture.sent.filter { String(decoding: $0.message.payload, as: UTF8.self) == "old" }.count == 1)
    }

    @Test("sends everything again after a break, from an empty or a kept store")
    func epochs() {
        var fixture = PublisherFixture.house()
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.disconnect()
        fixture.change(.device("d0"), [("base/d0/t0", "changed meanwhile")])
        fixture.emptyBroker()
        fixture.forgetSent()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained.count == 2 + 1 + 8 + 1)
        #expect(fixture.retained["base/d0/t0"] == "changed meanwhile")
        fixture.disconnect()
        fixture.forgetSent()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.count == 2 + 1 + 8 + 1)
    }

    @Test("sends again what was on its way when the link broke")
    func brokenOnTheWay() {
        var fixture = PublisherFixture.house(devices: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d0"), [("base/d0/t0", "lost")])
        fixture.run()
        fixture.disconnect()
        fixture.forgetSent()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == "lost")
    }

    @Test("waits with a device's documents until their topics are on record, and then sends the newest")
    func record() {
        var fixture = PublisherFixture.house(devices: 2)
        fixture.recordsAtOnce = false
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics == ["base/bridge/info", "base/bridge/devices"])
        #expect(fixture.records.first?.count == 4)
        fixture.change(.device("d0"), [("base/d0/t0", "newest")])
        fixture.publisher.recorded(.device("d0"))
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == "newest")
        #expect(fixture.onlineCount == 0)
        fixture.publisher.recorded(.device("d1"))
        fixture.acknowledgeAll()
        #expect(fixture.onlineCount == 1)
        #expect(fixture.records.count == 2)
    }

    @Test("clears topics of an earlier run and reports that the record shrank")
    func staleTopics() {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.publisher.restore(["base/x/t0", "base/x/old"], for: .device("x"))
        fixture.documents[.device("x")] = [("base/x/t0", "v")]
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.contains("base/x/old"))
        #expect(fixture.shrunk == [["base/x/t0"]])
        #expect(fixture.records.isEmpty)
        fixture.forgetSent()
        fixture.disconnect()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(!fixture.sentTopics.contains("base/x/old"))
    }

    @Test("reports a refused topic once, doesn't repeat the refused value, and tries the next one")
    func refusal() {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        fixture.refuse(135)
        fixture.acknowledgeAll()
        #expect(fixture.reports == [.refused(topic: "base/bridge/info", reasonCode: 135)])
        #expect(fixture.onlineCount == 1)
        fixture.publisher.changed(.bridge)
        fixture.forgetSent()
        fixture.acknowledgeAll()
        #expect(fixture.sent.isEmpty)
        fixture.change(.bridge, [("base/bridge/info", "i2"), ("base/bridge/devices", "d")])
        fixture.run()
        #expect(fixture.sentTopics == ["base/bridge/info"])
        fixture.refuse(135)
        #expect(fixture.reports.count == 1)
    }

    @Test("tries again later when the broker's quota is exceeded, each time later")
    func quota() throws {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        fixture.refuse(0x97)
        fixture.acknowledgeAll()
        #expect(fixture.onlineCount == 1)
        #expect(fixture.retained["base/bridge/info"] == nil)
        let firstWake = fixture.publisher.nextWake
        let first = try #require(firstWake)
        #expect(first == MonotonicTime(nanoseconds: 1_000_000_000))
        fixture.publisher.wake(now: first - .nanoseconds(1))
        fixture.run()
        #expect(fixture.open.isEmpty)
        fixture.now = first
        fixture.publisher.wake(now: first)
        fixture.run()
        fixture.refuse(0x97)
        let secondWake = fixture.publisher.nextWake
        let second = try #require(secondWake)
        #expect(second - first >= .seconds(1))
        fixture.publisher.wake(now: second)
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/bridge/info"] == "i")
        #expect(fixture.publisher.nextWake == nil)
    }

    @Test("puts nothing in the place of a document above the maximum packet size, and reports it once until one fits")
    func tooLarge() {
        var fixture = PublisherFixture.house(devices: 0)
        let long = String(repeating: "x", count: 2000)
        fixture.documents[.bridge] = [("base/bridge/info", "i")]
        fixture.connect(limits: Publisher.LinkLimits(maximumPacketSize: 1000))
        fixture.acknowledgeAll()
        fixture.change(.bridge, [("base/bridge/info", long)])
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/bridge/info"] == nil)
        fixture.change(.bridge, [("base/bridge/info", long + "y")])
        fixture.acknowledgeAll()
        #expect(fixture.reports.count == 1)
        fixture.change(.bridge, [("base/bridge/info", "short")])
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/bridge/info"] == "short")
        fixture.change(.bridge, [("base/bridge/info", long)])
        fixture.acknowledgeAll()
        #expect(fixture.reports.count == 2)
    }

    @Test("clears a topic whose new value the broker refused as too large, unless a newer one was sent already")
    func refusedAsTooLarge() {
        var fixture = PublisherFixture.house(devices: 1, documents: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d0"), [("base/d0/t0", "huge")])
        fixture.run()
        fixture.refuse(0x95)
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == nil)
        fixture.change(.device("d0"), [("base/d0/t0", "huge 2")])
        fixture.run()
        fixture.change(.device("d0"), [("base/d0/t0", "small")])
        fixture.run()
        fixture.refuse(0x95)
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == "small")
    }

    @Test("names the stale topics that the broker refused to clear")
    func refusedStaleTopics() {
        var fixture = PublisherFixture.house(devices: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.publisher.clear(stale: ["base/gone/state", "base/gone/availability"])
        fixture.run()
        fixture.refuse(0x87)
        fixture.acknowledgeAll()
        #expect(fixture.refusedClearings == [["base/gone/state"]])
        fixture.publisher.clear(stale: ["base/gone/availability"])
        fixture.acknowledgeAll()
        #expect(fixture.refusedClearings == [["base/gone/state"], []], "each clearing counts for itself")
    }

    @Test("clears stale topics, but none with a document of this run")
    func sweep() {
        var fixture = PublisherFixture.house(devices: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        fixture.publisher.clear(stale: ["base/gone/state", "base/d0/t0", "base/gone/availability"])
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics == ["base/gone/state", "base/gone/availability"])
        #expect(fixture.clearingEnds == 1)
        fixture.publisher.clear(stale: ["base/d0/t0"])
        fixture.acknowledgeAll()
        #expect(fixture.clearingEnds == 2, "also when nothing had to be cleared")
        #expect(fixture.publisher.holds("base/d0/t0") && fixture.publisher.holds("base/bridge/state"))
        #expect(fixture.publisher.holds("base/gone/state") == false)
        #expect(fixture.sent.allSatisfy { $0.message.payload.isEmpty && $0.message.retain })
    }

    @Test("sends offline last at the end, after the waiting answers, and finishes when it is acknowledged")
    func leaving() {
        var fixture = PublisherFixture.house()
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.forgetSent()
        let answer = OutgoingMessage(topic: "a", payload: [1], qos: 1, retain: false, content: .json)
        fixture.publisher.enqueue(answer: answer, tooLarge: answer)
        fixture.publisher.changed(.device("d0"))
        fixture.publisher.leave()
        fixture.run()
        #expect(fixture.sentTopics == ["a", "base/bridge/state"])
        #expect(fixture.finishedLeaving == 0)
        fixture.acknowledgeAll()
        #expect(fixture.finishedLeaving == 1)
        #expect(fixture.retained["base/bridge/state"] == "offline")
        fixture.publisher.linkDown()
        fixture.connect()
        #expect(fixture.open.isEmpty)
    }

    @Test("finishes leaving at once without a link, and when the link breaks meanwhile")
    func leavingWithoutLink() {
        var fixture = PublisherFixture.house()
        fixture.publisher.leave()
        fixture.run()
        #expect(fixture.finishedLeaving == 1)
        var other = PublisherFixture.house()
        other.connect()
        other.publisher.leave()
        other.disconnect()
        #expect(other.finishedLeaving == 1)
    }

    @Test("sends everything again when asked to, and online only after all of it, also with messages on their way")
    func republish() {
        var fixture = PublisherFixture.house(devices: 8)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d3"), [("base/d3/t0", "under way"), ("base/d3/t1", "under way")])
        fixture.run()
        fixture.forgetSent()
        fixture.publisher.republish()
        fixture.acknowledgeAll()
        #expect(Set(fixture.sentTopics.dropLast()).count == 2 + 8 * 4)
        #expect(fixture.sent.count == 2 + 8 * 4 + 1)
        #expect(fixture.sentTopics.last == "base/bridge/state")
        #expect(fixture.onlineCount == 2)
        #expect(fixture.retained["base/d3/t1"] == "under way")
    }

    @Test("does not wait with online for a device that is forgotten meanwhile")
    func forgottenMeanwhile() {
        var fixture = PublisherFixture.house(devices: 2)
        fixture.recordsAtOnce = false
        fixture.connect()
        fixture.publisher.recorded(.device("d0"))
        fixture.acknowledgeAll()
        #expect(fixture.onlineCount == 0)
        fixture.publisher.forget(.device("d1"))
        fixture.acknowledgeAll()
        #expect(fixture.onlineCount == 1)
    }

    @Test("forgets a device whose documents are cleared")
    func forget() {
        var fixture = PublisherFixture.house(devices: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d0"), [])
        fixture.acknowledgeAll()
        #expect(fixture.retained.keys.filter { $0.hasPrefix("base/d0/") }.isEmpty)
        #expect(fixture.shrunk.last?.isEmpty == true)
        fixture.publisher.forget(.device("d0"))
        fixture.disconnect()
        fixture.forgetSent()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.sent.count == 3)
    }

    @Test("still clears a topic that was cleared, sent and cleared again, when the last clearing is refused for now")
    func clearedTwice() {
        var fixture = PublisherFixture.house(devices: 1, documents: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d0"), [])
        fixture.run()
        fixture.change(.device("d0"), [("base/d0/t0", "again")])
        fixture.run()
        fixture.change(.device("d0"), [])
        fixture.run()
        fixture.acknowledge()
        fixture.acknowledge()
        fixture.refuse(0x97)
        fixture.now = fixture.now + .seconds(100)
        fixture.publisher.wake(now: fixture.now)
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == nil)
    }

    @Test("records a topic again that was taken off the record while its next value waited to be sent")
    func clearedWhileWaiting() {
        var limits = Publisher.Limits()
        limits.unacknowledged = 5
        var fixture = PublisherFixture(limits: limits)
        fixture.change(.device("d0"), [("base/d0/t0", "v"), ("base/d0/t1", "v")])
        fixture.connect()
        fixture.acknowledgeAll()
        fixture.change(.device("d0"), [("base/d0/t0", "v")])
        fixture.run()
        fixture.change(.device("d0"), [("base/d0/t0", "w"), ("base/d0/t1", "w")])
        fixture.run()
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t1"] == "w")
        #expect(fixture.records.last == ["base/d0/t0", "base/d0/t1"])
        fixture.disconnect()
        fixture.change(.device("d0"), [("base/d0/t0", "w")])
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t1"] == nil, "what is on record is cleared over the next link, too")
    }

    @Test("brings a broker to the wanted state whatever happens on the way", arguments: 0..<80, [false, true])
    func model(seed: UInt64, isPartial: Bool) {
        var generator = SeededGenerator(seed: seed)
        var fixture = PublisherFixture.house(devices: 4, documents: 3)
        fixture.isPartial = isPartial
        fixture.connect()
        for step in 0..<300 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0..<4:
                let device = Int.random(in: 0..<4, using: &generator)
                // Usually a part of an unchanged set of topics differs.
                let count = isPartial && Bool.random(using: &generator) ? 3 : Int.random(in: 0...4, using: &generator)
                fixture.change(
                    .device("d\(device)"), (0..<count).map { ("base/d\(device)/t\($0)", Bool.random(using: &generator) ? "\(step)" : "v") })
                fixture.run()
            case 4..<9: fixture.acknowledge()
            case 9: fixture.refuse(0x97)
            case 10:
                fixture.now = fixture.now + .seconds(100)
                fixture.publisher.wake(now: fixture.now)
                fixture.run()
            default:
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    fixture.disconnect()
                    if Bool.random(using: &generator) { fixture.emptyBroker() }
                    fixture.connect()
                } else {
                    fixture.publisher.enqueue(event: event(step))
                    fixture.run()
                }
            }
        }
        for _ in 0..<4 {
            fixture.acknowledgeAll()
            fixture.now = fixture.now + .seconds(100)
            fixture.publisher.wake(now: fixture.now)
        }
        fixture.acknowledgeAll()
        var wanted = ["base/bridge/state": "online"]
        for (_, documents) in fixture.documents {
            for document in documents where !document.text.isEmpty { wanted[document.topic] = document.text }
        }
        #expect(fixture.retained == wanted)
        #expect(fixture.mostOpen <= 19)
    }
}
