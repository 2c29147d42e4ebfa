import BridgeCore
import CastModels

/// All settings of a user, checked. Each part belongs to one part of the program.
package struct Configuration: Sendable, Hashable {
    /// The name of the bridge, unique on its broker; part of the client id.
    package var instance = "home"
    /// Whether this bridge is a member of a pair.
    package var isStandby = false
    /// The path of the state directory; `nil` uses `StateDirectoryPath`.
    package var stateDirectory: String?
    package var mqtt = BrokerConfiguration()
    package var discovery = DiscoveryConfiguration()
    package var status = StatusOptions()
    package var artwork = ArtworkOptions()
    /// How long a lost link may take to recover before the device is offline.
    package var availabilityGrace = Duration.seconds(3)
    package var topics = TopicOptions()
    /// The choices for single devices; the first entry that matches applies.
    package var devices: [ConfiguredDevice] = []
    package var commands = CommandOptions()
    /// The text track style for media that the bridge loads without one; empty leaves it to the receivers.
    package var textStyle = TextTrackStyle()
    package var homeAssistant = HomeAssistantOptions()
    package var authentication = AuthenticationMode.off
    /// The PEM file of the trust anchors for devices' certificates; `nil` leaves only the comparison with the remembered key.
    package var authenticationRoots: String?
    package var web = WebOptions()
    package var metrics = MetricsOptions()
    package var media = MediaOptions()
    package var speech = SpeechOptions()
    package var presets = Presets()
    package var announcements = AnnouncementOptions()
    /// For how many days the history is kept; 0 keeps none.
    package var historyDays = 30
    package var secrets = SecretOptions()
    package var log = LogConfiguration()

    package init() {}

    /// Returns the effective client id: the configured one, else `cast2mqtt-<instance>-<digits>`, which no other client can guess.
    package func mqttClientID(digits: String) -> String { self.mqtt.clientID ?? "cast2mqtt-\(self.instance)-\(digits)" }
}

package struct BrokerConfiguration: Sendable, Hashable {
    /// The host; `nil` starts a private broker.
    package var host: String?
    /// The port; `nil` is the standard port, see `effectivePort`.
    package var port: Int?
    package var username: String?
    package var password: Secret?
    package var passwordFile: String?
    package var tls = TLS()
    package var protocolVersion = ProtocolVersion.auto
    package var clientID: String?
    /// The first levels of every topic.
    package var base = "cast2mqtt"
    package var keepAliveSeconds = 30
    /// Topic prefixes, besides the client prefix, below which answers may be sent.
    package var responsePrefixes: [String] = []
    /// How long the broker delays the will after the link is lost, in seconds; MQTT 5 only.
    package var willDelaySeconds = 0
    /// The first port that a private broker tries.
    package var embeddedPort = 18_830

    /// TLS settings; files are paths of PEM files. Without a CA file the system's CAs apply.
    package struct TLS: Sendable, Hashable {
        package var isEnabled = false
        package var caFile: String?
        package var certificateFile: String?
        package var keyFile: String?
    }

    package enum ProtocolVersion: String, Sendable, Hashable, CaseIterable {
        /// Version 5, and 3.1.1 with brokers that do not support 5.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// The configured port, else 8883 with TLS and 1883 without.
    package var effectivePort: Int { self.port ?? (self.tls.isEnabled ? 8883 : 1883) }
}

package struct DiscoveryConfiguration: Sendable, Hashable {
    package var isMulticastEnabled = true
    /// The names of network interfaces; empty selects all that are up and can multicast.
    package var interfaces: [String] = []
    package var knownHosts: [KnownHost] = []
    /// Patterns for id, name or model; empty includes every device.
    package var include: [GlobPattern] = []
    /// Patterns for id, name or model; they override `include`.
    package var exclude: [GlobPattern] = []
    /// Ids or names of applications, as in commands; a device must be able to run one of them. Empty includes every device.
    package var applications: [String] = []
    /// The capabilities that a device must have, as far as it announces them.
    package var capabilities: DeviceCapabilities = []
}

/// The effect of the proof that a device is genuine.
package enum AuthenticationMode: String, Sendable, Hashable, CaseIterable {
    /// Devices are not challenged.
    case off
    /// The result is reported.
    case report
    /// A device without a valid proof is not used.
    case require
}

/// The secrets to hide in everything that is published or logged.
package struct SecretOptions: Sendable, Hashable {
    package var isHidden = true
    /// Names of query parameters in addition to `SecretKeys.standard`.
    package var queryKeys: [String] = []

    package var redaction: SecretRedaction { SecretRedaction(isEnabled: self.isHidden, additional: self.queryKeys) }
}

package struct LogConfiguration: Sendable, Hashable {
    package var filters = LogFilters()
    package var format = Format.text
    /// The lowest level that is published on `bridge/log`.
    package var publish = PublishedLogLevel.warning

    package enum Format: String, Sendable, Hashable, CaseIterable { case text, json }
}
