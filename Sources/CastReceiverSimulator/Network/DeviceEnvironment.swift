import MulticastDNS
import NIOCore

/// The services that the devices of a fleet share.
struct DeviceEnvironment: Sendable {
    var ports: EurekaPorts
    var authenticator: DeviceAuthenticator
    var journal: Journal?
    /// The announcer; `nil` when the fleet announces nothing.
    var announcer: Announcing?
}

/// The ports of `eureka_info` on each device's address; 0 lets the system choose, `nil` serves none.
public struct EurekaPorts: Sendable, Hashable {
    public var http: Int?
    public var https: Int?

    public init(http: Int? = 8008, https: Int? = 8443) {
        self.http = http
        self.https = https
    }
}

/// The announcer and its event loop.
struct Announcing: Sendable {
    let announcer: ServiceAnnouncer
    let eventLoop: any EventLoop

    /// Changes the announcement of a service; has no effect when it is not announced.
    func update(_ service: AnnouncedService) {
        self.eventLoop.execute { self.announcer.assumeIsolated { try? $0.update(service) } }
    }
}
