/// The devices and groups of a fleet. They are determined by the counts, the first address and the seed.
public struct FleetPlan: Sendable, Hashable {
    /// The largest number of devices, and of groups, in one fleet.
    public static let maximumCount = 2_000

    /// The devices, then the groups.
    public var devices: [DeviceDescription]

    /// - Parameters:
    ///   - count: the number of devices; at most ``maximumCount``.
    ///   - groupCount: the number of groups; at most ``maximumCount``.
    ///   - addressBase: the IPv4 address of the first device; each further device has the next one.
    ///   - stereoPairs: the number of stereo pairs. Each consists of two devices without a display that are in no other pair.
    ///   - port: the port of every device; 0 lets the system choose. Groups have their own ports.
    ///   - seed: decides ids, names and models.
    /// - Throws: `SimulatorError` when a count is out of range, or an address is malformed or exceeds 32 bits.
    public init(
        devices count: Int, groups groupCount: Int, stereoPairs: Int = 0, addressBase: String, port: Int, seed: UInt64
    ) throws(SimulatorError) {
        guard (0...Self.maximumCount).contains(count), (0...Self.maximumCount).contains(groupCount) else {
            throw SimulatorError(.configuration, "devices and groups must be between 0 and \(Self.maximumCount)")
        }
        guard groupCount == 0 || count > 0 else { throw SimulatorError(.configuration, "a group needs at least one device") }
        guard let base = IPv4Address(addressBase) else {
            throw SimulatorError(.configuration, "\(addressBase) is not an IPv4 address")
        }
        let rooms = Self.rooms(seed: seed)
        var devices: [DeviceDescription] = []
        for index in 0..<count {
            guard let address = base.advanced(by: index) else {
                throw SimulatorError(.configuration, "no room for \(count) addresses from \(addressBase)")
            }
            devices.append(
                Self.describe(
                    prefix: "sim", index: index, name: Self.name(rooms[index % rooms.count], round: index / rooms.count),
                    model: DeviceModel.all[index % DeviceModel.all.count], address: address.description, port: port, members: [], seed: seed
                ))
        }
        let withoutDisplay = devices.filter { !$0.model.hasDisplay }
        let speakers = withoutDisplay.isEmpty ? devices : withoutDisplay
        var groups: [DeviceDescription] = []
        for index in 0..<groupCount {
            let chosen = (0..<min(2 + index % 2, speakers.count)).map { speakers[(index + $0) % speakers.count] }
            // A random high port for each group, all different, because several groups may have the same leader.
            var random = SeededRandom(seed: seed, purpose: "group port")
            let groupPort = port == 0 ? 0 : 32_000 + (Int.random(in: 0..<8_000, using: &random) + index) % 17_000
            groups.append(
                Self.describe(
                    prefix: "group", index: index,
                    name: Self.name(Self.groupNames[index % Self.groupNames.count], round: index / Self.groupNames.count),
                    model: .group, address: chosen[0].address, port: groupPort, members: chosen.map { GroupMember($0) }, seed: seed))
        }
        let (pairs, halves) = try Self.pairs(stereoPairs, of: devices, port: port, seed: seed)
        for index in devices.indices where halves.contains(devices[index].id) { devices[index].furtherCapabilities = Self.halfOfPair }
        self.devices = devices + groups + pairs
    }

