import BridgeCore
import CastModels

/// Everything a user can choose, checked. Each part is what one part of the program takes.
package struct Configuration: Sendable, Hashable {
    /// Tells bridges on one broker apart; part of the client id.
    package var instance = "home"
    /// `nil` leaves it to `StateDirectoryPath`.
    package var stateDirectory: String?
    package var mqtt = BrokerConfiguration()
    package var discovery = DiscoveryConfiguration()
    package var status = StatusOptions()
    package var artwork = ArtworkOptions()
    /// How long a lost link may stay lost before the device counts as offline.
    package var availabilityGrace = Duration.seconds(3)
    package var topics = TopicOptions()
    /// What was chosen for single devices, the first that fits counts.
    package var devices: [ConfiguredDevice] = []
    package var commands = CommandOptions()
    /// How text tracks look in what the bridge loads without a style of its own; empty leaves it to the receivers.
    package var textStyle = TextTrackStyle()
    package var homeAssistant = HomeAssistantOptions()
    package var authentication = AuthenticationMode.off
    /// PEM file of the certificates that devices' chains must lead to; `nil` leaves only the comparison with the key of before.
    package var authenticationRoots: String?
    package var web = WebOptions()
    package var metrics = MetricsOptions()
    package var secrets = SecretOptions()
    package var log = LogConfiguration()

    /// The defaults.
    package init() {}

    /// The client id in use: the configured one, else `cast2mqtt-<instance>`.
    package var mqttClientID: String { self.mqtt.clientID ?? "cast2mqtt-\(self.instance)" }
}

/// The broker and how to reach it.
package struct BrokerConfiguration: Sendable, Hashable {
    /// `nil` starts a private broker.
    package var host: String?
    /// `nil` is the usual port; see `effectivePort`.
    package var port: Int?
    package var username: String?
    package var password: Secret?
    package var tls = TLS()
    package var protocolVersion = ProtocolVersion.auto
    package var clientID: String?
    /// The first levels of every topic.
    package var base = "cast2mqtt"
    package var keepAliveSeconds = 30
    /// Branches besides the client branch where answers may be sent.
    package var responsePrefixes: [String] = []
    /// How long the broker waits with the will after the link is lost, in seconds; MQTT 5 only.
    package var willDelaySeconds = 0
    /// The first port a private broker tries.
    package var embeddedPort = 18_830

    /// Files are paths of PEM files; without a CA file the system's CAs count.
    package struct TLS: Sendable, Hashable {
        package var isEnabled = false
        package var caFile: String?
        package var certificateFile: String?
        package var keyFile: String?
    }

    /// Which MQTT version is spoken.
    package enum ProtocolVersion: String, Sendable, Hashable, CaseIterable {
        /// 5, and 3.1.1 with brokers that know no better.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// The configured port, else 8883 with TLS and 1883 without.
    package var effectivePort: Int { self.port ?? (self.tls.isEnabled ? 8883 : 1883) }
}

/// How devices are found.
package struct DiscoveryConfiguration: Sendable, Hashable {
    package var isMulticastEnabled = true
    /// Interface names; empty means all that are up and can multicast.
    package var interfaces: [String] = []
    package var knownHosts: [KnownHost] = []
    /// Patterns on id, name or model; empty takes every device in.
    package var include: [GlobPattern] = []
    /// Patterns on id, name or model; beats `include`.
    package var exclude: [GlobPattern] = []
    /// Ids or names of applications, as commands take them; a device must be able to run one. Empty takes every device in.
    package var applications: [String] = []
    /// What a device must be able to do, as far as it announces its capabilities.
    package var capabilities: DeviceCapabilities = []
}

/// What becomes of the proof that a device is genuine.
package enum AuthenticationMode: String, Sendable, Hashable, CaseIterable {
    /// Devices are not asked for one.
    case off
    /// It is told.
    case report
    /// Without it a device is not talked to.
    case require
}

/// What is hidden in everything that is published or logged.
package struct SecretOptions: Sendable, Hashable {
    /// Whether anything is.
    package var isHidden = true
    /// Names of parameters in web addresses beside `SecretKeys.standard`.
    package var queryKeys: [String] = []

    package var redaction: SecretRedaction { SecretRedaction(isEnabled: self.isHidden, additional: self.queryKeys) }
}

/// What is logged, and how.
package struct LogConfiguration: Sendable, Hashable {
    package var filters = LogFilters()
    package var format = Format.text
    /// The lowest level that goes to `bridge/log`.
    package var publish = PublishedLogLevel.warning

    package enum Format: String, Sendable, Hashable, CaseIterable { case text, json }
}
