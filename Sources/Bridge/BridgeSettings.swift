import BridgeCore
import CastSender

/// What a bridge is told when it is made; nothing in it is read from outside later.
public struct BridgeSettings: Sendable {
    /// Tells this bridge from others on the same broker.
    public var instance: String
    public var version: String
    /// The commit it was built from, when known.
    public var commit: String?
    /// Without a will: the bridge sets its own.
    public var mqtt: LinkConfiguration
    public var topics: TopicTree
    /// Topics below which clients may have answers sent, besides the tree's own.
    public var responsePrefixes: [String]
    /// What commands may do, and what they may call applications.
    public var commands: CommandOptions
    public var split: TopicMapper.Split
    /// Between two position ticks; zero is never.
    public var positionInterval: Duration
    public var publishing: PublishingSettings
    public var device: DeviceOptions
    public var discovery: DiscoveryManager.Configuration
    public var reconnect: ReconnectPolicy
    public var life: TopicLife
    /// What was chosen for single devices; the first that fits counts.
    public var devices: [ConfiguredDevice]
    /// Whether and how devices prove that they are genuine. The keys of before are the bridge's own.
    public var authentication: DeviceAuthentication

    /// How long retained topics live, and what they are called.
    public struct TopicLife: Sendable, Hashable {
        /// What slugs are made of.
        public var identity: SlugRegistry.Identity
        /// Whether topics follow a device's name.
        public var followsNames: Bool
        /// Days without a device after which it is removed; `nil` is never.
        public var forgetAfterDays: Int?
        /// Whether leftovers are looked for at the start.
        public var cleansOnStart: Bool
        /// Whether a clean end clears everything.
        public var clearsOnExit: Bool

        public init(
            identity: SlugRegistry.Identity = .slug, followsNames: Bool = false, forgetAfterDays: Int? = nil, cleansOnStart: Bool = true,
            clearsOnExit: Bool = false
        ) {
            self.identity = identity
            self.followsNames = followsNames
            self.forgetAfterDays = forgetAfterDays
            self.cleansOnStart = cleansOnStart
            self.clearsOnExit = clearsOnExit
        }
    }

    public var homeAssistant: HomeAssistantOptions

    public init(
        instance: String, version: String, commit: String? = nil, mqtt: LinkConfiguration, topics: TopicTree,
        responsePrefixes: [String] = [], commands: CommandOptions = CommandOptions(),
        split: TopicMapper.Split = .basic, positionInterval: Duration = .seconds(10),
        publishing: PublishingSettings = PublishingSettings(), device: DeviceOptions = DeviceOptions(),
        discovery: DiscoveryManager.Configuration = .init(), reconnect: ReconnectPolicy = ReconnectPolicy(), life: TopicLife = TopicLife(),
        devices: [ConfiguredDevice] = [], homeAssistant: HomeAssistantOptions = HomeAssistantOptions(mode: .off),
        authentication: DeviceAuthentication = DeviceAuthentication()
    ) {
        self.instance = instance
        self.version = version
        self.commit = commit
        self.mqtt = mqtt
        self.topics = topics
        self.responsePrefixes = responsePrefixes
        self.commands = commands
        self.split = split
        self.positionInterval = positionInterval
        self.publishing = publishing
        self.device = device
        self.discovery = discovery
        self.reconnect = reconnect
        self.life = life
        self.devices = devices
        self.homeAssistant = homeAssistant
        self.authentication = authentication
    }
}

extension BridgeSettings {
    /// Where Home Assistant reports that it started; `nil` while nothing is announced to it.
    var birthTopic: String? { self.homeAssistant.mode == .off ? nil : self.homeAssistant.statusTopic }
}

/// What is published beyond the usual.
public struct PublishingSettings: Sendable, Hashable {
    /// Whether a device that plays and doesn't tell its position is asked for it.
    public var probesPosition: Bool
    public var includesCustomData: Bool
    /// For `status/artwork` without a picture and without an icon.
    public var artworkPlaceholder: String?
    /// Whether groups made on the fly have topics.
    public var includesDynamicGroups: Bool
    /// Whether `bridge/devices` lists the halves of stereo pairs.
    public var listsStereoHalves: Bool

    public init(
        probesPosition: Bool = false, includesCustomData: Bool = false, artworkPlaceholder: String? = nil,
        includesDynamicGroups: Bool = false, listsStereoHalves: Bool = false
    ) {
        self.probesPosition = probesPosition
        self.includesCustomData = includesCustomData
        self.artworkPlaceholder = artworkPlaceholder
        self.includesDynamicGroups = includesDynamicGroups
        self.listsStereoHalves = listsStereoHalves
    }
}

/// Reads and changes the program's log levels; the program owns them.
public struct LogLevels: Sendable {
    public var read: @Sendable () -> LogFilters
    public var write: @Sendable (LogFilters) -> Void

    public init(read: @escaping @Sendable () -> LogFilters, write: @escaping @Sendable (LogFilters) -> Void) {
        self.read = read
        self.write = write
    }
}
