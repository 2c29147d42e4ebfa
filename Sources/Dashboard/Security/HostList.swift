import BridgeCore

/// The hosts by which browsers may call the page. A page of another host that points its name at our address (DNS rebinding) is told apart by this alone.
struct HostList: Sendable {
    /// A name without a port holds for every port.
    let names: [HostName]

    /// - Returns: whether the host is a configured name, the address and port that the connection came to, or `localhost` on this machine.
    func allows(_ origin: RequestOrigin, on connection: RequestOrigin.Connection) -> Bool {
        // Home Assistant has checked by which name it was called; ours is a container that nobody else reaches under that address.
        if origin.isIngress { return true }
        guard let host = origin.host else { return false }
        let port = host.port ?? RequestOrigin.port(origin.isSecure)
        if self.names.contains(where: { $0.host == host.host && ($0.port ?? port) == port }) { return true }
        guard port == connection.localPort, let local = connection.local else { return false }
        if let address = NetworkAddress(host.host) { return address == local }
        return host.host == "localhost" && local.isLoopback
    }
}
