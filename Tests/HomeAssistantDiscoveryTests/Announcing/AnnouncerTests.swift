import BridgeCore
import CastModels
import Testing

@testable import HomeAssistantDiscovery

/// The announcer in virtual time, with a broker that confirms at once or on request.
struct AnnouncerFixture {
    var announcer = Announcer()
    private(set) var seconds = 100.0
    private(set) var log: [(seconds: Double, action: Announcer.Action)] = []
    var confirmsAtOnce = true

    var now: MonotonicTime { Self.time(self.seconds) }

    static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((seconds * 1e9).rounded())) }

    /// Lets time pass and does what is due meanwhile.
    mutating func wait(_ duration: Double) {
        let end = self.seconds + duration
        while let deadline = self.announcer.deadline, deadline <= Self.time(end) {
            self.seconds = max(self.seconds, deadline.seconds(since: MonotonicTime(nanoseconds: 0)))
            guard let action = self.announcer.next(now: self.now) else { break }
            self.log.append((self.seconds - 100, action))
            if case .announce(let subject, _) = action, self.confirmsAtOnce { self.announcer.sent(subject, now: self.now) }
        }
        self.seconds = end
    }

    mutating func takeLog() -> [(seconds: Double, action: Announcer.Action)] {
        defer { self.log = [] }
        return self.log
    }

    var subjects: [DocumentOwner] {
        self.log.compactMap { if case .announce(let subject, _) = $0.action { subject } else { nil } }
    }

    /// Connected a while ago, with these devices announced.
    static func settled(_ ids: [String]) -> Self {
        var fixture = Self()
        for id in ids { fixture.announcer.changed(.discovery(id), now: fixture.now) }
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(60)
        _ = fixture.takeLog()
        return fixture
    }
}

@Suite struct AnnouncerTests {
    private let ids = ["a", "b", "c"]

    @Test("after a connect the bridge is announced, then the devices, a tenth of a second apart")
    func connect() {
        var fixture = AnnouncerFixture()
        for id in ids { fixture.announcer.changed(.discovery(id), now: fixture.now) }
        fixture.wait(10)
        #expect(fixture.log.isEmpty, "without a link nothing is sent")
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(10)
        #expect(fixture.subjects == [.bridgeDiscovery, .discovery("a"), .discovery("b"), .discovery("c")])
        #expect(fixture.log.map { ($0.seconds * 10).rounded() } == [100, 101, 102, 103])
        #expect(fixture.announcer.deadline == nil)
    }

