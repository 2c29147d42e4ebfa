import CastModels

/// The content of `bridge/info`: this process and its configuration. No secret, no path of a key.
public struct BridgeInfo: Sendable, Hashable {
    public var version: String
    public var commit: String?
    public var startedAt: Timestamp
    /// The protocol level of the connection as MQTT counts it: 5, or 4 for version 3.1.1.
    public var mqttProtocolLevel: Int
    public var mqttHost: String
    public var mqttPort: Int
    public var usesTLS: Bool
    public var homeAssistant: HomeAssistantOptions
    /// The features of this version, for clients that support several versions.
    public var features = Self.features
    /// `keep` or `follow`.
    public var rename: String
    public var logLevel: String
    /// The pair that this bridge belongs to, as it sees it; `nil` for a bridge alone.
    public var pair: JSONObject?

    /// The features of this version.
    public static let features = [
        "load", "launch", "queue", "tracks", "ads", "groups", "transfer", "announce", "presets", "sleep", "custom_namespace", "artwork_url",
        "home_assistant_mode",
    ]

    public init(
        version: String, commit: String?, startedAt: Timestamp, mqttProtocolLevel: Int, mqttHost: String, mqttPort: Int, usesTLS: Bool,
        homeAssistant: HomeAssistantOptions, rename: String, logLevel: String
    ) {
        self.version = version
        self.commit = commit
        self.startedAt = startedAt
        self.mqttProtocolLevel = mqttProtocolLevel
        self.mqttHost = mqttHost
        self.mqttPort = mqttPort
        self.usesTLS = usesTLS
        self.homeAssistant = homeAssistant
        self.rename = rename
        self.logLevel = logLevel
    }
}

/// The numbers in `bridge/health`, counted since the start.
public struct HealthReport: Sendable, Hashable {
    public var uptimeSeconds = 0
    public var devicesKnown = 0
    public var devicesOnline = 0
    /// The number of devices that were announced and never connected; not among the known ones.
    public var devicesUnverified = 0
    public var devicesExcluded = 0
    /// Why discovery has found no device; `nil` when it has, or when a device is online.
    public var discoveryCause: String?
    /// Whether there is a link to the broker now. Only readers beside MQTT can see `false`.
    public var mqttConnected = false
    public var mqttConnects = 0
    public var mqttPublished = 0
    public var mqttReceived = 0
    public var mqttQueued = 0
    /// The number of dropped events and answers, because their queue was full.
    public var mqttDropped = 0
    /// The number of commands that were refused because they had the retain flag.
    public var mqttRetainedCommands = 0
    /// The number of messages that the broker refused, because of its access rules or limits.
    public var mqttRefused = 0
    /// The number of failed self-tests: the broker did not deliver our own message.
    public var mqttSelfTestsFailed = 0
    public var mqttLastDisconnectCode: Int?
    /// The number of open control links.
    public var castConnections = 0
    public var castReconnects = 0
    public var castRequests = 0
    public var castTimeouts = 0
    public var heartbeatLateMillisecondsMax = 0
    public var residentMegabytes: Double?
    /// The percentage of one core since the previous report.
    public var cpuPercent: Double?
    public var threads: Int?
    public var fileDescriptors: Int?

    public init() {}
}
