import BridgeCore

/// Limits the connections of a listener, and those of each client. Pure.
struct ConnectionCounts {
    static let total = 64
    static let perClient = 16

    private(set) var count = 0
    private var clients: [NetworkAddress?: Int] = [:]

    /// - Returns: whether a further connection is allowed; it is then counted.
    mutating func open(_ client: NetworkAddress?) -> Bool {
        let own = self.clients[client?.household, default: 0]
        guard self.count < Self.total, own < Self.perClient else { return false }
        self.clients[client?.household] = own + 1
        self.count += 1
        return true
    }

    mutating func close(_ client: NetworkAddress?) {
        self.count -= 1
        let own = self.clients[client?.household, default: 0]
        self.clients[client?.household] = own > 1 ? own - 1 : nil
    }
}
