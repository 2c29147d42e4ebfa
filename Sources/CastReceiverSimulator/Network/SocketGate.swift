import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The first handler of a connection, below TLS: closes it for the network like a half-open link, or resets it.
///
/// While it is shut, nothing is read and nothing is sent; the kernel still acknowledges arriving bytes. Use it on its event loop.
final class SocketGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The largest number of bytes kept while shut; a connection with more is reset when the gate opens.
    static let maximumHeldBytes = 262_144

    private(set) var isShut: Bool
    private var context: ChannelHandlerContext?
    private var wantsRead = false
    private var heldReads: [ByteBuffer] = []
    private var heldWrites: [(ByteBuffer, EventLoopPromise<Void>?)] = []
    private var heldBytes = 0
    private var wantsFlush = false

    init(isShut: Bool) { self.isShut = isShut }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        let held = self.heldWrites
        self.heldWrites = []
        for (_, promise) in held { promise?.fail(ChannelError.ioOnClosedChannel) }
    }

    func shut() { self.isShut = true }

    func open() {
        guard self.isShut, let context = self.context else { return }
        self.isShut = false
        guard self.heldBytes <= Self.maximumHeldBytes else { return self.abort() }
        self.heldBytes = 0
        let (reads, writes) = (self.heldReads, self.heldWrites)
        (self.heldReads, self.heldWrites) = ([], [])
        for (buffer, promise) in writes { context.write(self.wrapOutboundOut(buffer), promise: promise) }
        if self.wantsFlush { context.flush() }
        self.wantsFlush = false
        for buffer in reads { context.fireChannelRead(self.wrapInboundOut(buffer)) }
        if !reads.isEmpty { context.fireChannelReadComplete() }
        if self.wantsRead {
            self.wantsRead = false
            context.read()
        }
    }

    /// Ends the connection with a reset, without a TLS goodbye.
    func abort() {
        guard let context = self.context else { return }
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in }
        context.close(mode: .all, promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        if self.isShut { self.wantsRead = true } else { context.read() }
    }

    // A read that was pending when the gate shut may still deliver bytes; no further one is requested.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.isShut { self.heldReads.append(self.unwrapInboundIn(data)) } else { context.fireChannelRead(data) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !self.isShut { context.fireChannelReadComplete() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard self.isShut else { return context.write(data, promise: promise) }
        let buffer = self.unwrapOutboundIn(data)
        self.heldBytes += buffer.readableBytes
        if self.heldBytes <= Self.maximumHeldBytes {
            self.heldWrites.append((buffer, promise))
        } else {
            promise?.fail(ChannelError.ioOnClosedChannel)
        }
    }

    func flush(context: ChannelHandlerContext) {
        if self.isShut { self.wantsFlush = true } else { context.flush() }
    }
}
