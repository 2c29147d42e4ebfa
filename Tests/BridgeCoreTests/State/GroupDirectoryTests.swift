import CastModels
import Testing

@testable import BridgeCore

@Suite("Speaker groups")
struct GroupDirectoryTests {
    private static let kitchen = Device(
        id: "aaaa", friendlyName: "Kitchen", modelName: "Google Home", capabilities: [.audioOut],
        endpoints: [DeviceEndpoint(host: "192.168.1.40")])
    private static let bath = Device(
        id: "bbbb", friendlyName: "Bath", modelName: "Google Home", capabilities: [.audioOut],
        endpoints: [DeviceEndpoint(host: "192.168.1.31")])

    /// A house with a group of two, in one time.
    private struct House {
        var directory = GroupDirectory()
        var devices: [Device.ID: StateFixture] = [:]

        init() {
            for (device, slug) in [(StateFixture.group, "whole-house"), (kitchen, "kitchen"), (bath, "bath")] {
                var fixture = StateFixture(device, slug: slug)
                fixture.after(.ready(StateFixture.receiver(nil), nil))
                fixture.outputs = []
                self.devices[device.id] = fixture
            }
        }

        func state(_ id: Device.ID) -> DeviceState? { self.devices[id]?.state }

        mutating func joined(_ members: [Device.ID]) -> GroupDirectory.Change? {
            let devices = members.map { MultizoneDevice(id: $0, friendlyName: $0, volume: DeviceVolume(level: 0.1, isMuted: false)) }
            defer { self.settle() }
            return self.directory.reported(StateFixture.group.id, MultizoneStatus(devices: devices))
        }

        /// Adds a group of one member that plays, or has paused, the second song.
        mutating func add(_ group: Device, slug: String, _ player: PlayerState, of member: Device.ID) {
            var fixture = StateFixture(group, slug: slug)
            fixture.connect(media: fixture.status(player, media: StateFixture.song(2)))
            self.devices[group.id] = fixture
            _ = self.directory.reported(group.id, MultizoneStatus(devices: [MultizoneDevice(id: member)]))
        }

        /// Applies the changes to every device, as the bridge does.
        mutating func settle() {
            for id in self.devices.keys.sorted() {
                let standing = self.directory.standing(of: id, state: self.state)
                let playback = self.directory.playback(on: id, state: self.state)
                self.devices[id]?.after(.group(standing, playback))
            }
        }

        mutating func apply(_ id: Device.ID, _ event: (StateFixture) -> DeviceEvent) {
            guard let fixture = self.devices[id] else { return }
            self.devices[id]?.after(event(fixture))
            self.settle()
        }

        mutating func passGrace(of id: Device.ID) {
            self.devices[id]?.wait(5)
            self.settle()
        }

        func json(_ id: Device.ID, _ document: String) throws -> JSONValue {
            try JSONParser.parse(self.devices[id]?.payload(document) ?? "")
        }
    }

    private let group = StateFixture.group.id

    @Test("the first members are not a change; later additions and removals are reported")
    func changes() {
        var house = House()
        #expect(house.joined(["aaaa"]) == nil)
        #expect(house.joined(["aaaa"]) == nil)
        #expect(house.joined(["aaaa", "bbbb"]) == GroupDirectory.Change(joined: ["bbbb"], left: []))
        #expect(house.joined(["bbbb"]) == GroupDirectory.Change(joined: [], left: ["aaaa"]))
        #expect(house.directory.groups(of: "aaaa") == [])
        #expect(house.directory.groups(of: "bbbb") == [self.group])
        #expect(house.directory.concerns("bbbb") && house.directory.concerns(self.group) && !house.directory.concerns("aaaa"))
        house.directory.remove(self.group)
        #expect(!house.directory.concerns("bbbb"))
    }

    @Test("a group is not its own member")
    func itself() {
        var house = House()
        _ = house.joined([self.group, "aaaa"])
        #expect(house.directory.memberIDs(of: self.group) == ["aaaa"])
        #expect(house.directory.groups(of: self.group) == [])
    }

