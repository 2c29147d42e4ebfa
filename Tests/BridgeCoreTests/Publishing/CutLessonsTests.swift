import CastModels
import Testing

@testable import BridgeCore

@Suite("What a link that the broker ended teaches")
struct CutLessonsTests {
    private func cut(_ code: UInt8?, after time: Duration = .zero) -> Publisher.Cut { (code, MonotonicTime(nanoseconds: 0) + time) }

    @Test("a message is held back when the link ended with it alone: once with a reason code, otherwise twice")
    func alone() {
        var lessons = CutLessons(base: "base/")
        _ = lessons.learn(from: self.cut(0x87), unanswered: ["base/tv/a", "base/tv/b"], size: 1)
        #expect(lessons.limit(of: "base/tv/a") == nil)
        #expect(lessons.learn(from: self.cut(0x87), unanswered: ["base/tv/a"], size: 1).held == "base/tv/a")
        #expect(lessons.limit(of: "base/tv/a") == 0 && lessons.limit(of: "base/tv/b") == nil)
        _ = lessons.learn(from: self.cut(nil), unanswered: ["base/tv/b"], size: 900)
        #expect(lessons.limit(of: "base/tv/b") == nil)
        #expect(lessons.learn(from: self.cut(nil), unanswered: ["base/tv/b"], size: 900).held == "base/tv/b")
        #expect(lessons.limit(of: "base/tv/b") == 900)
        #expect(lessons.limit(of: "base/tv/c") == nil)
    }

    @Test(
        "two messages of a kind speak for all of the kind",
        arguments: [
            (["base/tv/media", "base/box/media"], "base/radio/media", true),
            (["base/tv/status/volume", "base/tv/status/player"], "base/box/status/app", true),
            (["homeassistant/device/a/config", "homeassistant/device/b/config"], "homeassistant/status", true),
            (["base/bridge/info", "base/bridge/devices"], "base/bridge/health", false),
            (["base/client/status/1", "base/client/status/2"], "base/tv/status/volume", false),
            (["base/client/status/1", "base/client/x"], "base/client/y", true),
            (["base/tv/media", "base/tv/queue"], "base/tv/state", false),
            (["base/tv/media"], "base/box/media", false), (["a", "a/"], "b", false), (["base/", "base//"], "base", false),
        ])
    func kinds(topics: [String], other: String, isHeld: Bool) {
        var lessons = CutLessons(base: "base/")
        for topic in topics { for _ in 0..<2 { _ = lessons.learn(from: self.cut(0x87), unanswered: [topic], size: 1) } }
        #expect((lessons.limit(of: other) == 0) == isHeld)
    }

    @Test("a smaller message that ends the link, too, shows that size is not the reason")
    func smaller() {
        var lessons = CutLessons(base: "base/")
        for size in [900, 900, 900, 900, 100, 100] { _ = lessons.learn(from: self.cut(nil), unanswered: ["base/tv/media"], size: size) }
        #expect(lessons.limit(of: "base/tv/media") == 0)
    }

    @Test("the rate is lowered to a quarter each time, and never to nothing")
    func rate() {
        var lessons = CutLessons(base: "base/")
        var paces: [Int?] = []
        for _ in 0..<6 {
            #expect(lessons.learn(from: self.cut(0x96), unanswered: ["base/tv/a"], size: 1).isNew)
            paces.append(lessons.pace)
        }
        #expect(paces == [256, 64, 16, 4, 4, 4])
        #expect(lessons.probation == 0)
    }

    @Test("the end of a broker, a takeover and other ends teach nothing", arguments: [0x89, 0x8B, 0x8D, 0x8E, 0x98, 0x9C] as [UInt8])
    func others(code: UInt8) {
        var lessons = CutLessons(base: "base/")
        for _ in 0..<4 { #expect(lessons.learn(from: self.cut(code), unanswered: ["base/tv/a"], size: 1).held == nil) }
        #expect(lessons.isEmpty)
    }

    @Test("one end without a reason code, and two that are far apart, are the broker's or the network's: nothing is sent one at a time")
    func unexplained() {
        var lessons = CutLessons(base: "base/")
        for time in [0, 601, 1202] as [Int64] {
            _ = lessons.learn(from: self.cut(nil, after: .seconds(time)), unanswered: ["base/tv/a"], size: 1)
            #expect(lessons.isEmpty)
        }
        _ = lessons.learn(from: self.cut(nil, after: .seconds(1802)), unanswered: [], size: 1)
        #expect(lessons.probation == CutLessons.probation)
    }

    @Test("an answer clears of suspicion")
    func answered() {
        var lessons = CutLessons(base: "base/")
        for _ in 0..<5 {
            #expect(lessons.learn(from: self.cut(nil), unanswered: ["base/tv/a"], size: 1).held == nil)
            lessons.answered("base/tv/a")
        }
        for _ in 1..<CutLessons.probation { lessons.answered("base/tv/c") }
        #expect(lessons.isEmpty)
    }

    @Test("a publisher sends one at a time after a cut, holds back what ended the link, and forgets it after hours")
    func publisher() {
        var fixture = PublisherFixture.house(devices: 2, documents: 4)
        fixture.qos = 0
        func connect(_ fixture: inout PublisherFixture) -> Int {
            fixture.connect()
            // The broker answers until it reads this topic.
            while let first = fixture.open.first, first.message.topic != "base/d1/t2" { fixture.acknowledge() }
            return fixture.open.count
        }
        for _ in 0..<2 {
            #expect(connect(&fixture) > 1)
            fixture.cut(nil)
        }
        #expect(connect(&fixture) == 1)
        #expect(fixture.open.first?.message.qos == 1)
        fixture.cut(nil)
        #expect(connect(&fixture) == 1)
        fixture.cut(nil)
        #expect(fixture.reports == [.heldBack(topic: "base/d1/t2", reasonCode: nil)])
        #expect(fixture.publisher.nextWake == fixture.now + CutLessons.memory)
        // An empty message instead.
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.onlineCount == 1)
        #expect(fixture.retained["base/d1/t2"] == nil && fixture.retained["base/d1/t3"] == "v3")
        fixture.now = fixture.now + CutLessons.memory
        fixture.publisher.wake(now: fixture.now)
        fixture.disconnect()
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d1/t2"] == "v2")
    }

    @Test("a publisher whose rate was too high sends a quarter of the new rate each quarter of a second")
    func paced() {
        var fixture = PublisherFixture.house(devices: 10)
        #expect(fixture.publisher.burst == nil)
        for burst in [64, 16, 4, 1, 1] {
            fixture.connect()
            fixture.cut(0x96)
            #expect(fixture.publisher.burst == burst)
        }
    }
}
