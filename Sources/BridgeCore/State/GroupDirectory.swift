import CastModels

/// The members of all groups, as the groups themselves report them. It contains only ids; names, volumes and playback are in the devices'
/// states.
///
/// A group keeps its members while it is not reachable. Bounded by the devices of the bridge and the members of a group.
public struct GroupDirectory: Sendable {
    private var membersOfGroup: [Device.ID: [MultizoneDevice]] = [:]
    private var groupsOfMember: [Device.ID: Set<Device.ID>] = [:]

    public init() {}

    public struct Change: Sendable, Hashable {
        public var joined: [Device.ID]
        public var left: [Device.ID]

        /// Returns the data of the event `group_changed`, apart from the group itself.
        public func facts(members: [Device.ID]) -> JSONObject {
            func list(_ ids: [Device.ID]) -> JSONValue { .array(ids.map { .string($0) }) }
            return ["members": list(members), "joined": list(self.joined), "left": list(self.left)]
        }
    }

    /// Returns the members that a group reported, unchanged.
    public func members(of group: Device.ID) -> [MultizoneDevice] { self.membersOfGroup[group] ?? [] }

    /// Returns the ids of the members that a group reported, in its order.
    public func memberIDs(of group: Device.ID) -> [Device.ID] { self.members(of: group).map(\.id) }

    /// Returns the members at any depth, nearest first: a stereo pair in a group, and then its halves.
    public func everyMemberID(of group: Device.ID) -> [Device.ID] { Self.all(from: group) { self.memberIDs(of: $0) } }

    /// Returns the groups of a device and the groups of those, nearest first, sorted by id where equally near.
    public func groups(of member: Device.ID) -> [Device.ID] { Self.all(from: member, self.directGroups) }

    private func directGroups(of member: Device.ID) -> [Device.ID] { self.groupsOfMember[member]?.sorted() ?? [] }

    /// Returns everything that `next` leads to, each once: reports of devices may form a circle.
    private static func all(from start: Device.ID, _ next: (Device.ID) -> [Device.ID]) -> [Device.ID] {
        var found: [Device.ID] = []
        var seen: Set = [start]
        var level = next(start).filter { seen.insert($0).inserted }
        while !level.isEmpty {
            found += level
            level = level.flatMap(next).filter { seen.insert($0).inserted }
        }
        return found
    }

    /// Returns whether the device is a group or a member of one.
    public func concerns(_ device: Device.ID) -> Bool { self.membersOfGroup[device] != nil || self.groupsOfMember[device] != nil }

    /// Handles the members that a group reports.
    /// - Returns: the changes; `nil` when there are none, and for the first known members.
    public mutating func reported(_ group: Device.ID, _ status: MultizoneStatus) -> Change? {
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

    /// Removes a device of the bridge; the reports of other groups about it are kept.
    public mutating func remove(_ device: Device.ID) {
        for member in self.membersOfGroup.removeValue(forKey: device) ?? [] { self.leave(member.id, device) }
    }

    private mutating func leave(_ member: Device.ID, _ group: Device.ID) {
        self.groupsOfMember[member]?.remove(group)
        if self.groupsOfMember[member]?.isEmpty == true { self.groupsOfMember[member] = nil }
    }

    // MARK: Values for one device

    /// Returns the relation of a device to groups.
    /// - Parameter state: returns the state of a device that the bridge knows.
    public func standing(of device: Device.ID, state: (Device.ID) -> DeviceState?) -> GroupStanding {
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
                    // Neither the idle screen nor what a member shows while its group plays.
                    isOpen: group.isAvailable
                        && group.receiver?.application.map { !$0.isIdleScreen && !$0.isGroupPlaceholder } == true,
                    isDynamic: group.device.isDynamicGroup)
            }
        }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return standing
    }

    /// Returns the playback that a member shows: of several playing groups the one that is audible on it, then the nearest, then the first
    /// by id.
    public func playback(on member: Device.ID, state: (Device.ID) -> DeviceState?) -> GroupPlayback? {
        var playing: [GroupPlayback] = []
        _ = Self.all(from: member) { id in
            // A group that plays something of its own does not follow its groups, and its members don't either.
            if id != member, let own = state(id).flatMap(GroupPlayback.init) {
                playing.append(own)
                return []
            }
            return self.directGroups(of: id)
        }
        return playing.first { $0.player == .playing } ?? playing.first
    }

    /// Returns the leader. A group listens at an address of its leader, on a separate port.
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
