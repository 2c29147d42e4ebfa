import CastModels

/// How a device stands to speaker groups: who its members are, or to which groups it belongs.
package struct GroupStanding: Sendable, Hashable {
    /// Of a group, its members by name; empty for any other device.
    package var members: [Member] = []
    /// Of a group, the member that leads it; `nil` when nobody can tell.
    package var leader: Device.ID?
    /// The groups it belongs to, by name.
    package var memberships: [Membership] = []

    package init() {}

    /// A device of a group.
    package struct Member: Sendable, Hashable {
        package var id: Device.ID
        /// `nil` when the bridge doesn't know the device.
        package var slug: String?
        package var name: String?
        package var volume: DeviceVolume?
        /// `nil` when the bridge doesn't know the device.
        package var isOnline: Bool?
    }

    /// A group of a device.
    package struct Membership: Sendable, Hashable {
        package var id: Device.ID
        package var slug: String
        package var name: String
        /// Whether the group plays; it may play without this member, that plays something of its own.
        package var isPlaying: Bool
        /// Whether an application is open on the group, which its members then stand in for.
        package var isOpen: Bool
        /// Whether it was made on the fly, so that it may have no topics.
        package var isDynamic = false
    }
}

/// What a group plays, as its members show it.
package struct GroupPlayback: Sendable, Hashable {
    /// The group.
    package var id: Device.ID
    package var name: String
    package var player: DevicePlayerState
    package var media: MediaStatus
    package var anchor: PositionAnchor?
    package var ad: AdAnchor?
    package var queueWindow: MediaQueueWindow?

    /// What `group` plays; `nil` when it plays nothing that a member could show.
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
