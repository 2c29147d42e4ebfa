/// The speakers of a device: its own volume or, for a group, the members, the average of whose volumes is that of the group.
struct Speakers: Sendable {
    private let isGroup: Bool
    private var own: Volume
    /// `fixed`, `master` or `attenuation`.
    private(set) var control: String
    /// The members of a group, the leader first.
    private(set) var members: [GroupMember]
    /// Whether the members were notified that the group plays.
    private(set) var areOccupied = false

    init(of description: DeviceDescription) {
        self.own = Self.initialVolume(of: description)
        self.isGroup = description.isGroup
        self.control = description.model.volumeControl
        self.members = description.members
    }

    /// Returns the initial volume of a device: between 0.2 and 0.6.
    static func initialVolume(of description: DeviceDescription) -> Volume {
        var random = SeededRandom(seed: description.seed, purpose: "volume")
        return Volume(level: Double(Int.random(in: 20...60, using: &random)) / 100)
    }

    var volume: Volume {
        guard self.isGroup else { return self.own }
        guard !self.members.isEmpty else { return Volume(level: 0) }
        return Volume(
            level: self.members.map(\.volume.level).reduce(0, +) / Double(self.members.count),
            isMuted: self.members.allSatisfy(\.volume.isMuted))
    }

    func index(of id: String) -> Int? { self.members.firstIndex { $0.id == id } }

    mutating func setControl(_ control: String) { self.control = control }

    /// Changes the own volume.
    /// - Returns: the new one; `nil` when nothing changed.
    mutating func change(_ change: VolumeChange) -> Volume? {
        let volume = change.applied(to: self.own)
        defer { self.own = volume }
        return volume == self.own ? nil : volume
    }

    /// Returns the share of each member in a change of the group. They keep their ratio, so one at 0 stays there unless all are at 0.
    func shares(of change: VolumeChange) -> [VolumeChange] {
        let average = self.volume.level
        return self.members.map { member in
            VolumeChange(
                level: change.level.map { average > 0 ? member.volume.level * $0 / average : $0 }, isMuted: change.isMuted)
        }
    }

    /// - Returns: whether the volume of the member changed.
    mutating func setVolume(ofMember index: Int, _ volume: Volume) -> Bool {
        defer { self.members[index].volume = volume }
        return self.members[index].volume != volume
    }

    /// - Returns: whether the members must be notified.
    mutating func occupy(_ areOccupied: Bool) -> Bool {
        guard self.isGroup, areOccupied != self.areOccupied else { return false }
        self.areOccupied = areOccupied
        return true
    }

    mutating func add(_ member: GroupMember) { self.members.append(member) }

    mutating func remove(at index: Int) -> GroupMember { self.members.remove(at: index) }
}
