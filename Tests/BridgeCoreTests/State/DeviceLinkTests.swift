import CastModels
import Testing

@testable import BridgeCore

@Suite("A device goes online and offline")
struct DeviceLinkTests {
    private func bridgeEvents(_ outputs: [DeviceOutput]) -> [BridgeEvent] {
        outputs.compactMap { output in if case .bridgeEvent(let event) = output { event } else { nil } }
    }

    @Test("before anything is known, availability is all that is published")
    func neverSeen() {
        var fixture = StateFixture()
        #expect(fixture.mapper.messages(for: fixture.state).map(\.topic) == ["cast2mqtt/living-room/availability"])
        #expect(fixture.payload("availability") == "offline")
        fixture.after(1, .connecting)
        fixture.after(.identified(DeviceDetails(firmware: "1")))
        #expect(fixture.mapper.messages(for: fixture.state).count == 1)
    }

    @Test("it is online only after its state was read, and that state comes before the word")
    func online() {
        var fixture = StateFixture()
        fixture.after(.connecting)
        fixture.after(.identified(DeviceDetails()))
        #expect(fixture.payload("availability") == "offline")
        let outputs = fixture.after(0.1, .ready(StateFixture.receiver(), fixture.status(.playing)))
        #expect(outputs.contains(.changed([.all, .listing])))
        #expect(self.bridgeEvents(outputs).map(\.kind) == [.deviceOnline])
        let messages = fixture.mapper.messages(for: fixture.state)
        #expect(messages.last?.topic == "cast2mqtt/living-room/availability")
        #expect(messages.last.map { String(decoding: $0.payload, as: UTF8.self) } == "online")
    }

    @Test("documents of an earlier run stay for 30 seconds, whether attempts fail or not", arguments: [[], [0.1], [2, 9, 20, 29]])
    func patienceEnds(failures: [Double]) {
        var fixture = StateFixture()
        for seconds in failures {
            fixture.wait(seconds - fixture.seconds)
            fixture.after(.connecting)
            fixture.after(.linkLost)
        }
        fixture.wait(29.9 - fixture.seconds)
        #expect(fixture.takeOutputs() == [])
        #expect(fixture.mapper.messages(for: fixture.state).map(\.topic) == ["cast2mqtt/living-room/availability"])
        #expect(fixture.payload("availability") == "offline")
        fixture.wait(0.2)
        #expect(fixture.takeOutputs() == [.changed([.all, .listing])])
        #expect(fixture.payload("state").contains(#""player":"unknown""#))
        #expect(fixture.payload("state").contains(#""available":false"#))
        #expect(fixture.state.nextDeadline == nil)
    }

