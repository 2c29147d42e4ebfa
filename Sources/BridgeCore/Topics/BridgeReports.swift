/// What `bridge/info` tells of this process and its configuration. No secret, no path of a key.
package struct BridgeInfo: Sendable, Hashable {
    package var version: String
    package var commit: String?
    package var startedAt: Timestamp
    /// The protocol level of the connection as MQTT counts it: 5, or 4 for version 3.1.1.
    package var mqttProtocolLevel: Int
    package var mqttHost: String
    package var mqttPort: Int
    package var usesTLS: Bool
    package var clientID: String
    /// `device`, `components` or `off`.
    package var homeAssistantMode: String
    package var homeAssistantPrefix: String
    /// What this version can do, for clients that support several versions.
    package var features = Self.features
    /// `keep` or `follow`.
    package var rename: String
    package var logLevel: String

    /// The features of this version.
    package static let features = ["load", "launch", "queue", "tracks", "ads", "groups", "transfer", "custom_namespace", "artwork_url"]

    package init(
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
package struct HealthReport: Sendable, Hashable {
    package var uptimeSeconds = 0
    package var devicesKnown = 0
    package var devicesOnline = 0
    /// Devices that were announced and never connected to; not among the known ones.
    package var devicesUnverified = 0
    package var devicesExcluded = 0
    /// Why discovery has found no device; `nil` when it has, or when a device is online.
    package var discoveryCause: String?
    /// Whether there is a link to the broker now. Only readers beside MQTT ever see `false`.
    package var mqttConnected = false
    /// Connections to the broker that were accepted.
    package var mqttConnects = 0
    package var mqttPublished = 0
    package var mqttReceived = 0
    /// Messages that wait now.
    package var mqttQueued = 0
    /// Events and answers that found their queue full.
    package var mqttDropped = 0
    /// Commands that were refused because they carried the retain flag.
    package var mqttRetainedCommands = 0
    /// Messages that the broker refused, as its access rules or limits had it.
    package var mqttRefused = 0
    /// Links over which a message of ours to ourselves did not come back.
    package var mqttSelfTestsFailed = 0
    package var mqttLastDisconnectCode: Int?
    /// Control links that are up now.
    package var castConnections = 0
    package var castReconnects = 0
    package var castRequests = 0
    package var castTimeouts = 0
    /// The latest that a heartbeat was sent after its time.
    package var heartbeatLateMillisecondsMax = 0
    package var residentMegabytes: Double?
    /// Of one core, since the report before.
    package var cpuPercent: Double?
    package var threads: Int?
    package var fileDescriptors: Int?

    package init() {}
}
