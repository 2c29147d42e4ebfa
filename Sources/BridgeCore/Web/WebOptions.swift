/// The web page and its API: where they listen, who may do what, and how the page looks.
package struct WebOptions: Sendable, Hashable {
    /// Empty: there is no page.
    package var listen: [ListenAddress] = []
    /// Names besides the addresses of the listeners by which browsers may call the page; one without a port holds for every port.
    package var names: [HostName] = []
    /// Peers whose `X-Forwarded-…` headers count.
    package var trustedProxies: [AddressRange] = []
    /// Origins like `https://panel.lan:8123` that may show `/mini` in a frame.
    package var frameOrigins: [String] = []
    package var passwords: [WebRole: PasswordHash] = [:]
    package var tokens: [AccessToken] = []
    package var certificateFile: String?
    package var keyFile: String?
    package var page = PageOptions()

    /// No listener.
    package init() {}
}

/// Where `/metrics`, `/health` and `/ready` are served alone, without a login.
package struct MetricsOptions: Sendable, Hashable {
    package var listen: [ListenAddress] = []

    package init() {}
}

/// What a client of the web API may do. Each role may do what the ones before it may.
package enum WebRole: String, Sendable, Hashable, CaseIterable, Comparable {
    /// See everything; nothing changes.
    case view
    /// Command devices.
    case control
    /// Also requests to the bridge and its configuration.
    case admin

    package static func < (left: WebRole, right: WebRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .view: 0
        case .control: 1
        case .admin: 2
        }
    }
}
