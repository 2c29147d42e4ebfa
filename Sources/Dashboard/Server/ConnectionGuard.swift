import NIOCore

/// Closes a connection that takes too long, as `ConnectionClock` decides. The first handler after TLS, on the channel's event loop.
///
/// Requests are handled further up; the server reports them by user events (`ConnectionClock.Event`) that travel towards the socket.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var clock: ConnectionClock
    private var alarm: Scheduled<Void>?
    private var alarmTime: NIODeadline?
    private let onClose: () -> Void

    /// The size of one write to the socket, in bytes: small, so that progress shows that the client reads long before a whole picture is sent.
    private static let pieceSize = 64 << 10

    init(_ limits: ConnectionClock.Limits, now: NIODeadline, onClose: @escaping () -> Void) {
        self.clock = ConnectionClock(limits, now: now)
        self.onClose = onClose
    }

    func handlerAdded(context: ChannelHandlerContext) { self.arm(context) }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.alarm?.cancel()
        self.alarm = nil
        self.onClose()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.clock.received(now: context.eventLoop.now)
        self.arm(context)
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let event = event as? ConnectionClock.Event else { return context.triggerUserOutboundEvent(event, promise: promise) }
        self.clock.handle(event, now: context.eventLoop.now)
        self.arm(context)
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var rest = self.unwrapOutboundIn(data)
        while rest.readableBytes > Self.pieceSize, let piece = rest.readSlice(length: Self.pieceSize) {
            self.write(piece, context, nil)
        }
        self.write(rest, context, promise)
    }

    private func write(_ piece: ByteBuffer, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        self.clock.wrote()
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenSuccess {
            self.clock.left(now: context.eventLoop.now)
            self.arm(context)
        }
        sent.futureResult.cascade(to: promise)
        context.write(self.wrapOutboundOut(piece), promise: sent)
    }

    /// A later deadline needs no new timer: the earlier one checks again.
    private func arm(_ context: ChannelHandlerContext) {
        guard let deadline = self.clock.deadline else { return }
        if let alarmTime, alarmTime <= deadline { return }
        self.alarm?.cancel()
        self.alarmTime = deadline
        self.alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.alarmTime = nil
            guard let deadline = self.clock.deadline else { return }
            guard deadline <= context.eventLoop.now else { return self.arm(context) }
            context.close(promise: nil)
        }
    }
}
