/// The web page and its API: where they listen, who may do what, and how the page looks.
public struct WebOptions: Sendable, Hashable {
    /// Empty: there is no page.
    public var listen: [ListenAddress] = []
    /// Names besides the addresses of the listeners by which browsers may call the page; one without a port holds for every port.
    public var names: [HostName] = []
    /// Peers whose `X-Forwarded-…` headers count.
    public var trustedProxies: [AddressRange] = []
    /// The role of users whom Home Assistant's ingress forwards: it does not say who they are.
    public var ingressRole = WebRole.admin
    /// Origins like `https://panel.lan:8123` that may show `/mini` in a frame.
    public var frameOrigins: [String] = []
    public var passwords: [WebRole: PasswordHash] = [:]
    public var tokens: [AccessToken] = []
    public var certificateFile: String?
    public var keyFile: String?
    public var page = PageOptions()

    /// No listener.
    public init() {}
}

extension WebOptions {
    /// Returns the address of the page for browsers in the network, which ends in `/`; `nil` when none is known: behind a proxy only the proxy
    /// knows it.
    /// - Parameter own: the addresses of this machine, the most likely one first.
    public func page(ofMachineAt own: [NetworkAddress]) -> String? {
        let listener = self.listen.first { !$0.address.isLoopback && $0.port > 0 }
        guard let listener, self.trustedProxies.isEmpty else { return nil }
        let scheme = self.certificateFile == nil ? "http" : "https"
        if let name = self.names.first { return "\(scheme)://\(name)\(name.port == nil ? ":\(listener.port)" : "")/" }
        let address = listener.address.isUnspecified ? own.first { !$0.isLoopback && !$0.isLinkLocal && !$0.isIPv6 } : listener.address
        return address.map { "\(scheme)://\(ListenAddress(address: $0, port: listener.port))/" }
    }
}

/// Where `/metrics`, `/health` and `/ready` are served alone, without a login.
public struct MetricsOptions: Sendable, Hashable {
    public var listen: [ListenAddress] = []

    public init() {}
}

/// What a client of the web API may do. Each role may do what the ones before it may.
public enum WebRole: String, Sendable, Hashable, CaseIterable, Comparable {
    /// See everything; nothing changes.
    case view
    /// Command devices.
    case control
    /// Also requests to the bridge and its configuration.
    case admin

    public static func < (left: WebRole, right: WebRole) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
