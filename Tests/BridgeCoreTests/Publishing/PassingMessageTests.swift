import BridgeCore
import CastModels
import Testing

@Suite("Messages that the publisher sends once")
struct PassingMessageTests {
    @Test("sends answers and events before documents, and sends a short answer for one that is too large")
    func answers() {
        var fixture = PublisherFixture.house(devices: 30)
        fixture.connect(limits: Publisher.LinkLimits(maximumPacketSize: 500))
        let answer = OutgoingMessage(topic: "base/tv/response", payload: [1], qos: 1, retain: false, content: .json)
        let short = OutgoingMessage(topic: "base/tv/response", payload: [2], qos: 1, retain: false, content: .json)
        fixture.publisher.enqueue(event: event(1))
        fixture.publisher.enqueue(answer: answer, tooLarge: short)
        fixture.forgetSent()
        fixture.run()
        #expect(fixture.sentTopics.prefix(2) == ["base/tv/response", "base/tv/event"])
        var large = answer
        large.payload = [UInt8](repeating: 1, count: 600)
        fixture.acknowledgeAll()
        fixture.forgetSent()
        fixture.publisher.enqueue(answer: large, tooLarge: short)
        fixture.acknowledgeAll()
        #expect(fixture.sent.map(\.message) == [short])
        fixture.publisher.enqueue(answer: large, tooLarge: large)
        fixture.acknowledgeAll()
        #expect(fixture.reports.last == .answerLost(topic: "base/tv/response"))
    }

    @Test("drops the oldest events beyond the bound and counts them")
    func eventBound() {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        for number in 0..<2092 { fixture.publisher.enqueue(event: event(number)) }
        fixture.forgetSent()
        fixture.acknowledgeAll()
        #expect(fixture.publisher.counts.droppedEvents == 44)
        #expect(fixture.sent.filter { $0.message.topic == "base/tv/event" }.map(\.message.payload).first == Array("44".utf8))
    }

    @Test("drops a message of an application while 128 events wait, and counts it")
    func passingBound() {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        fixture.forgetSent()
        for number in 0...128 { fixture.publisher.enqueue(passing: event(number)) }
        #expect(fixture.publisher.counts.droppedEvents == 1)
        fixture.acknowledgeAll()
        let sent = fixture.sent.filter { $0.message.topic == "base/tv/event" }
        #expect(sent.map(\.message.payload).last == Array("127".utf8))
    }

