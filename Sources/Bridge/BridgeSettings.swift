import BridgeCore
import CastSender

/// The settings of a bridge, complete when it is made. Most of them are sections of the configuration as they are.
package struct BridgeSettings: Sendable {
    /// Tells this bridge from others on the same broker.
    package var instance: String
    package var build: BuildInformation
    /// Without a will: the bridge sets its own.
    package var mqtt: LinkConfiguration
    package var topics: TopicTree
    /// Topics below which clients may have answers sent, besides the tree's own.
    package var responsePrefixes: [String]
    /// What commands may do, and what they may call applications.
    package var commands: CommandOptions
    /// How text tracks look in what the bridge loads without a style of its own; empty leaves it to the receivers.
    package var textStyle: TextTrackStyle
    package var status: StatusOptions
    package var artwork: ArtworkOptions
    package var device: DeviceOptions
    package var discovery: DiscoveryManager.Configuration
    /// Ids of applications; a device must be able to run one of them to be taken in. Empty takes every device in.
    package var requiredApplications: [String]
    package var reconnect: ReconnectPolicy
    package var topicOptions: TopicOptions
    /// What was chosen for single devices; the first that fits counts.
    package var devices: [ConfiguredDevice]
    package var homeAssistant: HomeAssistantOptions
    /// Whether and how devices prove that they are genuine. The keys of earlier runs are added by the bridge.
    package var authentication: DeviceAuthentication
    /// What replaces secrets in everything that is published.
    package var redaction: SecretRedaction

    package init(
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
package struct BuildInformation: Sendable, Hashable {
    package var version: String
    /// The commit it was built from, when known.
    package var commit: String?

    package init(version: String, commit: String? = nil) { (self.version, self.commit) = (version, commit) }
}

extension BridgeSettings {
    /// Where Home Assistant reports that it started; `nil` while nothing is announced to it.
    var birthTopic: String? { self.homeAssistant.mode == .off ? nil : self.homeAssistant.statusTopic }
}

/// Reads and changes the program's log levels; the program owns them.
package struct LogLevels: Sendable {
    package var read: @Sendable () -> LogFilters
    package var write: @Sendable (LogFilters) -> Void

    package init(read: @escaping @Sendable () -> LogFilters, write: @escaping @Sendable (LogFilters) -> Void) {
        self.read = read
        self.write = write
    }
}
