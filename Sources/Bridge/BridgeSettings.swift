import BridgeCore
import CastSender

/// The settings of a bridge, complete when it is made. Most of them are sections of the configuration as they are.
public struct BridgeSettings: Sendable {
    /// Tells this bridge from others on the same broker.
    public var instance: String
    public var build: BuildInformation
    /// Without a will: the bridge sets its own.
    public var mqtt: LinkConfiguration
    public var topics: TopicTree
    /// Topics below which clients may have answers sent, besides the tree's own.
    public var responsePrefixes: [String]
    /// What commands may do, and what they may call applications.
    public var commands: CommandOptions
    /// How text tracks look in what the bridge loads without a style of its own; empty leaves it to the receivers.
    public var textStyle: TextTrackStyle
    public var status: StatusOptions
    public var artwork: ArtworkOptions
    public var device: DeviceOptions
    public var discovery: DiscoveryManager.Configuration
    /// Ids of applications; a device must be able to run one of them to be taken in. Empty takes every device in.
    public var requiredApplications: [String]
    public var reconnect: ReconnectPolicy
    public var topicOptions: TopicOptions
    /// What was chosen for single devices; the first that fits counts.
    public var devices: [ConfiguredDevice]
    public var homeAssistant: HomeAssistantOptions
    /// Whether and how devices prove that they are genuine. The keys of earlier runs are added by the bridge.
    public var authentication: DeviceAuthentication
    /// What replaces secrets in everything that is published.
    public var redaction: SecretRedaction

    public init(
        instance: String, build: BuildInformation, mqtt: LinkConfiguration, topics: TopicTree, responsePrefixes: [String] = [],
        commands: CommandOptions = CommandOptions(), textStyle: TextTrackStyle = TextTrackStyle(), status: StatusOptions = StatusOptions(),
        artwork: ArtworkOptions = ArtworkOptions(),
        device: DeviceOptions = DeviceOptions(),
        discovery: DiscoveryManager.Configuration = .init(), requiredApplications: [String] = [],
        reconnect: ReconnectPolicy = ReconnectPolicy(),
        topicOptions: TopicOptions = TopicOptions(), devices: [ConfiguredDevice] = [],
        homeAssistant: HomeAssistantOptions = HomeAssistantOptions(mode: .off),
        authentication: DeviceAuthentication = DeviceAuthentication(), redaction: SecretRedaction = SecretRedaction()
    ) {
        self.instance = instance
        self.build = build
        self.mqtt = mqtt
        self.topics = topics
        self.responsePrefixes = responsePrefixes
        self.commands = commands
        self.textStyle = textStyle
        self.status = status
        self.artwork = artwork
        self.device = device
        self.discovery = discovery
        self.requiredApplications = requiredApplications
        self.reconnect = reconnect
        self.topicOptions = topicOptions
        self.devices = devices
        self.homeAssistant = homeAssistant
        self.authentication = authentication
        self.redaction = redaction
    }
}

/// Which program this is.
public struct BuildInformation: Sendable, Hashable {
    public var version: String
    /// The commit it was built from, when known.
    public var commit: String?

    public init(version: String, commit: String? = nil) { (self.version, self.commit) = (version, commit) }
}

extension BridgeSettings {
    /// Where Home Assistant reports that it started; `nil` while nothing is announced to it.
    var birthTopic: String? { self.homeAssistant.mode == .off ? nil : self.homeAssistant.statusTopic }
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
