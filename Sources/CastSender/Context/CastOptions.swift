import CastModels

/// The settings of a context: discovery and sessions (SDK: `GCKCastOptions`).
public struct CastOptions: Sendable {
    /// The application that sessions launch unless they name another.
    public var receiverApplicationID: String
    public var launchOptions: LaunchOptions
    /// Whether ending a session stops its application; otherwise the application keeps running.
    public var stopsApplicationWhenEnding: Bool
    /// Whether there may be sessions with several devices; otherwise a start or a join ends the session with another device first, as the
    /// SDK's device dialog does.
    public var allowsSeveralSessions: Bool
    /// How sessions whose link breaks are treated.
    public var resumePolicy: ResumePolicy
    /// Stores sessions across restarts of the program. Stored sessions are resumed when the context runs, as `resumePolicy` allows, and the
    /// store is updated with each session that starts, moves or ends. With `.never` it is not used. `nil` leaves storage to the caller with
    /// `SessionManager.record(of:)`.
    public var sessionStore: (any SessionStore)?
    /// Whether a session follows its stream when another sender moves it to another device. While it searches for the stream, for at most
    /// 10 s, it connects to the discovered devices.
    public var followsMovedStreams: Bool
    /// The time limit for starting or resuming a session, until the device is connected and its state is read. Launching has its own
    /// limits.
    public var connectTimeout: Duration
    /// How broken links are reconnected.
    public var reconnectPolicy: ReconnectPolicy
    /// Whether and how devices must prove that they are genuine before sessions with them begin.
    public var authentication: DeviceAuthentication
    /// The initial defaults of `CastSession.remoteMediaClient`.
    public var mediaDefaults: MediaDefaults
    /// Where to search for devices, and for which ones.
    public var discovery: DiscoveryManager.Configuration
    /// Whether the list of devices holds only those that can run `receiverApplicationID`, as in the SDK: adds the id to
    /// `DiscoveryCriteria.applicationIDs`. Each device is then asked once, over a separate link.
    public var filtersDiscovery: Bool
    /// Whether discovery starts with the context; otherwise it starts with `DiscoveryManager.startDiscovery`.
    public var startsDiscovery: Bool

    public init(
        receiverApplicationID: String = ReceiverApplication.defaultMediaReceiver, launchOptions: LaunchOptions = LaunchOptions(),
        stopsApplicationWhenEnding: Bool = false, allowsSeveralSessions: Bool = true,
        resumePolicy: ResumePolicy = .within(.seconds(300)),
        sessionStore: (any SessionStore)? = nil, followsMovedStreams: Bool = true, connectTimeout: Duration = .seconds(20),
        reconnectPolicy: ReconnectPolicy = ReconnectPolicy(),
        authentication: DeviceAuthentication = DeviceAuthentication(), mediaDefaults: MediaDefaults = MediaDefaults(),
        discovery: DiscoveryManager.Configuration = DiscoveryManager.Configuration(), filtersDiscovery: Bool = false,
        startsDiscovery: Bool = true
    ) {
        self.receiverApplicationID = receiverApplicationID
        self.launchOptions = launchOptions
        self.stopsApplicationWhenEnding = stopsApplicationWhenEnding
        self.allowsSeveralSessions = allowsSeveralSessions
        self.resumePolicy = resumePolicy
        self.sessionStore = sessionStore
        self.followsMovedStreams = followsMovedStreams
        self.connectTimeout = connectTimeout
        self.reconnectPolicy = reconnectPolicy
        self.authentication = authentication
        self.mediaDefaults = mediaDefaults
        self.discovery = discovery
        self.filtersDiscovery = filtersDiscovery
        self.startsDiscovery = startsDiscovery
    }

    /// `discovery`, with the receiver application among its criteria if `filtersDiscovery` is set.
    var filteredDiscovery: DiscoveryManager.Configuration {
        var discovery = self.discovery
        if self.filtersDiscovery, !discovery.criteria.applicationIDs.contains(self.receiverApplicationID) {
            discovery.criteria.applicationIDs.append(self.receiverApplicationID)
        }
        return discovery
    }
}
