import CastModels

/// How a context finds devices and conducts sessions (SDK: `GCKCastOptions`).
public struct CastOptions: Sendable {
    /// The application that sessions launch unless told otherwise.
    public var receiverApplicationID: String
    public var launchOptions: LaunchOptions
    /// Whether ending a session stops its application; otherwise the application is left to itself.
    public var stopsApplicationWhenEnding: Bool
    /// What becomes of sessions whose link breaks.
    public var resumePolicy: ResumePolicy
    /// Keeps sessions over the end of the program: what it holds is resumed when the context runs, as `resumePolicy` allows, and it is
    /// brought up to date with each session that starts, moves or ends; with `.never` it is left alone. `nil` leaves that to `SessionManager.record(of:)`.
    public var sessionStore: (any SessionStore)?
    /// Whether a session follows its stream to another device when another sender moves it there. While it looks for the stream, for at most 10 s,
    /// it connects to the devices that discovery has found.
    public var followsMovedStreams: Bool
    /// How long starting or resuming a session may take until the device is connected and read; launching has times of its own.
    public var connectTimeout: Duration
    /// How broken links are made anew.
    public var reconnectPolicy: ReconnectPolicy
    /// Whether and how devices must prove that they are genuine before sessions with them begin.
    public var authentication: DeviceAuthentication
    /// What `CastSession.remoteMediaClient` begins with.
    public var mediaDefaults: MediaDefaults
    /// Where to look for devices, and for which ones.
    public var discovery: DiscoveryManager.Configuration
    /// Whether the list of devices holds only those that can run `receiverApplicationID`, as in the SDK: adds that to
    /// `DiscoveryCriteria.applicationIDs`. Each device is then asked once, over a link of its own.
    public var filtersDiscovery: Bool
    /// Whether discovery begins with the context; otherwise with `DiscoveryManager.startDiscovery`.
    public var startsDiscovery: Bool

    public init(
        receiverApplicationID: String = ReceiverApplication.defaultMediaReceiver, launchOptions: LaunchOptions = LaunchOptions(),
        stopsApplicationWhenEnding: Bool = false, resumePolicy: ResumePolicy = .within(.seconds(300)),
        sessionStore: (any SessionStore)? = nil, followsMovedStreams: Bool = true, connectTimeout: Duration = .seconds(20),
        reconnectPolicy: ReconnectPolicy = ReconnectPolicy(),
        authentication: DeviceAuthentication = DeviceAuthentication(), mediaDefaults: MediaDefaults = MediaDefaults(),
        discovery: DiscoveryManager.Configuration = DiscoveryManager.Configuration(), filtersDiscovery: Bool = false,
        startsDiscovery: Bool = true
    ) {
        self.receiverApplicationID = receiverApplicationID
        self.launchOptions = launchOptions
        self.stopsApplicationWhenEnding = stopsApplicationWhenEnding
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

    /// `discovery`, with the receiver application among its criteria if it filters.
    var filteredDiscovery: DiscoveryManager.Configuration {
        var discovery = self.discovery
        if self.filtersDiscovery, !discovery.criteria.applicationIDs.contains(self.receiverApplicationID) {
            discovery.criteria.applicationIDs.append(self.receiverApplicationID)
        }
        return discovery
    }
}