    @Test("a reconnection within the grace period changes nothing and reports nothing")
    func shortLoss() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        let before = fixture.mapper.messages(for: fixture.state)
        #expect(fixture.after(5, .linkLost) == [.wakeAt(StateFixture.monotonic(8))])
        #expect(fixture.mapper.messages(for: fixture.state) == before)
        fixture.after(1, .connecting)
        fixture.after(.linkLost)
        fixture.after(1, .connecting)
        let outputs = fixture.after(0.5, .ready(StateFixture.receiver(), fixture.status(.playing, time: 70.7)))
        #expect(self.bridgeEvents(outputs) == [])
        #expect(fixture.mapper.messages(for: fixture.state) == before)
        fixture.wait(10)
        #expect(fixture.state.link.phase == .online)
    }

    @Test("after the grace it is offline: the player is unknown, the ad is over, every other document stays")
    func offline() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing) { $0.adBreakStatus = AdBreakStatus(breakID: "b1", breakClipID: "c1") })
        fixture.after(5, .linkLost)
        let online = ["info", "app", "state", "media"].map { fixture.payload($0) }
        fixture.wait(2.9)
        #expect(fixture.state.isAvailable)
        fixture.wait(0.2)
        let outputs = fixture.takeOutputs()
        #expect(self.bridgeEvents(outputs).map(\.kind) == [.deviceOffline])
        #expect(self.bridgeEvents(outputs).first?.data["last_seen"] == .string(StateFixture.start.adding(seconds: 5).text))
        #expect(fixture.payload("availability") == "offline")
        #expect(fixture.payload("status/player") == "unknown")
        #expect(fixture.payload("info") == online[0])
        #expect(fixture.payload("app") == online[1])
        let state = online[2].replacing(#""player":"playing""#, with: #""player":"unknown""#)
            .replacing(#""ad":{"playing":true"#, with: #""ad":{"playing":false"#)
            .replacing(#""break":"b1","clip":"c1""#, with: #""break":null,"clip":null"#).replacing(#""busy":true"#, with: #""busy":false"#)
            .replacing(#""available":true"#, with: #""available":false"#)
        #expect(fixture.payload("state") == state)
        #expect(fixture.payload("media") == online[3].replacing(#""player":"playing""#, with: #""player":"unknown""#))
    }

    @Test("a device that is online again reports its state, but no events of the absence")
    func onlineAgain() {
        var fixture = StateFixture()
        fixture.connect(media: fixture.status(.playing))
        fixture.after(.linkLost)
        fixture.wait(100)
        _ = fixture.takeOutputs()
        fixture.after(.connecting)
        fixture.after(.linkLost)
        fixture.after(20, .connecting)
        #expect(fixture.payload("availability") == "offline")
        let other = fixture.status(.paused, session: 9, time: 4, media: StateFixture.song(2))
        fixture.after(.ready(StateFixture.receiver(), other))
        #expect(fixture.payload("state").contains(#""player":"paused""#))
        #expect(fixture.payload("state").contains(#""title":"Song 2""#))
        let outputs = fixture.takeOutputs()
        #expect(self.bridgeEvents(outputs).map(\.kind) == [.deviceOnline])
        #expect(!outputs.contains { if case .event = $0 { true } else { false } })
        // Events from here on are reported again.
        fixture.after(1, .mediaStatus(fixture.status(.playing, session: 9, time: 4, media: StateFixture.song(2))))
        #expect(fixture.takeEvents().map(\.kind) == [.resumed])
    }

    @Test("a load that was under way when the device went offline is forgotten")
    func loadLost() {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.loadRequested)
        fixture.after(.linkLost)
        fixture.wait(10)
        fixture.after(.ready(StateFixture.receiver(), nil))
        #expect(fixture.payload("status/player") == "idle")
    }

    @Test("a timer that comes early is asked for again")
    func earlyTimer() {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.linkLost)
        #expect(fixture.after(1, .timer) == [.wakeAt(StateFixture.monotonic(3))])
        #expect(fixture.state.isAvailable)
    }

    @Test("a new name is one event and one document")
    func renamed() {
        var fixture = StateFixture()
        fixture.connect()
        var device = StateFixture.livingRoom
        device.friendlyName = "Salon"
        let outputs = fixture.after(.deviceChanged(device))
        let event = BridgeEvent(
            .deviceRenamed,
            data: ["id": .string(device.id), "slug": "living-room", "name": "Salon", "previous": "Living Room"])
        #expect(outputs == [.bridgeEvent(event), .changed([.info, .listing])])
        #expect(fixture.after(.deviceChanged(device)) == [])
    }

    @Test("a new address is an event, the same ones in another order are none")
    func moved() {
        var fixture = StateFixture()
        fixture.connect()
        var device = StateFixture.livingRoom
        device.endpoints.reverse()
        #expect(self.bridgeEvents(fixture.after(.deviceChanged(device))) == [])
        device.endpoints = [DeviceEndpoint(host: "192.168.1.77")]
        let events = self.bridgeEvents(fixture.after(.deviceChanged(device)))
        #expect(events.map(\.kind) == [.deviceAddressChanged])
        #expect(events.first?.data["address"] == "192.168.1.77:8009")
    }

    @Test("the code of a failed command stays until one succeeds")
    func errorCode() {
        var fixture = StateFixture()
        fixture.connect()
        #expect(fixture.after(.commandFailed(code: "timeout")) == [.changed(.playerValues)])
        #expect(fixture.payload("status/error_code") == "timeout")
        #expect(fixture.after(.commandFailed(code: "timeout")) == [])
        #expect(fixture.after(.commandSucceeded) == [.changed(.playerValues)])
        #expect(fixture.payload("status/error_code") == "")
    }

    @Test("a load that plays after all takes back its own timeout, and no other's", arguments: [false, true])
    func lateLoad(isOther: Bool) {
        var fixture = StateFixture()
        fixture.connect()
        for event in [DeviceEvent.loadRequested, .loadEnded(failure: "timeout"), .commandFailed(code: "timeout")] { fixture.after(event) }
        if isOther { fixture.after(1, .commandFailed(code: "timeout")) }
        fixture.after(5, .mediaStatus(fixture.status(.playing, time: 0)))
        #expect(fixture.payload("status/error_code") == (isOther ? "timeout" : ""))
    }

    @Test("a volume that a status leaves out keeps its last reported value")
    func volumeStays() {
        var fixture = StateFixture()
        fixture.connect()
        fixture.after(.receiverStatus(StateFixture.receiver(nil, volume: nil)))
        #expect(fixture.payload("status/volume") == "34")
    }
}
