import NIOCore

/// Reports to the `ConnectionGuard` that the head of a request is complete. Behind the HTTP decoder, whose first part is the head.
///
/// The routes run on Swift's thread pool, which may be busy for longer than a head may take.
final class HeadWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.triggerUserOutboundEvent(ConnectionClock.Event.headReceived, promise: nil)
        context.fireChannelRead(data)
    }
}
