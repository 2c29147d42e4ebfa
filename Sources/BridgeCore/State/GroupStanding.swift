import CastModels

/// How a device stands to speaker groups: who its members are, or to which groups it belongs.
public struct GroupStanding: Sendable, Hashable {
    /// Of a group, its members by name; empty for any other device.
    public var members: [Member] = []
    /// Of a group, the member that leads it; `nil` when nobody can tell.
    public var leader: Device.ID?
    /// The groups it belongs to, by name.
    public var memberships: [Membership] = []

    public init() {}

    /// A device of a group.
    public struct Member: Sendable, Hashable {
        public var id: Device.ID
        /// `nil` when the bridge doesn't know the device.
        public var slug: String?
        public var name: String?
        public var volume: DeviceVolume?
        /// `nil` when the bridge doesn't know the device.
        public var isOnline: Bool?
    }

    /// A group of a device.
    public struct Membership: Sendable, Hashable {
        public var id: Device.ID
        public var slug: String
        public var name: String
        /// Whether the group plays; it may play without this member, that plays something of its own.
        public var isPlaying: Bool
        /// Whether an application is open on the group, which its members then stand in for.
        public var isOpen: Bool
        /// Whether it was made on the fly, so that it may have no topics.
        public var isDynamic = false
    }
}

/// What a group plays, as its members show it.
public struct GroupPlayback: Sendable, Hashable {
    /// The group.
    public var id: Device.ID
    public var name: String
    public var player: DevicePlayerState
    public var media: MediaStatus
    public var anchor: PositionAnchor?
    public var ad: AdAnchor?
    public var queueWindow: MediaQueueWindow?

    /// What `group` plays; `nil` when it plays nothing that a member could show.
    public init?(_ group: DeviceState) {
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
