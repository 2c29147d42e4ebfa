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
    /// Whether discovery begins with the context; otherwise with `DiscoveryManager.startDiscovery`.
    public var startsDiscovery: Bool

    public init(
        receiverApplicationID: String = ReceiverApplication.defaultMediaReceiver, launchOptions: LaunchOptions = LaunchOptions(),
        stopsApplicationWhenEnding: Bool = false, resumePolicy: ResumePolicy = .within(.seconds(300)),
        connectTimeout: Duration = .seconds(20), reconnectPolicy: ReconnectPolicy = ReconnectPolicy(),
        authentication: DeviceAuthentication = DeviceAuthentication(), mediaDefaults: MediaDefaults = MediaDefaults(),
        discovery: DiscoveryManager.Configuration = DiscoveryManager.Configuration(), startsDiscovery: Bool = true
    ) {
        self.receiverApplicationID = receiverApplicationID
        self.launchOptions = launchOptions
        self.stopsApplicationWhenEnding = stopsApplicationWhenEnding
        self.resumePolicy = resumePolicy
        self.connectTimeout = connectTimeout
        self.reconnectPolicy = reconnectPolicy
        self.authentication = authentication
        self.mediaDefaults = mediaDefaults
        self.discovery = discovery
        self.startsDiscovery = startsDiscovery
    }
}
