import NIOCore

extension CastSession {
    /// The identity and the time limits of a session.
    struct Configuration: Sendable {
        var userAgent = "CastSender/1"
        var version = "1"
        var identityTimeout = TimeAmount.milliseconds(1500)
        var statusTimeout = TimeAmount.seconds(6)
        var mediaStatusTimeout = TimeAmount.seconds(5)
        var requestTimeout = TimeAmount.seconds(8)
        var loadTimeout = TimeAmount.seconds(40)
        var launchTimeout = TimeAmount.seconds(60)
        /// How long a request waits for a starting application to report its status.
        var applicationTimeout = TimeAmount.seconds(5)
        /// The pause before a cancelled launch is repeated; the second time twice as long.
        var launchRetryDelay = TimeAmount.milliseconds(500)
        var heartbeat = HeartbeatStateMachine()
        var authentication = DeviceAuthentication()
        /// The device as discovered.
        var device: Device?
        /// The announced capabilities; a certificate may allow fewer.
        var capabilities: DeviceCapabilities?
        var mediaDefaults = MediaDefaults()
    }
}
