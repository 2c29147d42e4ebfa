import CastModels
import TestSupport
import Testing

@testable import BridgeCore

@Suite("The state file")
struct StateFileTests {
    private let file = StateFile(
        rememberedProtocol: RememberedProtocol(version: .v311, until: Timestamp(milliseconds: 1_700_000_000_000)),
        topics: ["cast2mqtt/bridge/state", "cast2mqtt/bridge/info", "old/base/bridge/state"],
        discoveryTopics: ["homeassistant/device/cast2mqtt_home/config"],
        devices: [
            KnownDevice(
                id: "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34", slug: "living-room", name: "Living \"Room\" 🎉", model: "Chromecast",
                endpoints: [DeviceEndpoint(host: "192.168.1.31"), DeviceEndpoint(host: "fe80::1%eth0", port: 32_100)],
                capabilities: [.audioOut, .videoOut], identity: .verified,
                topics: ["cast2mqtt/living-room/state", "cast2mqtt/living-room/status/volume", "old/base/living-room/info", "elsewhere/x"],
                discoveryTopics: ["homeassistant/device/4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34/config"]),
            KnownDevice(id: "b", slug: "b", name: ""),
        ])

    @Test("is read as it was written")
    func roundTrip() {
        let read = StateFile.read(self.file.bytes)
        #expect(read.file == self.file)
        #expect(read.problems.isEmpty)
        #expect(StateFile.read(StateFile().bytes).file == StateFile())
    }

