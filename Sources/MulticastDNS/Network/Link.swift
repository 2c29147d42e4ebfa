import NIOCore

/// One interface in use: its sockets and counters.
struct Link {
    struct Socket: Hashable {
        enum Kind: Hashable { case shared, oneShot }
        let family: ServiceAddress.Family
        let kind: Kind
    }

    struct Opening {
        var channel: (any Channel)?
        var failures = 0
        var retry: Scheduled<Void>?
    }

    private(set) var interface: NetworkInterface
    /// The number of this set of sockets, by which callbacks of a previous one are ignored.
    let generation: Int
    /// Whether the interface may be in another network; reported with the next `ready`.
    var hasMoved: Bool
    var openings: [Socket: Opening] = [:]
    var budget: PacketBudget
    var status: InterfaceStatus

    init(_ interface: NetworkInterface, generation: Int, hasMoved: Bool, limits: Limits, older: InterfaceStatus?) {
        self.interface = interface
        self.generation = generation
        self.hasMoved = hasMoved
        self.budget = PacketBudget(packetsPerSecond: limits.packetsPerSecond, now: .now())
        self.status = older ?? InterfaceStatus(name: interface.name)
        self.status.families = []
        self.status.lastError = nil
        self.adapt(to: interface)
    }

    mutating func adapt(to interface: NetworkInterface) {
        self.interface = interface
        self.status.index = interface.index
        self.status.addresses = interface.addresses.map(\.address).sorted()
    }

    /// Clears the error when all sockets work. Until then it stays visible.
    mutating func forgetErrorIfHealthy() {
        if self.openings.values.allSatisfy({ $0.channel != nil && $0.failures == 0 }) { self.status.lastError = nil }
    }
}

/// A packet received on a socket of a link.
struct ReceivedPacket {
    let bytes: [UInt8]
    let link: InterfaceScope
    let source: SocketAddress
    /// Whether it was received on the socket of one-shot queries.
    let isOneShot: Bool
    let isFromThisHost: Bool

    var isResponse: Bool { self.bytes.count > 2 && self.bytes[2] & 0x80 != 0 }
}