    /// Creates the devices that a scenario file describes.
    ///
    /// - Throws: `SimulatorError` `configuration` when an address is malformed or exceeds 32 bits, or a group names a missing device.
    public init(_ script: FleetScript, addressBase: String, port: Int, seed: UInt64) throws(SimulatorError) {
        let plan = try FleetPlan(devices: script.devices.count, groups: 0, addressBase: addressBase, port: port, seed: seed)
        self = plan
        for (index, device) in script.devices.enumerated() {
            self.devices[index] = Self.describe(
                prefix: "sim", index: index, name: device.name ?? plan.devices[index].friendlyName, model: device.model,
                address: plan.devices[index].address, port: port, members: [], seed: seed)
        }
        for (index, group) in script.groups.enumerated() {
            var members: [DeviceDescription] = []
            for name in group.members {
                guard let place = self.devices.firstIndex(where: { $0.controlName == name && $0.canBeMember }) else {
                    throw SimulatorError(.configuration, "group \"\(group.name)\" names \(name), which is no device")
                }
                if group.isStereoPair { self.devices[place].furtherCapabilities = Self.halfOfPair }
                members.append(self.devices[place])
            }
            guard let leader = members.first else { throw SimulatorError(.configuration, "group \"\(group.name)\" has no members") }
            self.devices.append(
                Self.describe(
                    prefix: "group", index: index, name: group.name, model: group.isStereoPair ? .stereoPair : .group,
                    address: leader.address, port: port == 0 ? 0 : 42_000 + index,
                    members: members.map { group.isStereoPair ? GroupMember($0, capabilities: $0.capabilities) : GroupMember($0) },
                    seed: seed))
        }
    }

    /// Returns a control name such as `sim-001`.
    static func controlName(prefix: String, index: Int) -> String {
        let number = String(index + 1)
        return "\(prefix)-" + String(repeating: "0", count: max(0, 3 - number.count)) + number
    }

    /// The bit of TXT `ca` for one half of a stereo pair.
    private static let halfOfPair = 0x100

    private static func pairs(
        _ count: Int, of devices: [DeviceDescription], port: Int, seed: UInt64
    ) throws(SimulatorError) -> (pairs: [DeviceDescription], halves: Set<String>) {
        let speakers = devices.filter { !$0.model.hasDisplay }
        guard (0...speakers.count / 2).contains(count) else {
            throw SimulatorError(.configuration, "\(count) stereo pairs need \(max(0, count) * 2) devices without a display")
        }
        let pairs = (0..<count).map { index in
            let halves = speakers[(index * 2)...(index * 2 + 1)]
            return Self.describe(
                prefix: "pair", index: index, name: "\(halves.first?.friendlyName ?? "") pair", model: .stereoPair,
                address: halves.first?.address ?? "", port: port == 0 ? 0 : 41_000 + index,
                members: halves.map { GroupMember($0, capabilities: $0.model.capabilities | Self.halfOfPair) }, seed: seed)
        }
        return (pairs, Set(speakers.prefix(count * 2).map(\.id)))
    }

    static func describe(
        prefix: String, index: Int, name: String, model: DeviceModel, address: String, port: Int, members: [GroupMember], seed: UInt64
    ) -> DeviceDescription {
        var random = SeededRandom(seed: seed, purpose: prefix, index: index)
        return DeviceDescription(
            controlName: Self.controlName(prefix: prefix, index: index),
            id: random.hexadecimal(digits: 32), friendlyName: name, model: model, address: address, port: port, members: members,
            pingPhase: random.duration(in: .zero ... .seconds(5)), seed: random.next(),
            hotspotAddress: "FA8FCA" + random.hexadecimal(digits: 6).uppercased(),
            cloudDeviceID: random.hexadecimal(digits: 32).uppercased())
    }

    private static func name(_ room: String, round: Int) -> String {
        "\(room)\(round == 0 ? "" : " \(round + 1)") (simulated)"
    }

    private static func rooms(seed: UInt64) -> [String] {
        var random = SeededRandom(seed: seed, purpose: "rooms")
        return [
            "Living Room", "Kitchen", "Bedroom", "Office", "Bathroom", "Hallway", "Dining Room", "Garage", "Nursery", "Guest Room",
            "Library",
            "Attic", "Cellar", "Workshop", "Terrace", "Garden", "Balcony", "Laundry", "Music Room", "Winter Garden", "Gym", "Sauna",
            "Studio", "Pantry",
        ].shuffled(using: &random)
    }

    private static let groupNames = ["Downstairs", "Upstairs", "Everywhere", "Party", "Quiet Rooms", "Outside"]
}
