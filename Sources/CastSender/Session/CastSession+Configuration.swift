import NIOCore

extension CastSession {
    /// How a session presents itself and how long it waits.
    struct Configuration: Sendable {
        var userAgent = "CastSender/1"
        var version = "1"
        var identityTimeout = TimeAmount.milliseconds(1500)
        var statusTimeout = TimeAmount.seconds(6)
        var mediaStatusTimeout = TimeAmount.seconds(5)
        var requestTimeout = TimeAmount.seconds(8)
        var loadTimeout = TimeAmount.seconds(40)
        var launchTimeout = TimeAmount.seconds(60)
        /// How long a request waits for a starting application to tell its status.
        var applicationTimeout = TimeAmount.seconds(5)
        /// How long a cancelled launch waits before it is tried again; the second time twice as long.
        var launchRetryDelay = TimeAmount.milliseconds(500)
        var heartbeat = HeartbeatStateMachine()
        var authentication = DeviceAuthentication()
        /// The device as it was found.
        var device: Device?
        /// What the device announces; a certificate may allow less.
        var capabilities: DeviceCapabilities?
        var mediaDefaults = MediaDefaults()
    }
}