    @Test("of the version before, without what announces a device and without the bridge's own topics, is read")
    func versionBefore() {
        let text = """
            {"format":"cast2mqtt-state","schema":1,"protocol":{"version":"3.1.1","until":"2023-11-14T22:13:20.000Z"}}
            {"id":"ab12","slug":"tv","name":"TV","model":"Chromecast","endpoints":[{"host":"192.168.1.31","port":8009}],"capabilities":5,"identity":"verified","topics":{"cast2mqtt/tv":["availability","info"]}}

            """
        let read = StateFile.read(Array(text.utf8))
        #expect(read.problems.isEmpty)
        #expect(read.file.rememberedProtocol?.version == .v311)
        #expect(
            read.file.devices == [
                KnownDevice(
                    id: "ab12", slug: "tv", name: "TV", model: "Chromecast", endpoints: [DeviceEndpoint(host: "192.168.1.31")],
                    capabilities: [.videoOut, .audioOut], identity: .verified, topics: ["cast2mqtt/tv/availability", "cast2mqtt/tv/info"])
            ])
    }

    @Test("keeps what was chosen for a device, and that it was removed")
    func choices() {
        var device = KnownDevice(id: "ab12", slug: "den", name: "TV")
        device.isSlugChosen = true
        device.preferences = DevicePreferences(aliases: ["a", "b"], area: "Hall", inactiveInputIsOff: false, maximumVolume: 40)
        device.keyFingerprint = "ab12"
        device.launched = Participation(sessionID: "7e57-0001", isLaunched: true)
        device.isExcluded = true
        device.lastSeen = Timestamp(milliseconds: 1_800_000_000_000)
        for entities: OptionalEntities? in [
            nil, [], [.artwork], [.plainValues, .artwork], [.screen, .members], [.plainValues, .artwork, .volume], [.controls], .all,
        ] {
            device.announcedEntities = entities
            #expect(StateFile.read(StateFile(devices: [device]).bytes).file.devices == [device])
        }
        device.launched?.isHeld = false
        for removal in [nil] + KnownDevice.Removal.allCases.map(Optional.some) {
            device.removal = removal
            #expect(StateFile.read(StateFile(devices: [device]).bytes).file.devices == [device])
        }
    }

    @Test("groups topics, so that a thousand devices stay small")
    func size() {
        let names = ["availability", "info", "state", "media", "app"] + (0..<16).map { "status/name_\($0)" }
        let devices = (0..<1000).map { number in
            KnownDevice(
                id: "id\(number)", slug: "device-\(number)", name: "Device \(number)",
                topics: Set(names.map { "cast2mqtt/device-\(number)/\($0)" }))
        }
        let bytes = StateFile(devices: devices).bytes
        #expect(bytes.count < 1_000_000)
        #expect(StateFile.read(bytes).file.devices == devices)
    }

    @Test("of more than 10 000 devices is read as far as that")
    func deviceLimit() {
        let lines = (0...10_000).map { #"{"id":"id\#($0)","slug":"device-\#($0)"}"# }
        let read = StateFile.read(Array((#"{"format":"cast2mqtt-state","schema":1}"# + "\n" + lines.joined(separator: "\n")).utf8))
        #expect(read.file.devices.count == 10_000)
        #expect(read.problems == [StateFile.Problem(kind: .tooManyDevices, line: 10_002)])
    }

    @Test("loses no more than the damaged line")
    func damagedLine() {
        var lines = self.file.bytes.split(separator: 0x0A).map(Array.init)
        lines[1].removeLast(3)
        let read = StateFile.read(Array(lines.joined(separator: [0x0A])))
        #expect(read.file.devices.map(\.id) == ["b"])
        #expect(read.problems == [StateFile.Problem(kind: .unreadableLine, line: 2)])
    }

    @Test(
        "that is invalid or of a newer version is named, and nothing of it is used",
        arguments: [
            ("", StateFile.Problem.Kind.notAStateFile), ("\u{0}\u{0}\u{0}", .notAStateFile), ("{}", .notAStateFile),
            ("[]\n{\"id\":\"a\",\"slug\":\"a\"}", .notAStateFile),
            (#"{"format":"cast2mqtt-state","schema":2}"#, .newerSchema(2)), (#"{"format":"other","schema":1}"#, .notAStateFile),
        ] as [(String, StateFile.Problem.Kind)])
    func foreign(text: String, kind: StateFile.Problem.Kind) {
        let read = StateFile.read(Array(text.utf8))
        #expect(read.file == StateFile())
        #expect(read.problems == [StateFile.Problem(kind: kind, line: 1)])
        #expect(read.problems.first?.description.hasPrefix("line 1: ") == true)
    }

    @Test(
        "takes no device that could not be one",
        arguments: [
            #"{"id":"","slug":"a"}"#, #"{"id":"A","slug":"a"}"#, #"{"id":"a"}"#, #"{"id":"a","slug":"bridge"}"#,
            #"{"id":"a","slug":"a/b"}"#,
            #"{"id":5,"slug":"a"}"#, #"{"slug":"a"}"#, #"{"id":"a-b","slug":"a"}"#,
        ])
    func unusable(line: String) {
        let header = #"{"format":"cast2mqtt-state","schema":1,"protocol":null}"#
        let read = StateFile.read(Array("\(header)\n\(line)\n".utf8))
        #expect(read.file.devices.isEmpty)
        #expect(read.problems == [StateFile.Problem(kind: .unusableDevice, line: 2)])
    }

    @Test("leaves out what is damaged inside a device, and a second device of the same id or slug")
    func lenient() {
        let text = """
            {"format":"cast2mqtt-state","schema":1,"protocol":{"version":"9","until":"x"},"more":1}
            {"id":"a","slug":"a","endpoints":[{"host":"h","port":0},{"host":"","port":1},{"host":"h","port":8009},7],"capabilities":-1,"identity":"sure","topics":{"p":[1,"n"],"q":5}}

            {"id":"a","slug":"b"}
            {"id":"c","slug":"a"}
            """
        let read = StateFile.read(Array(text.utf8))
        #expect(read.file.rememberedProtocol == nil)
        #expect(read.file.devices == [KnownDevice(id: "a", slug: "a", name: "a", endpoints: [DeviceEndpoint(host: "h")], topics: ["p/n"])])
        #expect(read.problems.map(\.line) == [4, 5])
    }

    @Test("is read to an end whatever bytes it has")
    func fuzz() {
        var generator = SeededGenerator(seed: 11)
        let good = self.file.bytes
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator) }
            let read = StateFile.read(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))))
            #expect(read.file.devices.count <= 2)
        }
    }
}
