import CastProtocol
import NIOCore

/// Hands what a channel receives to its connection, which lives on the same event loop.
final class CastConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = CastMessage

    private let connection: CastConnection

    init(connection: CastConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = self.unwrapInboundIn(data)
        self.connection.assumeIsolated { $0.receive(message) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.connection.assumeIsolated { $0.channelFailed(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.connection.assumeIsolated { $0.channelClosed() }
        context.fireChannelInactive()
    }
}