    @Test("state that needed a new option is sent again two seconds after the announcement, once")
    func newOption() {
        var fixture = AnnouncerFixture.settled(["a", "b"])
        fixture.announcer.changed(.discovery("a"), isStateMissed: true, now: fixture.now)
        fixture.announcer.changed(.discovery("b"), now: fixture.now)
        fixture.wait(60)
        #expect(
            fixture.takeLog().map(\.action) == [
                .announce(.discovery("a"), isAgain: false), .announce(.discovery("b"), isAgain: false), .repeatState("a"),
            ])
        #expect(fixture.announcer.deadline == nil)
        // An option that came while the announcement before it was on its way belongs to the next one.
        fixture.confirmsAtOnce = false
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(2)
        fixture.announcer.changed(.discovery("a"), isStateMissed: true, now: fixture.now)
        fixture.announcer.sent(.discovery("a"), now: fixture.now)
        fixture.confirmsAtOnce = true
        fixture.wait(60)
        #expect(fixture.log.last?.action == .repeatState("a"))
        #expect(fixture.subjects == [.discovery("a"), .discovery("a")])
    }

    @Test("a lost link ends the wait for the state, which follows every connect anyway")
    func lostLink() {
        var fixture = AnnouncerFixture.settled(["a"])
        fixture.announcer.changed(.discovery("a"), isStateMissed: true, now: fixture.now)
        fixture.wait(2)
        fixture.announcer.linkDown()
        fixture.wait(60)
        #expect(fixture.subjects == [.discovery("a")] && fixture.log.count == 1)
    }

    @Test("a thousand devices take a hundred seconds")
    func thousandDevices() throws {
        var fixture = AnnouncerFixture()
        for number in 0..<1000 { fixture.announcer.changed(.discovery("\(number)"), now: fixture.now) }
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(200)
        #expect(fixture.log.count == 1001)
        #expect(try #require(fixture.log.last).seconds.rounded() == 100)
    }

    @Test("changes of a device are gathered, and two announcements are five seconds apart")
    func gathersChanges() {
        var fixture = AnnouncerFixture.settled(["a"])
        for _ in 0..<50 {
            fixture.announcer.changed(.discovery("a"), now: fixture.now)
            fixture.wait(0.5)
        }
        let times = fixture.log.map(\.seconds)
        #expect(times.count == 5, "25 seconds of changes")
        for (earlier, later) in zip(times, times.dropFirst()) { #expect(later - earlier >= 5) }
    }

    @Test("the last of many changes is announced, too")
    func lastChange() {
        var fixture = AnnouncerFixture.settled(["a"])
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(2)
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(20)
        #expect(fixture.log.map { $0.seconds.rounded() } == [61, 66])
    }

    @Test("an announcement that the broker has not confirmed is not overtaken")
    func notOvertaken() {
        var fixture = AnnouncerFixture.settled(["a"])
        fixture.confirmsAtOnce = false
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(2)
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(60)
        #expect(fixture.log.count == 1)
        fixture.announcer.sent(.discovery("a"), now: fixture.now)
        fixture.wait(4.9)
        #expect(fixture.log.count == 1)
        fixture.wait(0.2)
        #expect(fixture.log.count == 2)
    }

    @Test("when Home Assistant starts, all is sent again after one to five seconds, then the state", arguments: [0, 0.5, 0.999])
    func birth(random: Double) throws {
        var fixture = AnnouncerFixture.settled(ids)
        fixture.announcer.birth(now: fixture.now, random: random)
        fixture.wait(30)
        let log = fixture.takeLog()
        #expect(
            log.map(\.action) == [.bridgeDiscovery, .discovery("a"), .discovery("b"), .discovery("c")].map { .announce($0, isAgain: true) }
                + [
                    .republishState
                ])
        let delay = try #require(log.first).seconds - 60
        #expect(abs(delay - (1 + random * 4)) < 0.01)
    }

    @Test("a birth soon after our own connect is ignored")
    func birthAfterConnect() {
        var fixture = AnnouncerFixture()
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(9.9)
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(30)
        #expect(fixture.log.count == 1)
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(30)
        #expect(fixture.log.count == 3)
    }

    @Test("a birth without a link is ignored")
    func birthWithoutLink() {
        var fixture = AnnouncerFixture.settled(ids)
        fixture.announcer.linkDown()
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(60)
        #expect(fixture.log.isEmpty)
    }

    @Test("many births in a row are one")
    func manyBirths() {
        var fixture = AnnouncerFixture.settled(["a"])
        for _ in 0..<100 { fixture.announcer.birth(now: fixture.now, random: 0.5) }
        fixture.wait(60)
        #expect(fixture.log.count == 3)
    }

    @Test("after a birth the device that was just announced keeps its five seconds")
    func keepsPause() {
        var fixture = AnnouncerFixture.settled(["a"])
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.wait(1.5)
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(60)
        let times = fixture.log.filter { if case .announce(.discovery, _) = $0.action { true } else { false } }.map(\.seconds)
        #expect(times.count == 2 && times[1] - times[0] >= 5)
    }

    @Test("a new link starts from scratch, also in the middle of an answer to a birth")
    func newLink() {
        var fixture = AnnouncerFixture.settled(ids)
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(1.15)
        fixture.announcer.linkDown()
        fixture.wait(10)
        let sent = fixture.takeLog().count
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(60)
        #expect(sent < 4)
        #expect(
            fixture.log.map(\.action)
                == [.bridgeDiscovery, .discovery("a"), .discovery("b"), .discovery("c")].map { .announce($0, isAgain: false) })
    }

    @Test("a removed device is announced no more")
    func removedDevice() {
        var fixture = AnnouncerFixture.settled(ids)
        fixture.announcer.changed(.discovery("b"), now: fixture.now)
        fixture.announcer.forget(.discovery("b"))
        fixture.announcer.birth(now: fixture.now, random: 0)
        fixture.wait(60)
        #expect(!fixture.subjects.contains(.discovery("b")))
        #expect(fixture.log.last?.action == .republishState)
    }

    // MARK: Steps

    @Test("a migration goes through its steps, five seconds each")
    func migration() {
        var fixture = AnnouncerFixture()
        let old = ["homeassistant/sensor/cast2mqtt_a/app/config"]
        fixture.announcer.restore(.discovery("a"), migratingFrom: old)
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        #expect(fixture.announcer.step(of: .discovery("a")) == .migrating(from: old))
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(1)
        #expect(fixture.announcer.step(of: .discovery("a")) == .clearing)
        fixture.wait(5)
        #expect(fixture.announcer.step(of: .discovery("a")) == .settled)
        fixture.wait(30)
        #expect(fixture.subjects == [.bridgeDiscovery, .discovery("a"), .discovery("a"), .discovery("a")])
    }

    @Test("a migration that a lost link interrupts goes on where it was")
    func interruptedMigration() {
        var fixture = AnnouncerFixture()
        fixture.announcer.restore(.discovery("a"), migratingFrom: ["x"])
        fixture.announcer.changed(.discovery("a"), now: fixture.now)
        fixture.confirmsAtOnce = false
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(1)
        fixture.announcer.linkDown()
        fixture.announcer.sent(.discovery("a"), now: fixture.now)
        #expect(fixture.announcer.step(of: .discovery("a")) == .migrating(from: ["x"]), "it is not confirmed yet")
        fixture.confirmsAtOnce = true
        fixture.announcer.linkUp(now: fixture.now)
        fixture.wait(30)
        #expect(fixture.announcer.step(of: .discovery("a")) == .settled)
    }

    @Test("entities that a device lost are removed once")
    func lostEntities() {
        var fixture = AnnouncerFixture.settled(["a"])
        let removed = RemovedEntity(key: "skip_ad", platform: .button), more = RemovedEntity(key: "ad", platform: .binarySensor)
        fixture.announcer.changed(.discovery("a"), removing: [removed], now: fixture.now)
        fixture.announcer.changed(.discovery("a"), removing: [removed, more], now: fixture.now)
        #expect(fixture.announcer.step(of: .discovery("a")) == .removing([removed, more]))
        fixture.wait(60)
        #expect(fixture.announcer.step(of: .discovery("a")) == .settled)
        #expect(fixture.log.map { $0.seconds.rounded() } == [61, 66])
    }
}
