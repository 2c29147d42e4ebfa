import CastModels
import EventLoopTiming
import NIOCore

extension CastSession {
    /// The identity and the time limits of a session.
    struct Configuration: Sendable {
        var userAgent = "CastSender/1"
        var version = "1"
        var identityTimeout = TimeAmount.milliseconds(1500)
        var statusTimeout = TimeAmount.seconds(6)
        /// The time limit of a question that no caller waits for.
        var mediaStatusTimeout = TimeAmount.seconds(5)
        /// How long a receiver usually takes at most. Then it is asked whether it did what was requested.
        var requestTimeout = TimeAmount.seconds(8)
        /// The time limit of a user's request.
        private(set) var commandTimeout = TimeAmount.seconds(15)
        /// How long a load may take without a sign of the application.
        var loadTimeout = TimeAmount.seconds(40)
        /// When an application is asked for its status after a load, to see whether it lives.
        var loadProbe = TimeAmount.seconds(1)
        /// How long a launch may take without a sign of the platform.
        var launchTimeout = TimeAmount.seconds(60)
        /// The time limit of a load and of a launch.
        private(set) var loadLimit = TimeAmount.seconds(180)
        /// How long a permitted launch waits for the application.
        var appearanceTimeout = TimeAmount.seconds(18)
        /// How long a request waits for a starting application to report its status.
        var applicationTimeout = TimeAmount.seconds(5)
        /// How long `join` waits for an application that closes the first connections.
        var joinTimeout = TimeAmount.seconds(12)
        /// The pause before a cancelled launch is repeated; the second time twice as long.
        var launchRetryDelay = TimeAmount.milliseconds(500)
        /// Devices ping every 5 s. A ping of ours is needed only where one of theirs is late.
        var heartbeat = HeartbeatStateMachine(interval: .seconds(6))
        /// The alarms of the heartbeat.
        var alarms = SharedAlarms()
        var authentication = DeviceAuthentication()
        var mediaDefaults = MediaDefaults()
        /// The options of a launch that has none of its own.
        var launchOptions = LaunchOptions()
        /// Asked before each request and each message to an application; while `false` they fail at once. Heartbeats and observation go on.
        var allowsRequests: @Sendable () -> Bool = { true }
        /// Whether queues are read as soon as they exist, and reported as `queueWindow`.
        var followsQueue = false

        mutating func limit(to limit: TimeAmount) { (self.commandTimeout, self.loadLimit) = (limit, limit) }
    }

    /// A connected channel to the device, and what belongs to it alone.
    struct Link {
        /// Has a `CastFrameHandler`.
        var channel: any Channel
        var endpoint: DeviceEndpoint
        var identity: IdentityCheck
        /// The device as discovered.
        var device: Device?
        /// The announced capabilities; a certificate may allow fewer.
        var capabilities: DeviceCapabilities?
        /// Our part in an application session, from another device or an earlier run of the program; `nil` keeps what the session knows.
        var participation: Participation?
        /// Called on the event loop with every event.
        var onEvent: @Sendable (CastLinkEvent) -> Void
    }
}
