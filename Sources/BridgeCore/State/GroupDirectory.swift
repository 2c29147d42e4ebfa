import CastModels

/// Who is in which group, as the groups themselves tell it. Knows ids only; names, volumes and what plays are the devices' own states.
///
/// A group keeps its members while it is not reachable. Bounded by the devices of the bridge and the members of a group.
package struct GroupDirectory: Sendable {
    private var membersOfGroup: [Device.ID: [MultizoneDevice]] = [:]
    private var groupsOfMember: [Device.ID: Set<Device.ID>] = [:]

    package init() {}

    /// How a group's members changed.
    package struct Change: Sendable, Hashable {
        package var joined: [Device.ID]
        package var left: [Device.ID]

        /// What the event `group_changed` tells beside the group itself.
        package func facts(members: [Device.ID]) -> JSONObject {
            func list(_ ids: [Device.ID]) -> JSONValue { .array(ids.map { .string($0) }) }
            return ["members": list(members), "joined": list(self.joined), "left": list(self.left)]
        }
    }

    /// The members a group told, as it told them.
    package func members(of group: Device.ID) -> [MultizoneDevice] { self.membersOfGroup[group] ?? [] }

    /// The ids of the members a group told, in its order.
    package func memberIDs(of group: Device.ID) -> [Device.ID] { self.members(of: group).map(\.id) }

    /// The groups a device belongs to, in the order of their ids.
    package func groups(of member: Device.ID) -> [Device.ID] { self.groupsOfMember[member]?.sorted() ?? [] }

    /// Whether anything about groups depends on this device.
    package func concerns(_ device: Device.ID) -> Bool { self.membersOfGroup[device] != nil || self.groupsOfMember[device] != nil }

    /// Takes what a group tells of itself.
    /// - Returns: who came and went; `nil` when nobody did, and when these are the first members that are known.
    package mutating func told(_ group: Device.ID, _ status: MultizoneStatus) -> Change? {
        let former = self.membersOfGroup[group]
        // A group that lists itself would be its own member.
        let members = status.devices.filter { $0.id != group }
        self.membersOfGroup[group] = members
        let (old, new) = (Set((former ?? []).map(\.id)), Set(members.map(\.id)))
        for id in old.subtracting(new) { self.leave(id, group) }
        for id in new.subtracting(old) { self.groupsOfMember[id, default: []].insert(group) }
        guard former != nil, old != new else { return nil }
        return Change(joined: new.subtracting(old).sorted(), left: old.subtracting(new).sorted())
    }

    /// The device is no longer one of the bridge's; what other groups tell of it stays.
    package mutating func remove(_ device: Device.ID) {
        for member in self.membersOfGroup.removeValue(forKey: device) ?? [] { self.leave(member.id, device) }
    }

    private mutating func leave(_ member: Device.ID, _ group: Device.ID) {
        self.groupsOfMember[member]?.remove(group)
        if self.groupsOfMember[member]?.isEmpty == true { self.groupsOfMember[member] = nil }
    }

    // MARK: What follows for one device

    /// How a device stands to groups.
    /// - Parameter state: of the devices that the bridge knows.
    package func standing(of device: Device.ID, state: (Device.ID) -> DeviceState?) -> GroupStanding {
        var standing = GroupStanding()
        standing.members = self.members(of: device).map { member in
            let known = state(member.id)
            let own = known?.isAvailable == true ? known?.receiver?.volume : nil
            return GroupStanding.Member(
                id: member.id, slug: known?.slug, name: known?.device.friendlyName ?? member.friendlyName, volume: own ?? member.volume,
                isOnline: known?.isAvailable)
        }.sorted { ($0.name ?? "", $0.id) < ($1.name ?? "", $1.id) }
        standing.leader = self.leader(of: device, state: state)
        standing.memberships = self.groups(of: device).compactMap { id in
            state(id).map { group in
                GroupStanding.Membership(
                    id: id, slug: group.slug, name: group.device.friendlyName, isPlaying: GroupPlayback(group)?.player.isActive ?? false,
                    isOpen: group.isAvailable && group.receiver?.application?.isIdleScreen == false,
                    isDynamic: group.device.isDynamicGroup)
            }
        }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return standing
    }

    /// What a member shows of its groups: of several that play, the one that sounds, then the first by id.
    package func playback(on member: Device.ID, state: (Device.ID) -> DeviceState?) -> GroupPlayback? {
        let playing = self.groups(of: member).compactMap { state($0).flatMap(GroupPlayback.init) }
        return playing.first { $0.player == .playing } ?? playing.first
    }

    /// A group listens at an address of its leader, on a port of its own.
    private func leader(of group: Device.ID, state: (Device.ID) -> DeviceState?) -> Device.ID? {
        let members = self.members(of: group).compactMap { state($0.id) }
        if let host = state(group).flatMap({ ($0.details.endpoint ?? $0.device.endpoints.first)?.host }),
            let leader = members.first(where: { member in member.device.endpoints.contains { $0.host == host } })
        {
            return leader.device.id
        }
        return members.first { $0.receiver?.application?.applicationID == ReceiverApplication.groupLeader }?.device.id
    }
}

extension ReceiverApplication {
    /// What the leader of a playing group runs instead of what plays (chromium `cast_media_source.h`).
    static let groupLeader = "531A4F84"
    /// The same on the other members.
    static let groupFollower = "705D30C6"

    /// Whether it stands for what a group plays.
    var isGroupPlaceholder: Bool {
        switch self.applicationID {
        case Self.groupLeader, Self.groupFollower, "MultizoneLeader", "MultizoneFollower": true
        default: false
        }
    }
}
