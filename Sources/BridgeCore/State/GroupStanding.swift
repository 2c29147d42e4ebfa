import CastModels

/// The relation of a device to speaker groups: its members if it is a group, and the groups that it belongs to.
package struct GroupStanding: Sendable, Hashable {
    /// The members of a group, sorted by name; empty for other devices.
    package var members: [Member] = []
    /// The member that leads the group; `nil` when unknown.
    package var leader: Device.ID?
    /// The groups that the device belongs to, sorted by name.
    package var memberships: [Membership] = []

    package init() {}

    /// A member of a group.
    package struct Member: Sendable, Hashable {
        package var id: Device.ID
        /// The slug; `nil` for a device that the bridge does not know.
        package var slug: String?
        package var name: String?
        package var volume: DeviceVolume?
        /// Whether it is online; `nil` for a device that the bridge does not know.
        package var isOnline: Bool?
    }

    /// A group of a device.
    package struct Membership: Sendable, Hashable {
        package var id: Device.ID
        package var slug: String
        package var name: String
        /// Whether the group is playing; a member may play its own media meanwhile.
        package var isPlaying: Bool
        /// Whether an application is open on the group; its members then show a placeholder.
        package var isOpen: Bool
        /// Whether it was formed for one playback; such a group may have no topics.
        package var isDynamic = false
    }
}

/// The playback of a group, as its members show it.
package struct GroupPlayback: Sendable, Hashable {
    /// The id of the group.
    package var id: Device.ID
    package var name: String
    package var player: DevicePlayerState
    package var media: MediaStatus
    package var anchor: PositionAnchor?
    package var ad: AdAnchor?
    package var queueWindow: MediaQueueWindow?

    /// Creates the playback of `group`; `nil` when a member has nothing to show.
    package init?(_ group: DeviceState) {
        guard group.isAvailable, let media = group.shownMedia, group.player.isActive || group.player == .paused else { return nil }
        self.id = group.device.id
        self.name = group.device.friendlyName
        self.player = group.player
        self.media = media
        self.anchor = group.anchor
        self.ad = group.ad
        self.queueWindow = group.queueWindow
    }
}
