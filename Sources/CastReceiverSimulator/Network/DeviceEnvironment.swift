import MulticastDNS
import NIOCore

/// What the devices of a fleet share.
struct DeviceEnvironment: Sendable {
    var ports: EurekaPorts
    var authenticator: DeviceAuthenticator
    var journal: Journal?
    /// `nil` when the fleet announces nothing.
    var announcer: Announcing?
}

/// Ports of `eureka_info` on each device's address; 0 lets the system choose, `nil` serves none.
public struct EurekaPorts: Sendable, Hashable {
    public var http: Int?
    public var https: Int?

    public init(http: Int? = 8008, https: Int? = 8443) {
        self.http = http
        self.https = https
    }
}

/// The announcer with the event loop that it lives on.
struct Announcing: Sendable {
    let announcer: ServiceAnnouncer
    let eventLoop: any EventLoop

    /// Changes what is announced for a service; in vain when it is not announced at present.
    func update(_ service: AnnouncedService) {
        self.eventLoop.execute { self.announcer.assumeIsolated { try? $0.update(service) } }
    }
}
