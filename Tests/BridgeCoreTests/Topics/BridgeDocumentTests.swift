import CastModels
import Testing

@testable import BridgeCore

@Suite("Documents of the bridge")
struct BridgeDocumentTests {
    private let mapper = StateFixture().mapper

    private func text(_ message: OutgoingMessage?) -> String { message.map { String(decoding: $0.payload, as: UTF8.self) } ?? "(none)" }

    @Test("state is a word, also in the will")
    func state() {
        let message = self.mapper.bridgeState(isOnline: true)
        #expect(
            message == OutgoingMessage(topic: "cast2mqtt/bridge/state", payload: Array("online".utf8), qos: 1, retain: true, content: .text)
        )
        #expect(self.text(self.mapper.bridgeState(isOnline: false)) == "offline")
    }

    @Test("info is retained and has no time of sending, so that it is the same after each connect")
    func info() {
        let message = self.mapper.bridgeInfo(BridgeFixture.info)
        #expect(message.timestampOffset == nil)
        #expect((message.qos, message.retain, message.content) == (1, true, .document(schema: 1)))
        #expect(
            self.text(message) == #"""
                {"schema":1,"instance":"home","version":"1.0.0","commit":"a1b2c3d","started_at":"2026-11-21T13:58:02.000Z",\#
                "mqtt":{"protocol":5,"host":"192.168.1.10","port":8883,"tls":true,"client_id":null,"base":"cast2mqtt"},\#
                "home_assistant":{"mode":"device","source":"default","prefix":"homeassistant"},"features":["load","launch","queue","tracks","ads","groups","transfer","announce","presets","sleep","custom_namespace","artwork_url","home_assistant_mode"],\#
                "config":{"rename":"keep","position_interval":10,"split":"basic"},"log_level":"info","pair":null,"deprecations":["bridge/info mqtt.client_id"]}
                """#)
    }

    @Test("health expires after three intervals and has every key from the start")
    func health() throws {
        let message = self.mapper.bridgeHealth(HealthReport(), interval: .seconds(20))
        #expect(message.expirySeconds == 60)
        #expect((message.qos, message.retain, message.timestampOffset) == (0, true, 12))
        #expect(
            self.text(message) == #"""
                {"schema":1,"uptime_s":0,"devices":{"known":0,"online":0,"unverified":0,"excluded":0},"discovery":{"cause":null},\#
                "mqtt":{"connected":false,"connects":0,"published":0,"received":0,"queued":0,"dropped":0,"retained_commands":0,"refused":0,"self_tests_failed":0,"last_disconnect_code":null},\#
                "cast":{"connections":0,"reconnects":0,"requests":0,"timeouts":0,"heartbeat_late_ms_max":0},\#
                "process":{"rss_mb":null,"cpu_percent":null,"threads":null,"fds":null}}
                """#)
    }

    @Test("events carry the time they happened and are never retained")
    func events() {
        let message = self.mapper.bridgeEvent(.device(.deviceAdded, StateFixture.livingRoom, slug: "living-room"), at: StateFixture.start)
        #expect((message.qos, message.retain, message.expirySeconds, message.content) == (1, false, 300, .json))
        #expect(message.timestampOffset == nil)
        #expect(
            self.text(message) == #"""
                {"event_type":"device_added","type":"device_added","ts":"2026-11-21T14:03:22.400Z",\#
                "data":{"id":"4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34","slug":"living-room","name":"Living Room"}}
                """#)
        let event = self.mapper.event(PublishedEvent(.paused, facts: ["position": 63.2]), of: "living-room", at: StateFixture.start)
        #expect((event.qos, event.retain, event.expirySeconds, event.content) == (1, false, 300, .document(schema: 1)))
        #expect(event.topic == "cast2mqtt/living-room/event")
        #expect(
            self.text(event) == #"""
                {"schema":1,"ts":"2026-11-21T14:03:22.400Z","event_type":"paused",\#
                "data":{"title":null,"content_id":null,"app":null,"device":"living-room","position":63.2}}
                """#)
    }

    @Test("the list of devices is by name and changes with anything but last_seen")
    func devices() throws {
        var document = DevicesDocument()
        var first = Scenario.idle.fixture
        var group = StateFixture.group
        group.friendlyName = "attic"
        var second = StateFixture(group, slug: "zebra")
        #expect(document.message == nil)
        #expect({ document.update(with: [first.state, second.state], mapper: self.mapper, at: StateFixture.start) }())
        let entries = try JSONParser.parse(self.text(document.message)).arrayValue ?? []
        #expect(entries.map { $0["slug"] } == ["zebra", "living-room"])
        #expect(entries.map { $0["online"] } == [false, true])
        #expect(entries.map { $0["last_seen"] } == [.null, .string(StateFixture.start.text)])
        #expect((document.message?.qos, document.message?.retain, document.message?.content) == (1, true, .json))

        let before = document.message
        #expect(!{ document.update(with: [second.state, first.state], mapper: self.mapper, at: StateFixture.start.adding(seconds: 60)) }())
        first.after(5, .mediaStatus(first.status(.playing)))
        #expect(!{ document.update(with: [first.state, second.state], mapper: self.mapper, at: StateFixture.start.adding(seconds: 90)) }())
        #expect(document.message == before)

        first.after(.linkLost)
        first.wait(10)
        #expect({ document.update(with: [first.state, second.state], mapper: self.mapper, at: first.now.wall) }())
        let offline = try JSONParser.parse(self.text(document.message)).arrayValue?.last
        #expect(offline?["online"] == false)
        #expect(offline?["last_seen"] == .string(StateFixture.start.adding(seconds: 5).text))

        second.after(.identified(DeviceDetails(firmware: "1.2")))
        #expect({ document.update(with: [first.state, second.state], mapper: self.mapper, at: first.now.wall) }())
        #expect({ document.update(with: [first.state], mapper: self.mapper, at: first.now.wall) }())
    }

    @Test("no device is an empty list, not nothing")
    func noDevices() {
        var document = DevicesDocument()
        #expect({ document.update(with: [], mapper: self.mapper, at: StateFixture.start) }())
        #expect(self.text(document.message) == "[]")
    }
}

@Suite("Position ticks")
struct PositionTickTests {
    private func texts(_ fixture: StateFixture) -> [String] {
        fixture.mapper.ticks(for: fixture.state, at: fixture.now.monotonic).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("they come every interval from the anchor on, not retained, and end with it")
    func ticks() {
        var fixture = Scenario.music.fixture
        #expect(
            fixture.mapper.nextTick(player: fixture.state.player, anchor: fixture.state.media.anchor, after: fixture.now.monotonic)
                == StateFixture.monotonic(10))
        #expect(
            fixture.mapper.nextTick(player: fixture.state.player, anchor: fixture.state.media.anchor, after: StateFixture.monotonic(9.99))
                == StateFixture.monotonic(10))
        #expect(
            fixture.mapper.nextTick(player: fixture.state.player, anchor: fixture.state.media.anchor, after: StateFixture.monotonic(10))
                == StateFixture.monotonic(20))
        fixture.seconds = 10
        #expect(self.texts(fixture) == ["73.2", "30.3"])
        let tick = fixture.mapper.ticks(for: fixture.state, at: fixture.now.monotonic)[0]
        #expect(tick.topic == "cast2mqtt/living-room/status/position")
        #expect((tick.qos, tick.retain, tick.expirySeconds, tick.content) == (0, false, 20, .text))
        #expect(fixture.payload("status/position") == "63.2", "the retained message is the anchor")
        fixture.seconds = 1000
        #expect(self.texts(fixture) == ["241.5", "100"], "never beyond the end")
    }

    @Test("only while something plays", arguments: [Scenario.neverReached, .idle, .off, .advertisement, .offline, .group])
    func silent(_ scenario: Scenario) {
        let fixture = scenario.fixture
        #expect(
            fixture.mapper.nextTick(player: fixture.state.player, anchor: fixture.state.media.anchor, after: fixture.now.monotonic) == nil)
        #expect(self.texts(fixture) == [])
    }

    @Test("a pause ends them, live media has no percent")
    func pauseAndLive() {
        var fixture = Scenario.music.fixture
        fixture.after(5, .mediaStatus(fixture.status(.paused, time: 68.2, item: 4)))
        #expect(self.texts(fixture) == [])
        var live = Scenario.live.fixture
        live.seconds = 10
        #expect(self.texts(live) == ["1800"])
    }

    @Test("there are none without the mirror, and none with an interval of zero")
    func switchedOff() {
        var fixture = Scenario.music.fixture
        for options in [
            TopicMapper.Options(instance: "home", status: StatusOptions { $0.split = .none }),
            TopicMapper.Options(instance: "home", status: StatusOptions { $0.positionInterval = .zero }),
        ] {
            fixture.mapper = TopicMapper(tree: fixture.mapper.tree, options: options)
            #expect(
                fixture.mapper.nextTick(player: fixture.state.player, anchor: fixture.state.media.anchor, after: fixture.now.monotonic)
                    == nil)
            #expect(self.texts(fixture) == [])
        }
    }
}