    @Test("drops the oldest answer beyond the bound, but never silently")
    func answerBound() {
        var limits = Publisher.Limits()
        limits.answers = 3
        var fixture = PublisherFixture(limits: limits)
        fixture.publisher.linkUp(Publisher.LinkLimits())
        for number in 0..<5 {
            let answer = OutgoingMessage(topic: "a/\(number)", payload: [1], qos: 1, retain: false, content: .json)
            fixture.publisher.enqueue(answer: answer, tooLarge: answer)
        }
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics == ["a/2", "a/3", "a/4"])
        #expect(fixture.reports == [.answerLost(topic: "a/0"), .answerLost(topic: "a/1")])
        #expect(fixture.publisher.counts.droppedAnswers == 2)
    }

    @Test("keeps nothing while the link is down, and sends no answer of an earlier link")
    func down() {
        var fixture = PublisherFixture.house(devices: 0)
        let answer = OutgoingMessage(topic: "a", payload: [1], qos: 1, retain: false, content: .json)
        fixture.publisher.enqueue(event: event(1))
        fixture.publisher.enqueue(answer: answer, tooLarge: answer)
        fixture.publisher.linkUp(Publisher.LinkLimits())
        fixture.publisher.enqueue(event: event(2))
        fixture.publisher.enqueue(answer: answer, tooLarge: answer)
        fixture.disconnect()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(Set(fixture.sentTopics) == ["base/bridge/info", "base/bridge/devices", "base/bridge/state", "base/tv/event"])
        #expect(fixture.sent.filter { $0.message.topic == "base/tv/event" }.map(\.message.payload) == [Array("1".utf8), Array("2".utf8)])
        #expect(fixture.publisher.counts.droppedEvents == 0)
        #expect(fixture.publisher.counts.droppedAnswers == 2)
        fixture.disconnect()
        fixture.publisher.enqueue(event: event(3))
        #expect(fixture.publisher.counts.droppedEvents == 1)
    }

    @Test("sends a tick now or never: not before online, not without room, not while newer documents wait")
    func ticks() {
        var fixture = PublisherFixture.house(devices: 1)
        let tick = OutgoingMessage(topic: "base/d0/status/position", payload: [0x31], qos: 0, retain: false, content: .text)
        #expect(fixture.publisher.tick(tick, of: .device("d0")) == nil)
        fixture.connect()
        #expect(fixture.publisher.tick(tick, of: .device("d0")) == nil)
        fixture.acknowledgeAll()
        guard case .send(tick, let token) = fixture.publisher.tick(tick, of: .device("d0")) else {
            Issue.record("no tick")
            return
        }
        fixture.publisher.acknowledged(token)
        fixture.publisher.changed(.device("d0"))
        #expect(fixture.publisher.tick(tick, of: .device("d0")) == nil)
        fixture.acknowledgeAll()
        for _ in 0..<40 { _ = fixture.publisher.tick(tick, of: .device("d0")) }
        #expect(fixture.publisher.backlog == 17)
    }

    @Test("bounds waiting answers in bytes, too: the oldest give way, and a giant is replaced by the short answer")
    func answerBytes() {
        var limits = Publisher.Limits()
        limits.answerBytes = 10_000
        var fixture = PublisherFixture(limits: limits)
        fixture.publisher.linkUp(Publisher.LinkLimits())
        func answer(_ topic: String, _ count: Int) -> OutgoingMessage {
            OutgoingMessage(topic: topic, payload: [UInt8](repeating: 1, count: count), qos: 1, retain: false, content: .json)
        }
        for number in 0..<4 { fixture.publisher.enqueue(answer: answer("a/\(number)", 3000), tooLarge: answer("a/\(number)", 10)) }
        #expect(fixture.publisher.counts.droppedAnswers == 1)
        fixture.publisher.enqueue(answer: answer("a/giant", 20_000), tooLarge: answer("a/giant", 10))
        #expect(fixture.publisher.counts.droppedAnswers == 1, "room for the short one needs little")
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics == ["a/1", "a/2", "a/3", "a/giant"])
        #expect(fixture.sent.last?.message.payload.count == 10)
        #expect(fixture.reports == [.answerLost(topic: "a/0")])
        // A message that was sent makes room.
        for number in 4..<7 { fixture.publisher.enqueue(answer: answer("a/\(number)", 3000), tooLarge: answer("a/\(number)", 10)) }
        fixture.acknowledgeAll()
        #expect(fixture.publisher.counts.droppedAnswers == 1)
    }

    @Test("sends the short answer in place of one that the broker called too large, and no more than that")
    func refusedAnswer() {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        fixture.acknowledgeAll()
        func answer(_ byte: UInt8) -> OutgoingMessage {
            OutgoingMessage(topic: "a", payload: [byte], qos: 1, retain: false, content: .json)
        }
        fixture.forgetSent()
        fixture.publisher.enqueue(answer: answer(1), tooLarge: answer(2))
        fixture.run()
        for _ in 1...2 { fixture.refuse(0x95) }
        #expect(fixture.sent.map(\.message) == [answer(1), answer(2)])
        #expect(fixture.publisher.counts.droppedAnswers == 1)

        fixture.forgetSent()
        fixture.publisher.enqueue(answer: answer(1), tooLarge: answer(2))
        fixture.run()
        fixture.refuse(0x87)
        #expect(fixture.sent.map(\.message) == [answer(1)], "what may not be sent is not sent shorter")
    }
}
