import CastModels

/// The relation of a device to speaker groups: its members if it is a group, and the groups that it belongs to.
public struct GroupStanding: Sendable, Hashable {
    /// The members of a group, sorted by name; empty for other devices.
    public var members: [Member] = []
    /// The member that leads the group; `nil` when unknown.
    public var leader: Device.ID?
    /// The groups that the device belongs to, sorted by name.
    public var memberships: [Membership] = []

    public init() {}

    public struct Member: Sendable, Hashable {
        public var id: Device.ID
        /// The slug; `nil` for a device that the bridge does not know.
        public var slug: String?
        public var name: String?
        public var volume: DeviceVolume?
        /// Whether it is online; `nil` for a device that the bridge does not know.
        public var isOnline: Bool?
    }

    /// A group of a device.
    public struct Membership: Sendable, Hashable {
        public var id: Device.ID
        public var slug: String
        public var name: String
        /// Whether the group is playing; a member may play its own media meanwhile.
        public var isPlaying: Bool
        /// Whether an application is open on the group; its members then show a placeholder.
        public var isOpen: Bool
        /// Whether it was formed for one playback; such a group may have no topics.
        public var isDynamic = false
    }
}

/// The playback of a group, as its members show it.
public struct GroupPlayback: Sendable, Hashable {
    public var id: Device.ID
    public var name: String
    public var player: DevicePlayerState
    public var media: MediaStatus
    public var anchor: PositionAnchor?
    public var ad: AdAnchor?
    public var queue: MediaQueueWindow?

    /// Creates the playback of `group`; `nil` when a member has nothing to show.
    public init?(_ group: DeviceState) {
        guard group.isAvailable, let media = group.media.shown, group.player.isActive || group.player == .paused else { return nil }
        self.id = group.device.id
        self.name = group.device.friendlyName
        self.player = group.player
        self.media = media
        self.anchor = group.media.anchor
        self.ad = group.media.ad
        self.queue = group.media.queue
    }
}
