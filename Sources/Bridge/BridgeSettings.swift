import BridgeCore
import CastSender

/// The complete settings of a bridge. Most of them are unchanged sections of the configuration.
package struct BridgeSettings: Sendable {
    /// The name of this bridge, unique on its broker.
    package var instance: String
    package var build: BuildInformation
    /// The link settings without a will, which the bridge adds.
    package var mqtt: LinkConfiguration
    package var topics: TopicTree
    /// Topic prefixes below which clients may receive answers, besides those of the topic tree.
    package var responsePrefixes: [String]
    /// The options of commands, including names of applications.
    package var commands: CommandOptions
    /// The text track style for media that the bridge loads without one; empty leaves it to the receivers.
    package var textStyle: TextTrackStyle
    package var status: StatusOptions
    package var artwork: ArtworkOptions
    package var device: DeviceOptions
    package var cast: CastSettings
    package var topicOptions: TopicOptions
    /// The choices for single devices; the first entry that matches applies.
    package var devices: [ConfiguredDevice]
    package var homeAssistant: HomeAssistantOptions
    /// Replaces secrets in all published messages.
    package var redaction: SecretRedaction

    package init(
        instance: String, build: BuildInformation, mqtt: LinkConfiguration, topics: TopicTree, responsePrefixes: [String] = [],
        commands: CommandOptions = CommandOptions(), textStyle: TextTrackStyle = TextTrackStyle(), status: StatusOptions = StatusOptions(),
        artwork: ArtworkOptions = ArtworkOptions(),
        device: DeviceOptions = DeviceOptions(), cast: CastSettings = CastSettings(),
        topicOptions: TopicOptions = TopicOptions(), devices: [ConfiguredDevice] = [],
        homeAssistant: HomeAssistantOptions = HomeAssistantOptions(mode: .off), redaction: SecretRedaction = SecretRedaction()
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
        self.cast = cast
        self.topicOptions = topicOptions
        self.devices = devices
        self.homeAssistant = homeAssistant
        self.redaction = redaction
    }
}

/// Which devices there are, and how they are reached.
package struct CastSettings: Sendable {
    package var discovery: DiscoveryManager.Configuration
    /// The ids of applications of which a device must be able to run one. Empty includes every device.
    package var requiredApplications: [String]
    package var reconnect: ReconnectPolicy
    /// The settings of device authentication. The bridge adds the keys of earlier runs.
    package var authentication: DeviceAuthentication

    package init(
        discovery: DiscoveryManager.Configuration = .init(), requiredApplications: [String] = [],
        reconnect: ReconnectPolicy = ReconnectPolicy(), authentication: DeviceAuthentication = DeviceAuthentication()
    ) {
        self.discovery = discovery
        self.requiredApplications = requiredApplications
        self.reconnect = reconnect
        self.authentication = authentication
    }
}

/// The version of the program.
package struct BuildInformation: Sendable, Hashable {
    package var version: String
    /// The commit that it was built from; `nil` when unknown.
    package var commit: String?

    package init(version: String, commit: String? = nil) { (self.version, self.commit) = (version, commit) }
}

extension BridgeSettings {
    /// The topic on which Home Assistant reports its start; `nil` when announcements are off.
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
