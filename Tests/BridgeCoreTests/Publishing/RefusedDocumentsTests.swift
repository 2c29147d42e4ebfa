import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents that the broker refused")
struct RefusedDocumentsTests {
    /// Lets time pass and the publisher do what is due.
    private func pass(_ duration: Duration, _ fixture: inout PublisherFixture) {
        fixture.now = fixture.now + duration
        fixture.publisher.wake(now: fixture.now)
        fixture.run()
    }

    /// Three devices with a topic each, all held by the broker, that have a new value which the broker refuses.
    private func refused(_ code: UInt8) -> PublisherFixture {
        var fixture = PublisherFixture.house(devices: 3, documents: 1)
        fixture.connect()
        fixture.acknowledgeAll()
        for device in 0..<3 { fixture.change(.device("d\(device)"), [("base/d\(device)/t0", "new")]) }
        fixture.run()
        for _ in 0..<3 { fixture.refuse(code) }
        fixture.forgetSent()
        return fixture
    }

    @Test("are sent again after a minute, one owner at a time", arguments: [0x80, 0x83, 0x87] as [UInt8])
    func slowly(code: UInt8) {
        var fixture = self.refused(code)
        self.pass(.seconds(59), &fixture)
        #expect(fixture.sentTopics.isEmpty)
        for turn in 0..<7 {
            self.pass(.seconds(turn == 0 ? 1 : 60), &fixture)
            #expect(fixture.sentTopics == ["base/d\(turn % 3)/t0"])
            fixture.refuse(code)
            fixture.forgetSent()
        }
        #expect(fixture.reports.count == 3, "each topic is reported once")
    }

    @Test("follow all at once when the broker accepts one of them")
    func released() {
        var fixture = self.refused(0x87)
        self.pass(.seconds(60), &fixture)
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.sorted() == ["base/d0/t0", "base/d1/t0", "base/d2/t0"])
        #expect(fixture.retained.filter { $0.key.hasPrefix("base/d") }.values.allSatisfy { $0 == "new" })
        #expect(fixture.publisher.nextWake == nil)
    }

    @Test("are not sent in the place of a newer value")
    func overtaken() {
        var fixture = self.refused(0x80)
        fixture.change(.device("d0"), [("base/d0/t0", "newest")])
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d0/t0"] == "newest")
        #expect(fixture.sentTopics.count { $0 == "base/d0/t0" } == 1)
    }

    @Test("of a device that goes are forgotten; those of a device whose topics another takes over become that one's")
    func ownersThatGo() {
        var fixture = self.refused(0x80)
        fixture.publisher.forget(.device("d0"))
        fixture.publisher.handOver(topicsBelow: "base/d1/", from: .device("d1"), to: .device("new"))
        fixture.documents[.device("new")] = [("base/d1/t0", "new")]
        self.pass(.seconds(60), &fixture)
        self.pass(.seconds(60), &fixture)
        fixture.acknowledgeAll()
        #expect(fixture.sentTopics.sorted() == ["base/d1/t0", "base/d2/t0"])
        #expect(fixture.publisher.nextWake == nil)
    }

    @Test("are not sent again when the broker calls them too large")
    func tooLarge() {
        var fixture = self.refused(0x95)
        fixture.acknowledgeAll()
        #expect(fixture.publisher.nextWake == nil)
    }

    @Test("wait no longer when a new connection sends everything")
    func reconnected() {
        var fixture = self.refused(0x87)
        fixture.disconnect()
        #expect(fixture.publisher.nextWake == nil)
        fixture.connect()
        fixture.acknowledgeAll()
        #expect(fixture.retained["base/d2/t0"] == "new")
    }

    @Test(
        "leave `online` of the bridge to be sent until the broker accepts it, whatever the reason",
        arguments: [0x80, 0x87, 0x95, 0x97] as [UInt8])
    func bridgeState(code: UInt8) {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        while fixture.open.first?.message.topic != "base/bridge/state" { fixture.acknowledge() }
        for _ in 0..<5 {
            fixture.refuse(code)
            #expect(fixture.onlineCount == 1)
            #expect(fixture.retained["base/bridge/state"] == nil)
            fixture.forgetSent()
            self.pass(.seconds(9), &fixture)
            #expect(fixture.sentTopics.isEmpty)
            self.pass(.seconds(1), &fixture)
            #expect(fixture.sentTopics == ["base/bridge/state"])
        }
        fixture.acknowledge()
        #expect(fixture.retained["base/bridge/state"] == "online")
        #expect(fixture.onlineCount == 1)
        #expect(fixture.publisher.nextWake == nil)
    }

    @Test("leave no second `online` behind when the link is lost or everything is sent again", arguments: [true, false])
    func bridgeStateOnce(isLost: Bool) {
        var fixture = PublisherFixture.house(devices: 0)
        fixture.connect()
        while fixture.open.first?.message.topic != "base/bridge/state" { fixture.acknowledge() }
        fixture.refuse(0x87)
        fixture.forgetSent()
        if isLost {
            fixture.disconnect()
            fixture.connect()
        } else {
            fixture.publisher.republish()
        }
        fixture.acknowledgeAll()
        self.pass(.seconds(60), &fixture)
        #expect(fixture.sentTopics.count { $0 == "base/bridge/state" } == 1)
    }

    @Test("1 024 refused topics are remembered, then all are forgotten")
    func rememberedTopics() {
        var fixture = PublisherFixture.house(devices: 0)
        var news = (0..<1023).map { fixture.publisher.refused.isFirst("a/\($0)") }
        #expect(news.allSatisfy { $0 })
        news = ["a/0", "a/1023", "a/0"].map { fixture.publisher.refused.isFirst($0) }
        #expect(news == [false, true, true])
    }
}
