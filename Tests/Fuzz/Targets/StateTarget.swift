import BridgeCore
import CastModels

/// The state file: what a kill, a full disk, a failing card or an editor may leave of it.
enum StateTarget: FuzzTarget {
    static let name = "state"

    static var seeds: [[UInt8]] {
        var device = KnownDevice(
            id: "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34", slug: "living-room", name: "Living Room", model: "Chromecast",
            endpoints: [DeviceEndpoint(host: "192.168.1.31"), DeviceEndpoint(host: "fe80::1%eth0", port: 32_100)],
            capabilities: [.audioOut, .videoOut], identity: .verified,
            topics: ["cast2mqtt/living-room/state", "cast2mqtt/living-room/status/volume", "elsewhere/x"],
            discoveryTopics: ["homeassistant/device/4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34/config"])
        device.isSlugChosen = true
        device.preferences = DevicePreferences(aliases: ["tv", "den"], area: "Hall", inactiveInputIsOff: false)
        device.keyFingerprint = "ab12"
        device.announcedEntities = .all
        device.lastSeen = Timestamp(milliseconds: 1_800_000_000_000)
        var removed = KnownDevice(id: "b", slug: "b", name: "")
        removed.removal = .keepingSlug
        let file = StateFile(
            rememberedProtocol: RememberedProtocol(version: .v311, until: Timestamp(milliseconds: 1_700_000_000_000)),
            topics: ["cast2mqtt/bridge/state", "old/base/bridge/state"], discoveryTopics: ["homeassistant/device/cast2mqtt_home/config"],
            devices: [device, removed])
        return [file.bytes, StateFile().bytes]
    }

    static let words = [
        "forget", "keep_slug", "reported", "announced", "verified", "configured", "3.1.1", "5", "fe80::1%eth0", "living-room",
    ]

    /// One line in another way.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        var lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let number = Int.random(in: 0..<lines.count, using: &random)
        guard let changed = JSONMutation.changed(Array(lines[number]), words: Self.words, by: &random) else { return nil }
        lines[number] = changed[...]
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }

    static func run(_ input: [UInt8]) {
        let (file, problems) = StateFile.read(input)
        let lineCount = input.count { $0 == UInt8(ascii: "\n") } + 1
        require(problems.allSatisfy { (1...lineCount).contains($0.line) }, "a problem is on no line of the file")
        let again = StateFile.read(file.bytes)
        require(again.problems.isEmpty, "the file can't be read as it is written")
        require(again.file == file, "the file is read in another way than it is written")
        planted(file.devices.contains { $0.removal == .forgetting })
    }
}
