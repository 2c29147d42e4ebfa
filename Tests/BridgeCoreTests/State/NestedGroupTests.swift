import CastModels
import Testing

@testable import BridgeCore

@Suite("Groups within groups")
struct NestedGroupTests {
    /// A house group of a stereo pair and a kitchen; the pair's halves are left and right.
    private struct House {
        var directory = GroupDirectory()
        var devices: [Device.ID: StateFixture] = [:]

        static let follower = ReceiverApplication(
            applicationID: "705D30C6", name: "Spotify", sessionID: "f", transportID: "f", namespaces: ["urn:x-cast:com.google.cast.media"])

        init(knows ids: [Device.ID] = ["house", "pair", "kitchen", "left", "right"]) {
            let capabilities: [Device.ID: DeviceCapabilities] = [
                "house": [.audioOut, .multizoneGroup], "pair": [.audioOut, .multichannelGroup],
                "left": [.audioOut, .multichannelMember], "right": [.audioOut, .multichannelMember],
            ]
            for id in ids {
                let device = Device(
                    id: id, friendlyName: id, modelName: "Speaker", capabilities: capabilities[id] ?? [.audioOut],
                    endpoints: [DeviceEndpoint(host: "192.168.1.40")])
                var fixture = StateFixture(device, slug: id)
                fixture.connect(StateFixture.receiver(id == "house" ? StateFixture.defaultMediaReceiver : Self.follower))
                self.devices[id] = fixture
            }
            self.report("house", ["pair", "kitchen"])
            self.report("pair", ["left", "right"])
        }

        mutating func report(_ group: Device.ID, _ members: [Device.ID]) {
            _ = self.directory.reported(group, MultizoneStatus(devices: members.map { MultizoneDevice(id: $0) }))
            self.settle()
        }

        mutating func settle() {
            for id in self.devices.keys.sorted() {
                let standing = self.directory.standing(of: id) { self.devices[$0]?.state }
                let playback = self.directory.playback(on: id) { self.devices[$0]?.state }
                self.devices[id]?.after(.group(standing, playback))
            }
        }

        mutating func apply(_ id: Device.ID, _ event: (StateFixture) -> DeviceEvent) {
            guard let fixture = self.devices[id] else { return }
            self.devices[id]?.after(event(fixture))
            self.settle()
        }

        /// The title that a device shows, and whether it is busy.
        func shown(_ id: Device.ID) -> String {
            "\(self.devices[id]?.payload("status/title") ?? "") \(self.devices[id]?.payload("status/busy") ?? "")"
        }
    }

    private static let all = ["house", "pair", "kitchen", "left", "right"]

    @Test("everything that sounds shows what the group plays")
    func everythingThatSounds() throws {
        var house = House()
        house.apply("house") { .mediaStatus($0.status(.playing)) }
        for id in Self.all { #expect(house.shown(id) == "Harbour Lights ON", "\(id)") }
        let left = try JSONParser.parse(house.devices["left"]?.payload("state") ?? "")
        #expect(left["player"] == "playing" && left["group"]?["id"] == "house")
        let groups = try JSONParser.parse(house.devices["left"]?.payload("group") ?? "")["groups"]?.arrayValue
        #expect(groups?.map { $0["slug"] } == ["house", "pair"])
        house.apply("house") { .mediaStatus($0.idle(.cancelled)) }
        for id in Self.all { #expect(house.shown(id) == " OFF", "the group is open with nothing playing: \(id)") }
    }

    @Test("a member that leaves at any level shows nothing of the group any more", arguments: ["pair", "left"])
    func leaving(_ id: Device.ID) {
        var house = House()
        house.apply("house") { .mediaStatus($0.status(.playing)) }
        if id == "pair" { house.report("house", ["kitchen"]) } else { house.report("pair", ["right"]) }
        for other in id == "pair" ? ["pair", "left", "right"] : ["left"] {
            house.apply(other) { _ in .receiverStatus(StateFixture.receiver(nil)) }
            #expect(house.shown(other) == " OFF", "\(other)")
        }
        #expect(house.shown("kitchen") == "Harbour Lights ON")
        if id == "left" { #expect(house.shown("right") == "Harbour Lights ON") }
    }

    @Test("a pair that plays something of its own passes on that, and not what its group plays")
    func ownPlayback() {
        var house = House()
        house.apply("house") { .mediaStatus($0.status(.playing)) }
        house.apply("pair") { _ in .receiverStatus(StateFixture.receiver()) }
        house.apply("pair") { .mediaStatus($0.status(.paused, media: StateFixture.song(2))) }
        #expect(house.shown("left") == "Song 2 OFF")
        #expect(house.shown("kitchen") == "Harbour Lights ON")
    }

    @Test("halves of a pair in a group that the bridge does not see are busy like the pair")
    func unseenGroup() {
        var house = House(knows: ["pair", "left", "right"])
        house.settle()
        for id in ["pair", "left", "right"] { #expect(house.shown(id) == " ON", "\(id)") }
    }

    @Test("a group of groups that the bridge does not know in between is followed")
    func unknownBetween() {
        var house = House(knows: ["house", "left", "right"])
        house.apply("house") { .mediaStatus($0.status(.playing)) }
        #expect(house.shown("left") == "Harbour Lights ON")
    }

    @Test("groups that list each other, or themselves, end the search")
    func circle() {
        var house = House()
        house.report("pair", ["left", "right", "house", "pair"])
        house.report("left", ["house", "nobody"])
        house.apply("house") { .mediaStatus($0.status(.playing)) }
        for id in Self.all { #expect(house.shown(id) == "Harbour Lights ON", "\(id)") }
        #expect(house.directory.groups(of: "house") == ["left", "pair"])
        #expect(Set(house.directory.everyMemberID(of: "house")) == ["pair", "kitchen", "left", "right", "nobody"])
    }
}
