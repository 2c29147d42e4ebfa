import CastProtocol
import CastTransport
import NIOCore

/// The accepted connections of a device. While they are frozen, nothing is read or written: senders see half-open links.
final class CastSockets {
    /// The largest number of messages kept for a frozen connection; one with more is reset afterwards.
    private static let maximumHeld = 256

    private struct Socket {
        let channel: any Channel
        let gate: SocketGate
        let certificateDER: [UInt8]
        /// Whether the TLS handshake is complete and the receiver was notified.
        var isOpen = false
        /// The second half of a frame that the freeze interrupted.
        var restOfFrame: ByteBuffer?
        /// The messages to send when the device is thawed.
        var held: [CastMessage] = []
        var hasOverflowed = false

        /// Writes bytes into the TLS stream that need not be a frame.
        func write(_ bytes: ByteBuffer) {
            let context = try? self.channel.pipeline.syncOperations.context(handlerType: CastFrameHandler.self)
            context?.writeAndFlush(NIOAny(bytes), promise: nil)
        }
    }

    private var sockets: [SocketID: Socket] = [:]
    private var lastID = 0
    /// The connections with messages that are not flushed yet.
    private var written: Set<SocketID> = []
    private(set) var isFrozen = false

    var ids: some Collection<SocketID> { self.sockets.keys }

    func add(_ channel: any Channel, gate: SocketGate, certificateDER: [UInt8]) -> SocketID {
        self.lastID += 1
        self.sockets[self.lastID] = Socket(channel: channel, gate: gate, certificateDER: certificateDER)
        return self.lastID
    }

    /// The TLS handshake is complete.
    /// - Returns: whether the connection still exists.
    func open(_ id: SocketID) -> Bool {
        self.sockets[id]?.isOpen = true
        return self.sockets[id] != nil
    }

    /// Closes a connection whose handshake takes too long.
    func giveUpHandshake(_ id: SocketID) {
        if !self.isFrozen, self.sockets[id]?.isOpen == false { self.close(id) }
    }

    func close(_ id: SocketID) { self.sockets[id]?.channel.close(promise: nil) }

    /// The connection has ended.
    /// - Returns: whether it was open.
    func remove(_ id: SocketID) -> Bool { self.sockets.removeValue(forKey: id)?.isOpen ?? false }

    /// Ends a connection with a reset, as after a crash.
    func reset(_ id: SocketID) { self.sockets[id]?.gate.abort() }

    func certificate(of id: SocketID) -> [UInt8]? { self.sockets[id]?.certificateDER }

    // MARK: Sending

    /// Writes a message, which `flush` sends; a frozen connection keeps it.
    func write(_ message: CastMessage, on id: SocketID) {
        guard let socket = self.sockets[id] else { return }
        if !self.isFrozen {
            socket.channel.write(message, promise: nil)
            self.written.insert(id)
        } else if socket.held.count < Self.maximumHeld {
            self.sockets[id]?.held.append(message)
        } else {
            self.sockets[id]?.hasOverflowed = true
        }
    }

    func flush() {
        for id in self.written { self.sockets[id]?.channel.flush() }
        self.written.removeAll(keepingCapacity: true)
    }

    func writeRaw(_ bytes: [UInt8], on id: SocketID) { if !self.isFrozen { self.sockets[id]?.write(ByteBuffer(bytes: bytes)) } }

    // MARK: Freezing

    /// - Parameter message: a message of which every connection gets only the first half before.
    func freeze(cutting message: CastMessage?) {
        self.isFrozen = true
        let frame = message.flatMap { try? CastFrameEncoder.frame($0) }
        for (id, socket) in self.sockets {
            if socket.isOpen, var frame {
                socket.write(frame.readSlice(length: frame.readableBytes / 2) ?? ByteBuffer())
                self.sockets[id]?.restOfFrame = frame
            }
            socket.gate.shut()
        }
    }

    func thaw() {
        self.isFrozen = false
        for (id, socket) in self.sockets {
            self.sockets[id]?.held = []
            self.sockets[id]?.restOfFrame = nil
            if let rest = socket.restOfFrame { socket.write(rest) }
            for message in socket.held { socket.channel.write(message, promise: nil) }
            socket.channel.flush()
            if socket.hasOverflowed { socket.gate.abort() } else { socket.gate.open() }
        }
    }

    /// Ends the freeze of connections that are about to end.
    func unfreeze() { self.isFrozen = false }
}
