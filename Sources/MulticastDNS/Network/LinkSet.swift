import LogKeys
import Logging
import NIOCore
import NIOPosix

/// The interfaces in use with their sockets, kept in sync with the system. Used on its event loop only; decides nothing about DNS.
package final class LinkSet {
    package enum Event {
        /// A socket of the link was opened: queries and announcements on it start from the beginning.
        case ready(InterfaceScope, hasMoved: Bool)
        case removed(InterfaceScope)
        case packet(ReceivedPacket)
        case networkChanged
    }

    /// The longest pause before a failed socket is opened again (1 s, 2 s, 4 s …). It is also retried at every change of the network.
    static let longestRetry = TimeAmount.seconds(30)
    private static let unusableReason = "missing, down or without an address"

    private let eventLoop: any EventLoop
    private let logger: Logger
    private let limits: Limits
    private let kinds: [Link.Socket.Kind]
    private let onEvent: (Event) -> Void
    private var table: InterfaceTable
    private var links: [UInt32: Link] = [:]
    private var monitor: InterfaceMonitor?
    private var generation = 0
    private var closing: [ObjectIdentifier: EventLoopFuture<Void>] = [:]

    /// - Parameter kinds: the kinds of sockets for each family of a link.
    package init(
        selection: InterfaceSelection, kinds: [Link.Socket.Kind], eventLoop: any EventLoop, limits: Limits, logger: Logger,
        onEvent: @escaping (Event) -> Void
    ) {
        (self.eventLoop, self.logger, self.limits, self.kinds, self.onEvent) = (eventLoop, logger, limits, kinds, onEvent)
        self.table = InterfaceTable(selection: selection, maximumCount: limits.interfaces)
    }

    package func start() {
        _ = self.look()
        // Later ones come and go; a name that is wrong from the start is a mistake in the configuration.
        for name in self.table.unusable {
            self.logger.warning(
                "named network interface not usable", metadata: [.interface: "\(name)", .reason: "\(Self.unusableReason)"])
        }
        let monitor = InterfaceMonitor(eventLoop: self.eventLoop) { [weak self] in
            guard let self, self.monitor != nil else { return }
            if self.look() { self.onEvent(.networkChanged) } else { self.retryFailed() }
        }
        self.monitor = monitor
        monitor.start()
    }

    /// Closes every socket; the future succeeds when all are closed.
    package func stop() -> EventLoopFuture<Void> {
        let monitorStop = self.monitor?.stop()
        self.monitor = nil
        for index in Array(self.links.keys) { self.close(index) }
        return EventLoopFuture.andAllComplete(self.closing.values + [monitorStop].compactMap { $0 }, on: self.eventLoop)
    }

    package var scopes: [InterfaceScope] { self.links.values.map(\.interface.scope).sorted { $0.index < $1.index } }

    package var statuses: [InterfaceStatus] {
        self.links.values.map(\.status).sorted { $0.name < $1.name }
            + self.table.unusable.map {
                var status = InterfaceStatus(name: $0)
                status.lastError = MulticastDNSError(.interfaceUnusable, detail: Self.unusableReason, interface: $0)
                return status
            }
    }

    // MARK: Sending

    /// Sends to the group, in every family of the link. Packets are dropped while a socket cannot accept them. Where another program uses
    /// port 5353 exclusively, the one-shot socket replaces the shared one: its queries are answered by unicast.
    package func multicast(_ packets: [[UInt8]], on index: UInt32, from kind: Link.Socket.Kind = .shared) {
        guard let link = self.links[index] else { return }
        for family in link.interface.families {
            let sockets = [kind, .oneShot].map { Link.Socket(family: family, kind: $0) }
            guard let socket = sockets.first(where: { link.openings[$0]?.channel != nil }), let channel = link.openings[socket]?.channel
            else {
                continue
            }
            let group = MulticastSocket.group(family, link.interface.scope)
            for packet in packets { self.send(packet, to: group, channel, socket, link) }
        }
    }

    /// Sends to one neighbour, from the shared socket.
    package func unicast(_ packets: [[UInt8]], to address: SocketAddress, on index: UInt32) {
        guard let link = self.links[index], let family = ServiceAddress(address)?.family else { return }
        let socket = Link.Socket(family: family, kind: .shared)
        guard let channel = link.openings[socket]?.channel else { return }
        for packet in packets { self.send(packet, to: address, channel, socket, link) }
    }

    /// Returns whether a unicast packet to or from this address stays on the link.
    package func isOnLink(_ address: SocketAddress, _ index: UInt32) -> Bool {
        guard let link = self.links[index], let address = ServiceAddress(address) else { return false }
        return link.interface.isOnLink(address)
    }

    private func send(_ packet: [UInt8], to address: SocketAddress, _ channel: any Channel, _ socket: Link.Socket, _ link: Link) {
        guard channel.isActive, channel.isWritable else { return }
        let (bound, index, generation) = (NIOLoopBound(self, eventLoop: self.eventLoop), link.interface.index, link.generation)
        let envelope = AddressedEnvelope(remoteAddress: address, data: channel.allocator.buffer(bytes: packet))
        channel.writeAndFlush(envelope).whenComplete { bound.value.sent($0, index, generation, socket) }
    }

    private func sent(_ result: Result<Void, any Error>, _ index: UInt32, _ generation: Int, _ socket: Link.Socket) {
        guard self.links[index]?.generation == generation else { return }
        switch result {
        case .success:
            self.links[index]?.openings[socket]?.failures = 0
            if self.links[index]?.status.receivesItself == nil { self.links[index]?.status.receivesItself = false }
            self.links[index]?.forgetErrorIfHealthy()
        case .failure(let error): self.note(error, "sending", index)
        }
    }

    // MARK: Interfaces

    /// Returns whether the interfaces differ from the last check.
    private func look() -> Bool {
        let all: [NetworkInterface]
        do { all = try NetworkInterface.all() } catch {
            self.logger.debug("network interfaces not listed", metadata: [.error: "\(error)"])
            return false
        }
        let changes = self.table.update(all)
        for change in changes {
            switch change {
            case .removed(let interface):
                self.logger.debug("interface no longer used", metadata: [.interface: "\(interface.name)"])
                self.close(interface.index)
                self.onEvent(.removed(interface.scope))
            case .added(let interface):
                self.logger.debug("interface used", metadata: [.interface: "\(interface.name)"])
                self.open(interface, hasMoved: false)
            case .changed(let interface, let hasMoved):
                self.logger.debug("interface changed", metadata: [.interface: "\(interface.name)"])
                // Loopback sockets are bound to their source address.
                if hasMoved || interface.isLoopback {
                    let older = self.links[interface.index]?.status
                    self.close(interface.index)
                    self.open(interface, hasMoved: hasMoved, older: older)
                } else {
                    self.adapt(interface)
                }
            }
        }
        return !changes.isEmpty
    }

    private func open(_ interface: NetworkInterface, hasMoved: Bool, older: InterfaceStatus? = nil) {
        self.generation += 1
        self.links[interface.index] = Link(
            interface, generation: self.generation, hasMoved: hasMoved, limits: self.limits, older: older)
        for family in interface.families {
            for kind in self.kinds { self.open(Link.Socket(family: family, kind: kind), interface.index) }
        }
    }

    private func close(_ index: UInt32) {
        guard let link = self.links.removeValue(forKey: index) else { return }
        for opening in link.openings.values { self.close(opening) }
    }

    private func close(_ opening: Link.Opening) {
        opening.retry?.cancel()
        guard let channel = opening.channel else { return }
        let (bound, id) = (NIOLoopBound(self, eventLoop: self.eventLoop), ObjectIdentifier(channel))
        self.closing[id] = channel.closeFuture
        channel.closeFuture.whenComplete { _ in bound.value.closing[id] = nil }
        channel.close(promise: nil)
    }

    /// Applies changes within the same networks: memberships stay valid, and packets that wait in a socket are kept.
    private func adapt(_ interface: NetworkInterface) {
        let index = interface.index
        self.links[index]?.adapt(to: interface)
        for (socket, opening) in self.links[index]?.openings ?? [:] where !interface.families.contains(socket.family) {
            self.links[index]?.openings[socket] = nil
            self.links[index]?.status.families.remove(socket.family)
            self.close(opening)
        }
        for family in interface.families {
            for socket in self.kinds.map({ Link.Socket(family: family, kind: $0) }) where self.links[index]?.openings[socket] == nil {
                self.open(socket, index)
            }
        }
        self.retryFailed()
        if self.links[index]?.status.families.isEmpty == false { self.onEvent(.ready(interface.scope, hasMoved: false)) }
    }

    // MARK: Sockets

    private func open(_ socket: Link.Socket, _ index: UInt32) {
        guard let link = self.links[index] else { return }
        self.links[index]?.openings[socket, default: Link.Opening()].retry = nil
        let (bound, generation) = (NIOLoopBound(self, eventLoop: self.eventLoop), link.generation)
        do {
            let descriptor =
                switch socket.kind {
                case .shared: try MulticastSocket.openShared(socket.family, link.interface)
                case .oneShot: try MulticastSocket.openOneShot(socket.family, link.interface)
                }
            DatagramBootstrap(group: self.eventLoop)
                .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Limits.largestPacketBytes + 1))
                .channelOption(.writeBufferWaterMark, value: .init(low: 1 << 19, high: 1 << 20))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handler = PacketHandler { bound.value.received($0, index, generation, socket) }
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                }
                .withBoundSocket(descriptor)
                .whenComplete { bound.value.opened($0, index, generation, socket) }
        } catch {
            self.failed(error, "opening", index, generation, socket)
        }
    }

    private func opened(_ result: Result<any Channel, any Error>, _ index: UInt32, _ generation: Int, _ socket: Link.Socket) {
        switch result {
        case .failure(let error):
            self.failed(error, "opening", index, generation, socket)
        case .success(let channel):
            guard let link = self.links[index], link.generation == generation, link.openings[socket] != nil else {
                return channel.close(promise: nil)
            }
            self.links[index]?.openings[socket]?.channel = channel
            let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
            channel.closeFuture.whenComplete { _ in bound.value.closed(channel, index, socket) }
            let shared = Link.Socket(family: socket.family, kind: .shared)
            if socket == shared {
                self.links[index]?.status.families.insert(socket.family)
            } else if link.openings[shared]?.channel != nil {
                return
            }
            self.links[index]?.hasMoved = false
            self.onEvent(.ready(link.interface.scope, hasMoved: link.hasMoved))
        }
    }

    /// Handles the failure of a channel; called only for a channel that is in use.
    private func closed(_ channel: any Channel, _ index: UInt32, _ socket: Link.Socket) {
        guard self.links[index]?.openings[socket]?.channel === channel else { return }
        self.links[index]?.openings[socket]?.channel = nil
        if socket.kind == .shared { self.links[index]?.status.families.remove(socket.family) }
        self.retry(index, socket)
    }

    private func failed(_ error: any Error, _ attempt: String, _ index: UInt32, _ generation: Int, _ socket: Link.Socket) {
        guard self.links[index]?.generation == generation else { return }
        self.note(error, attempt, index)
        self.retry(index, socket)
    }

    private func retry(_ index: UInt32, _ socket: Link.Socket) {
        guard let opening = self.links[index]?.openings[socket], opening.retry == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: self.eventLoop)
        let delay = min(.seconds(1 << Int64(min(opening.failures, 5))), Self.longestRetry)
        self.links[index]?.openings[socket]?.failures += 1
        self.links[index]?.openings[socket]?.retry = self.eventLoop.scheduleTask(in: delay) { bound.value.open(socket, index) }
    }

    /// Opens failed sockets again: a system change without new interfaces may still be what a socket waits for, such as an address that
    /// became usable.
    private func retryFailed() {
        for (index, link) in self.links {
            for (socket, opening) in link.openings where opening.retry != nil {
                opening.retry?.cancel()
                self.open(socket, index)
            }
        }
    }

    private func note(_ error: any Error, _ attempt: String, _ index: UInt32) {
        guard let name = self.links[index]?.interface.name else { return }
        let number = (error as? IOError)?.errnoCode
        let noted =
            error as? MulticastDNSError
            ?? number.map { .system(attempt, $0, interface: name) }
            ?? MulticastDNSError(.system, detail: "\(attempt): \(error)", interface: name)
        self.logger.debug("multicast failed", metadata: [.interface: "\(name)", .error: "\(noted)"])
        self.links[index]?.status.lastError = noted
    }

    private func received(_ envelope: AddressedEnvelope<ByteBuffer>, _ index: UInt32, _ generation: Int, _ socket: Link.Socket) {
        let now = NIODeadline.now()
        guard var link = self.links[index], link.generation == generation, let source = ServiceAddress(envelope.remoteAddress) else {
            return
        }
        let isOurs = link.interface.addresses.contains { $0.address == source }
        let packet = ReceivedPacket(
            bytes: Array(envelope.data.readableBytesView), link: link.interface.scope, source: envelope.remoteAddress,
            isOneShot: socket.kind == .oneShot,
            isFromThisHost: isOurs)
        if isOurs, !packet.isOneShot { link.status.receivesItself = true }
        let isTaken =
            packet.bytes.count <= Limits.largestPacketBytes && (!packet.isOneShot || link.interface.isOnLink(source))
            && link.budget.take(now: now)
        if !isTaken {
            link.status.packetsDropped += 1
        } else if packet.isResponse || !isOurs {
            link.status.packetsReceived += 1
            link.status.lastReceived = now
            link.forgetErrorIfHealthy()
        }
        self.links[index] = link
        if isTaken { self.onEvent(.packet(packet)) }
    }
}

private final class PacketHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let onPacket: (AddressedEnvelope<ByteBuffer>) -> Void

    init(onPacket: @escaping (AddressedEnvelope<ByteBuffer>) -> Void) { self.onPacket = onPacket }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.onPacket(self.unwrapInboundIn(data)) }

    /// A neighbour's refusal of one packet is not an error of the socket; a fatal error closes the channel by itself.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
