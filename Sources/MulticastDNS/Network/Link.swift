import NIOCore

/// One interface in use: its sockets and counters.
package struct Link {
    /// Identifies one of the sockets of a link; see `MulticastSocket`.
    package struct Socket: Hashable {
        /// `shared` is bound to port 5353, `oneShot` to a port of its own.
        package enum Kind: Hashable { case shared, oneShot }
        let family: ServiceAddress.Family
        let kind: Kind
    }

    /// The state of one socket.
    struct Opening {
        /// The open socket; `nil` before it is open and after a failure.
        var channel: (any Channel)?
        /// The number of failures since the last successful send.
        var failures = 0
        /// The next attempt to open the socket, after a failure.
        var retry: Scheduled<Void>?
    }

    private(set) var interface: NetworkInterface
    /// Identifies this set of sockets. Callbacks with the number of a previous set are ignored.
    let generation: Int
    /// Whether the interface may be in another network than before; reported with the next `LinkSet.Event.ready`.
    var hasMoved: Bool
    var openings: [Socket: Opening] = [:]
    var budget: PacketBudget
    var status: InterfaceStatus

    /// - Parameter older: the status of the previous set of sockets, whose counters continue.
    init(_ interface: NetworkInterface, generation: Int, hasMoved: Bool, limits: Limits, older: InterfaceStatus?) {
        self.interface = interface
        self.generation = generation
        self.hasMoved = hasMoved
        self.budget = PacketBudget(packetsPerSecond: limits.packetsPerSecond, now: .now())
        self.status = older ?? InterfaceStatus(name: interface.name)
        self.status.families = []
        self.status.lastError = nil
        self.status.receivesItself = nil
        self.adapt(to: interface)
    }

    /// Updates the description of the interface; sockets stay open.
    mutating func adapt(to interface: NetworkInterface) {
        self.interface = interface
        self.status.index = interface.index
        self.status.addresses = interface.addresses.map(\.address).sorted()
    }

    /// Clears the error in `status` when every socket is open and has no failures.
    mutating func forgetErrorIfHealthy() {
        if self.openings.values.allSatisfy({ $0.channel != nil && $0.failures == 0 }) { self.status.lastError = nil }
    }
}

package struct ReceivedPacket {
    package let bytes: [UInt8]
    package let link: InterfaceScope
    package let source: SocketAddress
    /// Whether it was received on the socket of one-shot queries.
    let isOneShot: Bool
    let isFromThisHost: Bool

    var isResponse: Bool { self.bytes.count > 2 && self.bytes[2] & 0x80 != 0 }
}
