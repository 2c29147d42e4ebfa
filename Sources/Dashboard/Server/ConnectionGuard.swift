import NIOCore

/// Closes a connection that takes too long, as `ConnectionClock` decides. First in the pipeline after TLS, on the channel's event loop.
///
/// Requests end further up; the server reports them by user events (`ConnectionClock.Event`) that travel towards the socket.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var clock: ConnectionClock
    private var alarm: Scheduled<Void>?
    private var alarmTime: NIODeadline?
    private let onClose: () -> Void

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

    /// Later deadlines need no new alarm: the earlier one looks again.
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
