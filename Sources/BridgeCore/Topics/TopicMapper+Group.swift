import CastModels

/// The `group` document.
extension TopicMapper {
    /// Writes the members of a group, or for another device the groups that it belongs to and that have topics.
    func writeGroupDocument(_ state: DeviceState, to writer: inout JSONWriter) {
        writer.member("role", GroupRole(state).rawValue)
        writer.member("leader", state.group.leader)
        writer.objects("members", state.group.members) { member, writer in
            writer.member("id", member.id)
            writer.member("slug", member.slug)
            writer.member("name", text: member.name)
            writer.beginObject("volume")
            writer.member("percent", member.volume?.percent)
            writer.member("level", rounded: member.volume?.clampedLevel)
            writer.member("muted", member.volume?.isMuted)
            writer.endObject()
            writer.member("online", member.isOnline)
        }
        writer.objects("groups", self.groups(state)) { group, writer in
            writer.member("id", group.id)
            writer.member("slug", group.slug)
            writer.member("name", text: group.name)
            writer.member("playing", group.isPlaying)
        }
    }

    /// Writes `state.group`: the group itself, or the one that plays on the device.
    static func writeGroup(_ state: DeviceState, to writer: inout JSONWriter) {
        let role = GroupRole(state)
        writer.beginObject()
        switch role {
        case .leader:
            writer.member("id", state.device.id)
            writer.member("name", text: state.device.friendlyName)
        case .member, .none:
            writer.member("id", state.groupPlayback?.id)
            writer.member("name", text: state.groupPlayback?.name)
        }
        writer.member("role", role.rawValue)
        writer.endObject()
    }
}

extension DeviceState {
    /// Whether the device reports capabilities or is reached at the port of devices, and nothing indicates that it is a group.
    public var isKnownToBeNoGroup: Bool {
        guard GroupRole(self) != .leader, self.group.members.isEmpty else { return false }
        return self.device.capabilities != nil || self.details.endpoint?.port == DeviceEndpoint.devicePort
    }
}

/// The role of a device in groups; the raw values are the words of the documents.
public enum GroupRole: String, Sendable, Hashable, CaseIterable {
    /// The device is a group.
    case leader
    /// The device belongs to one or more groups.
    case member
    case none

    /// - Parameter state: borrowed, because a copy of `DeviceState` retains about 100 references.
    public init(_ state: borrowing DeviceState) {
        if state.device.isGroup || state.device.kind == .stereoPair {
            self = .leader
        } else {
            self = state.group.memberships.isEmpty ? .none : .member
        }
    }
}