    @Test("the document of a group has its members, that of a member its groups, and any other neither")
    func documents() throws {
        var house = House()
        #expect(
            house.devices["aaaa"]?.payload("group") == #"{"schema":1,"role":"none","leader":null,"members":[],"groups":[]}"#)
        _ = house.joined(["aaaa", "bbbb", "cccc"])
        #expect(
            house.devices[self.group]?.payload("group") == #"""
                {"schema":1,"role":"leader","leader":"bbbb","members":[\#
                {"id":"bbbb","slug":"bath","name":"Bath","volume":{"percent":34,"level":0.34,"muted":false},"online":true},\#
                {"id":"aaaa","slug":"kitchen","name":"Kitchen","volume":{"percent":34,"level":0.34,"muted":false},"online":true},\#
                {"id":"cccc","slug":null,"name":"cccc","volume":{"percent":10,"level":0.1,"muted":false},"online":null}],"groups":[]}
                """#)
        #expect(
            house.devices["aaaa"]?.payload("group") == #"""
                {"schema":1,"role":"member","leader":null,"members":[],\#
                "groups":[{"id":"9b8c7d6e5f4a4b3c8d2e1f0a9b8c7d6e","slug":"whole-house","name":"Whole House","playing":false}]}
                """#)
        #expect(try house.json("aaaa", "state")["group"] == ["id": .null, "name": .null, "role": "member"])
        #expect(try house.json("aaaa", "info")["groups"] == ["whole-house"])
        #expect(try house.json(self.group, "state")["group"] == ["id": .string(self.group), "name": "Whole House", "role": "leader"])
    }

    @Test("a group made on the fly is named by its members where such groups have topics, and shown in any case", arguments: [true, false])
    func madeOnTheFly(haveTopics: Bool) throws {
        var house = House()
        let party = Device(id: "dddd", friendlyName: "Party", modelName: "Google Cast Group", capabilities: [.audioOut, .dynamicGroup])
        house.add(party, slug: "party", .playing, of: "aaaa")
        _ = house.joined(["aaaa"])
        let state = try #require(house.state("aaaa"))
        let mapper = TopicMapper(
            tree: TopicTree(base: "cast2mqtt"),
            options: .init(instance: "home", status: StatusOptions { $0.includesDynamicGroups = haveTopics }))
        func json(_ name: String) throws -> JSONValue {
            try JSONParser.parse(try #require(mapper.messages(for: state).first { $0.topic == "cast2mqtt/kitchen/\(name)" }).payload)
        }
        let named: JSONValue = haveTopics ? ["party", "whole-house"] : ["whole-house"]
        #expect(try json("info")["groups"] == named)
        #expect(try JSONParser.parse(mapper.devicesPayload([state], now: nil)).arrayValue?.first?["groups"] == named)
        #expect(try json("group")["groups"]?.arrayValue?.compactMap { $0["slug"] } == named.arrayValue)
        #expect(try json("state")["media"]?["title"] == "Song 2")
        #expect(try json("state")["group"] == ["id": "dddd", "name": "Party", "role": "member"])
    }

    @Test("when a group plays, its members show what it plays and are busy")
    func membersShow() throws {
        var house = House()
        _ = house.joined(["aaaa"])
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply(self.group) { .mediaStatus($0.status(.playing, change: StateFixture.queue(3, current: 2))) }
        let member = try house.json("aaaa", "state")
        let leader = try house.json(self.group, "state")
        #expect(member["player"] == "playing")
        #expect(member["media"] == leader["media"])
        #expect(member["queue"] == leader["queue"])
        #expect(member["group"] == ["id": .string(self.group), "name": "Whole House", "role": "member"])
        #expect(member["busy"] == true)
        #expect(try house.json("aaaa", "group")["groups"]?.arrayValue?.first?["playing"] == true)
        #expect(try house.json("aaaa", "queue")["items"] == house.json(self.group, "queue")["items"])
        #expect(house.devices["aaaa"]?.payload("status/title") == "Song 2")
        #expect(house.devices["aaaa"]?.takeEvents() == [], "the group reports the events of its media, once")
        // It belongs to no group, so nothing of this is its affair.
        #expect(try house.json("bbbb", "state")["player"] == "off")

        house.apply(self.group) { .mediaStatus($0.status(.paused, change: StateFixture.queue(3, current: 2))) }
        #expect(try house.json("aaaa", "state")["player"] == "paused")
        #expect(try house.json("aaaa", "state")["busy"] == false)
        house.apply(self.group) { .mediaStatus($0.idle(.cancelled)) }
        #expect(try house.json("aaaa", "state")["player"] == "off")
        #expect(try house.json("aaaa", "state")["media"]?["title"] == .null)
        #expect(try house.json("aaaa", "queue")["items"] == [])
    }

    @Test("a member that plays alone shows its own, and the group does not play")
    func alone() throws {
        var house = House()
        _ = house.joined(["aaaa", "bbbb"])
        house.apply("aaaa") { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply("aaaa") { .mediaStatus($0.status(.playing, media: StateFixture.song(9))) }
        #expect(try house.json(self.group, "state")["player"] == "off")
        #expect(try house.json(self.group, "state")["busy"] == false)
        #expect(try house.json("bbbb", "state")["player"] == "off")
        // Also when the group plays without it.
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply(self.group) { .mediaStatus($0.status(.playing)) }
        #expect(try house.json("aaaa", "state")["media"]?["title"] == "Song 9")
        #expect(try house.json("aaaa", "state")["group"]?["id"] == .null)
        #expect(try house.json("bbbb", "state")["media"]?["title"] == "Harbour Lights")
        house.apply("aaaa") { .mediaStatus($0.idle(.cancelled)) }
        #expect(try house.json("aaaa", "state")["media"]?["title"] == "Harbour Lights")
    }

    @Test("a member or a group that is offline shows nothing of the other")
    func offline() throws {
        var house = House()
        _ = house.joined(["aaaa", "bbbb"])
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply(self.group) { .mediaStatus($0.status(.playing)) }
        house.apply("bbbb") { _ in .linkLost }
        house.passGrace(of: "bbbb")
        #expect(try house.json("bbbb", "state")["player"] == "unknown")
        #expect(try house.json(self.group, "group")["members"]?.arrayValue?.first?["online"] == false)
        house.apply(self.group) { _ in .linkLost }
        house.passGrace(of: self.group)
        #expect(try house.json("aaaa", "state")["player"] == "off")
        #expect(try house.json("aaaa", "state")["group"]?["role"] == "member")
    }

    @Test("a device that a group we don't see plays on is busy", arguments: ["531A4F84", "705D30C6", "MultizoneFollower"])
    func placeholder(_ application: String) throws {
        var fixture = StateFixture(Self.kitchen, slug: "kitchen")
        fixture.connect(StateFixture.receiver(ReceiverApplication(applicationID: application, sessionID: "s", transportID: "s")))
        #expect(try JSONParser.parse(fixture.payload("state"))["busy"] == true)
        #expect(fixture.payload("status/busy") == "ON")
        fixture.after(.receiverStatus(StateFixture.receiver(nil)))
        #expect(fixture.payload("status/busy") == "OFF")
    }

    @Test("the placeholder of a group makes its members busy only while a group that the bridge sees is playing")
    func idleGroup() throws {
        let placeholder = ReceiverApplication(applicationID: "MultizoneFollower", sessionID: "s", transportID: "s")
        var house = House()
        _ = house.joined(["aaaa"])
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply("aaaa") { _ in .receiverStatus(StateFixture.receiver(placeholder)) }
        #expect(house.devices["aaaa"]?.payload("status/busy") == "OFF", "the group's application is open, and nothing is loaded")
        house.apply(self.group) { .mediaStatus($0.status(.playing)) }
        #expect(house.devices["aaaa"]?.payload("status/busy") == "ON")
        house.apply(self.group) { .mediaStatus($0.idle(.cancelled)) }
        #expect(house.devices["aaaa"]?.payload("status/busy") == "OFF")
        // The group's application is closed, so it is another group, that the bridge doesn't know of.
        house.devices["aaaa"]?.outputs = []
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver(nil)) }
        #expect(house.devices["aaaa"]?.payload("status/busy") == "ON")
        #expect(
            house.devices["aaaa"]?.outputs.contains {
                if case .changed(let all) = $0 { all.isSuperset(of: [.playerValues, .state]) } else { false }
            } == true)
    }

    @Test("a member offers what can be done with what its group plays")
    func abilities() throws {
        var house = House()
        _ = house.joined(["aaaa"])
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply(self.group) { .mediaStatus($0.status(.playing, change: StateFixture.queue(3, current: 2))) }
        #expect(try house.json("aaaa", "state")["can"] == house.json(self.group, "state")["can"])
        #expect(try house.json("aaaa", "state")["can"]?.arrayValue?.contains("pause") == true)
    }

    @Test("of several groups that play, the one that sounds is shown")
    func several() {
        var house = House()
        let attic = Device(id: "0000", friendlyName: "Attic", modelName: "Google Cast Group", capabilities: [.audioOut, .multizoneGroup])
        house.add(attic, slug: "attic", .paused, of: "aaaa")
        _ = house.joined(["aaaa"])
        #expect(house.state("aaaa")?.groupPlayback?.id == "0000")
        house.apply(self.group) { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply(self.group) { .mediaStatus($0.status(.playing)) }
        #expect(house.state("aaaa")?.groupPlayback?.id == self.group)
    }
}
