import BridgeCore
import NIOCore
import Synchronization

/// Limits the number of connections of a listener. Does no I/O.
struct ConnectionLimits {
    static let total = 256
    static let perClient = 64
    /// The places that only clients on this machine may take, so that a liveness probe gets in however many connections others hold.
    static let loopbackReserve = 16

    private(set) var count = 0
    private var clients: [NetworkAddress: Int] = [:]

    /// A client may not have more connections than are free, so that a few clients can't keep out all others. One on this machine may have
    /// four times as many: its probe must not be refused because its browser has connections too.
    /// - Parameter client: `nil` for a proxy, which has only the limit of all.
    /// - Returns: whether a further connection is allowed; it is then counted.
    mutating func open(_ client: NetworkAddress?) -> Bool {
        let isLocal = client?.isLoopback == true
        let free = Self.total - self.count - (isLocal ? 0 : Self.loopbackReserve)
        let own = client.map { self.clients[$0.household, default: 0] } ?? 0
        guard own < min(Self.perClient, isLocal ? 4 * free : free) else { return false }
        if let client { self.clients[client.household] = own + 1 }
        self.count += 1
        return true
    }

    mutating func close(_ client: NetworkAddress?) {
        self.count -= 1
        guard let client, let count = self.clients[client.household] else { return }
        self.clients[client.household] = count > 1 ? count - 1 : nil
    }
}

/// The connections of one listener: those of another listener take no room from them.
final class ConnectionTable: Sendable {
    private struct State {
        var limits = ConnectionLimits()
        var channels: [ObjectIdentifier: any Channel] = [:]
        var listener: (any Channel)?
        var isEnding = false
    }

    private let trusted: [AddressRange]
    private let state = Mutex(State())

    init(trusted: [AddressRange]) { self.trusted = trusted }

    /// Whether the program stops.
    var isEnding: Bool { self.state.withLock { $0.isEnding } }

    var count: Int { self.state.withLock { $0.limits.count } }

    /// - Returns: whether the connection is allowed; `close` then releases it.
    func open(_ channel: any Channel) -> Bool {
        let client = self.client(channel)
        return self.state.withLock { state in
            guard !state.isEnding, state.limits.open(client) else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
    }

    func close(_ channel: any Channel) {
        let client = self.client(channel)
        self.state.withLock { state in
            guard state.channels.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
            state.limits.close(client)
        }
    }

    /// Notes the channel that accepts connections. One that opens while the program stops is closed.
    func listens(_ channel: any Channel) {
        let isEnding = self.state.withLock { state in
            state.listener = channel
            return state.isEnding
        }
        if isEnding { channel.close(promise: nil) }
    }

    /// Closes the listener and the idle connections; the others close after their answers.
    func end() {
        let (listener, channels) = self.state.withLock { state in
            state.isEnding = true
            return (state.listener, Array(state.channels.values))
        }
        listener?.close(promise: nil)
        for channel in channels { channel.triggerUserOutboundEvent(ConnectionClock.Event.ending, promise: nil) }
    }

    /// Closes every connection, whatever its state.
    func closeAll() {
        for channel in self.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    private func client(_ channel: any Channel) -> NetworkAddress? {
        let address = channel.remoteAddress?.networkAddress
        return address.flatMap { address in self.trusted.contains { $0.contains(address) } ? nil : address }
    }
}

extension SocketAddress {
    /// Returns the address without port and scope.
    var networkAddress: NetworkAddress? {
        self.ipAddress.flatMap { NetworkAddress($0.prefix { $0 != "%" }) }
    }
}
