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
    package var responsePrefixes: [String] = []
    package var commands = CommandOptions()
    /// The text track style for media that the bridge loads without one; empty leaves it to the receivers.
    package var textStyle = TextTrackStyle()
    package var status = StatusOptions()
    package var artwork = ArtworkOptions()
    package var device = DeviceOptions()
    package var cast = CastSettings()
    package var topicOptions = TopicOptions()
    /// The choices for single devices; the first entry that matches applies.
    package var devices: [ConfiguredDevice] = []
    package var homeAssistant = HomeAssistantOptions(mode: .off)
    /// Returns the address of the web page for browsers, which changes with the network; `nil` when there is none.
    package var page: @Sendable () -> String? = { nil }
    package var speech = SpeechOptions()
    package var presets = Presets()
    package var announcements = AnnouncementOptions()
    package var redaction = SecretRedaction()
    /// For how many days events are kept; 0 keeps none.
    package var historyDays = 30
    /// Set for a bridge that leads or waits together with another one of the same base.
    package var pair: PairSettings?

    package init(instance: String, build: BuildInformation, mqtt: LinkConfiguration, topics: TopicTree) {
        (self.instance, self.build, self.mqtt, self.topics) = (instance, build, mqtt, topics)
    }

    /// The topic on which Home Assistant reports its start; `nil` when announcements are off.
    var birthTopic: String? { self.homeAssistant.mode == .off ? nil : self.homeAssistant.statusTopic }
}

/// What a member of a pair needs of its configuration; both have the same instance, base and client id.
package struct PairSettings: Sendable {
    /// The name of this member, which no other has; the same over restarts.
    package var owner: String

    package init(owner: String) { self.owner = owner }
}

/// Which devices there are, and how they are reached.
package struct CastSettings: Sendable {
    package var discovery = DiscoveryManager.Configuration()
    /// The ids of applications of which a device must be able to run one. Empty includes every device.
    package var requiredApplications: [String] = []
    package var reconnect = ReconnectPolicy()
    /// The settings of device authentication. The bridge adds the keys of earlier runs.
    package var authentication = DeviceAuthentication()

    package init() {}
}

package struct BuildInformation: Sendable, Hashable {
    package var version: String
    /// The commit that it was built from; `nil` when unknown.
    package var commit: String?

    package init(version: String, commit: String? = nil) { (self.version, self.commit) = (version, commit) }
}

/// Reads and changes the program's log levels; the program owns them.
package struct LogLevels: Sendable {
    package var read: @Sendable () -> LogFilters
    package var write: @Sendable (LogFilters) -> Void

    package init(read: @escaping @Sendable () -> LogFilters, write: @escaping @Sendable (LogFilters) -> Void) {
        (self.read, self.write) = (read, write)
    }
}
