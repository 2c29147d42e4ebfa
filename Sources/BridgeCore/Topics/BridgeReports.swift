/// What `bridge/info` tells of this process and its configuration. No secret, no path of a key.
public struct BridgeInfo: Sendable, Hashable {
    public var version: String
    public var commit: String?
    public var startedAt: Timestamp
    /// The protocol level of the connection as MQTT counts it: 5, or 4 for version 3.1.1.
    public var mqttProtocolLevel: Int
    public var mqttHost: String
    public var mqttPort: Int
    public var usesTLS: Bool
    public var clientID: String
    /// `device`, `components` or `off`.
    public var homeAssistantMode: String
    public var homeAssistantPrefix: String
    /// What this version can do, for clients that support several versions.
    public var features = Self.features
    /// `keep` or `follow`.
    public var rename: String
    public var logLevel: String

    /// The features of this version.
    public static let features = ["load", "launch", "queue", "tracks", "ads", "groups", "transfer", "custom_namespace", "artwork_url"]

    public init(
        version: String, commit: String?, startedAt: Timestamp, mqttProtocolLevel: Int, mqttHost: String, mqttPort: Int, usesTLS: Bool,
        clientID: String, homeAssistantMode: String, homeAssistantPrefix: String, rename: String, logLevel: String
    ) {
        self.version = version
        self.commit = commit
        self.startedAt = startedAt
        self.mqttProtocolLevel = mqttProtocolLevel
        self.mqttHost = mqttHost
        self.mqttPort = mqttPort
        self.usesTLS = usesTLS
        self.clientID = clientID
        self.homeAssistantMode = homeAssistantMode
        self.homeAssistantPrefix = homeAssistantPrefix
        self.rename = rename
        self.logLevel = logLevel
    }
}

/// The numbers of `bridge/health`, as the daemon counted them since its start.
public struct HealthReport: Sendable, Hashable {
    public var uptimeSeconds = 0
    public var devicesKnown = 0
    public var devicesOnline = 0
    /// Devices that were announced and never connected to; not among the known ones.
    public var devicesUnverified = 0
    public var devicesExcluded = 0
    /// Why discovery has found no device; `nil` when it has, or when a device is online.
    public var discoveryCause: String?
    /// Connections to the broker that were accepted.
    public var mqttConnects = 0
    public var mqttPublished = 0
    public var mqttReceived = 0
    /// Messages that wait now.
    public var mqttQueued = 0
    /// Events and answers that found their queue full.
    public var mqttDropped = 0
    /// Commands that were refused because they carried the retain flag.
    public var mqttRetainedCommands = 0
    /// Messages that the broker refused, as its access rules or limits had it.
    public var mqttRefused = 0
    /// Links over which a message of ours to ourselves did not come back.
    public var mqttSelfTestsFailed = 0
    public var mqttLastDisconnectCode: Int?
    /// Control links that are up now.
    public var castConnections = 0
    public var castReconnects = 0
    public var castRequests = 0
    public var castTimeouts = 0
    /// The latest that a heartbeat was sent after its time.
    public var heartbeatLateMillisecondsMax = 0
    public var residentMegabytes: Double?
    /// Of one core, since the report before.
    public var cpuPercent: Double?
    public var threads: Int?
    public var fileDescriptors: Int?

    public init() {}
}
