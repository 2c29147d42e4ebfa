import BridgeCore
import NIOCore
import Synchronization

/// Limits the number of connections. Does no I/O.
struct ConnectionLimits {
    static let total = 256
    static let perClient = 64

    private(set) var count = 0
    private var clients: [NetworkAddress: Int] = [:]

    /// - Parameter client: `nil` for a proxy, which has only the limit of all.
    /// - Returns: whether a further connection is allowed; it is then counted.
    mutating func open(_ client: NetworkAddress?) -> Bool {
        guard self.count < Self.total else { return false }
        if let client {
            guard self.clients[client.household, default: 0] < Self.perClient else { return false }
            self.clients[client.household, default: 0] += 1
        }
        self.count += 1
        return true
    }

    mutating func close(_ client: NetworkAddress?) {
        self.count -= 1
        guard let client, let count = self.clients[client.household] else { return }
        self.clients[client.household] = count > 1 ? count - 1 : nil
    }
}

/// The connections of all listeners.
final class ConnectionTable: Sendable {
    private struct State {
        var limits = ConnectionLimits()
        var channels: [ObjectIdentifier: any Channel] = [:]
        var listeners: [ObjectIdentifier: any Channel] = [:]
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

    /// Adds a channel that accepts connections. One that opens while the program stops is closed.
    func listens(_ channel: any Channel) {
        let isEnding = self.state.withLock { state in
            if !state.isEnding { state.listeners[ObjectIdentifier(channel)] = channel }
            return state.isEnding
        }
        if isEnding { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [weak self, weak channel] _ in
            guard let self, let channel else { return }
            self.state.withLock { $0.listeners[ObjectIdentifier(channel)] = nil }
        }
    }

    /// Closes the listeners and the idle connections; the others close after their answers.
    func end() {
        let (listeners, channels) = self.state.withLock { state in
            state.isEnding = true
            return (Array(state.listeners.values), Array(state.channels.values))
        }
        for listener in listeners { listener.close(promise: nil) }
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
