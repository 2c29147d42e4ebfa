/// The content of `bridge/info`: this process and its configuration. No secret, no path of a key.
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
    /// The features of this version, for clients that support several versions.
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

/// The numbers in `bridge/health`, counted since the start.
package struct HealthReport: Sendable, Hashable {
    package var uptimeSeconds = 0
    package var devicesKnown = 0
    package var devicesOnline = 0
    /// The number of devices that were announced and never connected; not among the known ones.
    package var devicesUnverified = 0
    package var devicesExcluded = 0
    /// Why discovery has found no device; `nil` when it has, or when a device is online.
    package var discoveryCause: String?
    /// Whether there is a link to the broker now. Only readers beside MQTT can see `false`.
    package var mqttConnected = false
    /// The number of accepted connections to the broker.
    package var mqttConnects = 0
    package var mqttPublished = 0
    package var mqttReceived = 0
    /// The number of waiting messages.
    package var mqttQueued = 0
    /// The number of dropped events and answers, because their queue was full.
    package var mqttDropped = 0
    /// The number of commands that were refused because they had the retain flag.
    package var mqttRetainedCommands = 0
    /// The number of messages that the broker refused, because of its access rules or limits.
    package var mqttRefused = 0
    /// The number of failed self-tests: the broker did not deliver our own message.
    package var mqttSelfTestsFailed = 0
    package var mqttLastDisconnectCode: Int?
    /// The number of open control links.
    package var castConnections = 0
    package var castReconnects = 0
    package var castRequests = 0
    package var castTimeouts = 0
    /// The largest delay of a heartbeat.
    package var heartbeatLateMillisecondsMax = 0
    package var residentMegabytes: Double?
    /// The percentage of one core since the previous report.
    package var cpuPercent: Double?
    package var threads: Int?
    package var fileDescriptors: Int?

    package init() {}
}
