import BridgeCore
import CastModels

/// Everything a user can choose, checked. Each part is what one part of the program takes.
public struct Configuration: Sendable, Hashable {
    /// Tells bridges on one broker apart; part of the client id.
    public var instance = "home"
    /// `nil` leaves it to `StateDirectoryPath`.
    public var stateDirectory: String?
    public var mqtt = BrokerConfiguration()
    public var discovery = DiscoveryConfiguration()
    public var status = StatusOptions()
    public var artwork = ArtworkOptions()
    /// How long a lost link may stay lost before the device counts as offline.
    public var availabilityGrace = Duration.seconds(3)
    public var topics = TopicOptions()
    /// What was chosen for single devices, the first that fits counts.
    public var devices: [ConfiguredDevice] = []
    public var commands = CommandOptions()
    /// How text tracks look in what the bridge loads without a style of its own; empty leaves it to the receivers.
    public var textStyle = TextTrackStyle()
    public var homeAssistant = HomeAssistantOptions()
    public var authentication = AuthenticationMode.off
    /// PEM file of the certificates that devices' chains must lead to; `nil` leaves only the comparison with the key of before.
    public var authenticationRoots: String?
    public var secrets = SecretOptions()
    public var log = LogConfiguration()

    /// The defaults.
    public init() {}

    /// The client id in use: the configured one, else `cast2mqtt-<instance>`.
    public var mqttClientID: String { self.mqtt.clientID ?? "cast2mqtt-\(self.instance)" }
}

/// The broker and how to reach it.
public struct BrokerConfiguration: Sendable, Hashable {
    /// `nil` starts a private broker.
    public var host: String?
    /// `nil` is the usual port; see `effectivePort`.
    public var port: Int?
    public var username: String?
    public var password: Secret?
    public var tls = TLS()
    public var protocolVersion = ProtocolVersion.auto
    public var clientID: String?
    /// The first levels of every topic.
    public var base = "cast2mqtt"
    public var keepAliveSeconds = 30
    /// Branches besides the client branch where answers may be sent.
    public var responsePrefixes: [String] = []
    /// How long the broker waits with the will after the link is lost, in seconds; MQTT 5 only.
    public var willDelaySeconds = 0
    /// The first port a private broker tries.
    public var embeddedPort = 18_830

    /// Files are paths of PEM files; without a CA file the system's CAs count.
    public struct TLS: Sendable, Hashable {
        public var isEnabled = false
        public var caFile: String?
        public var certificateFile: String?
        public var keyFile: String?
    }

    /// Which MQTT version is spoken.
    public enum ProtocolVersion: String, Sendable, Hashable, CaseIterable {
        /// 5, and 3.1.1 with brokers that know no better.
        case auto
        case v5 = "5"
        case v311 = "3.1.1"
    }

    /// The configured port, else 8883 with TLS and 1883 without.
    public var effectivePort: Int { self.port ?? (self.tls.isEnabled ? 8883 : 1883) }
}

/// How devices are found.
public struct DiscoveryConfiguration: Sendable, Hashable {
    public var isMulticastEnabled = true
    /// Interface names; empty means all that are up and can multicast.
    public var interfaces: [String] = []
    public var knownHosts: [KnownHost] = []
    /// Patterns on id, name or model; empty takes every device in.
    public var include: [GlobPattern] = []
    /// Patterns on id, name or model; beats `include`.
    public var exclude: [GlobPattern] = []
    /// Ids or names of applications, as commands take them; a device must be able to run one. Empty takes every device in.
    public var applications: [String] = []
    /// What a device must be able to do, as far as it announces its capabilities.
    public var capabilities: DeviceCapabilities = []
}

/// What becomes of the proof that a device is genuine.
public enum AuthenticationMode: String, Sendable, Hashable, CaseIterable {
    /// Devices are not asked for one.
    case off
    /// It is told.
    case report
    /// Without it a device is not talked to.
    case require
}

/// What is hidden in everything that is published or logged.
public struct SecretOptions: Sendable, Hashable {
    /// Whether anything is.
    public var isHidden = true
    /// Names of parameters in web addresses beside `SecretKeys.standard`.
    public var queryKeys: [String] = []

    public var redaction: SecretRedaction { SecretRedaction(isEnabled: self.isHidden, additional: self.queryKeys) }
}

/// What is logged, and how.
public struct LogConfiguration: Sendable, Hashable {
    public var filters = LogFilters()
    public var format = Format.text
    /// The lowest level that goes to `bridge/log`.
    public var publish = PublishedLogLevel.warning

    public enum Format: String, Sendable, Hashable, CaseIterable { case text, json }
}
