import BridgeCore

/// The host names by which browsers may call the page. This check alone prevents DNS rebinding, where another site's name points at our
/// address.
struct HostList: Sendable {
    /// An entry without a port applies to every port.
    let names: [HostName]

    /// - Returns: whether the host is a configured name, the address and port of the connection, or `localhost` on this machine.
    func allows(_ origin: RequestOrigin, on connection: RequestOrigin.Connection) -> Bool {
        // Home Assistant has checked the name by which it was called. We are a container that no other program reaches at that address.
        if origin.isIngress { return true }
        guard let host = origin.host else { return false }
        let port = host.port ?? RequestOrigin.port(origin.isSecure)
        if self.names.contains(where: { $0.host == host.host && ($0.port ?? port) == port }) { return true }
        guard port == connection.localPort, let local = connection.local else { return false }
        if let address = NetworkAddress(host.host) { return address == local }
        return host.host == "localhost" && local.isLoopback
    }
}
