import MulticastDNSAnnouncing

/// The services that the devices of a fleet share.
struct DeviceEnvironment: Sendable {
    var ports: EurekaPorts
    var authenticator: DeviceAuthenticator
    var journal: Journal?
    /// The announcer; `nil` when the fleet announces nothing.
    var announcer: ServiceAnnouncer?
}

/// The ports of `eureka_info` on each device's address; 0 lets the system choose, `nil` serves none.
public struct EurekaPorts: Sendable, Hashable {
    public var http: Int?
    public var https: Int?

    public init(http: Int? = 8008, https: Int? = 8443) { (self.http, self.https) = (http, https) }
}
