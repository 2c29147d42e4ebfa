import CastProtocol
import NIOCore

/// Passes what a channel receives to its session, which runs on the same event loop.
final class CastConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = CastMessage

    private let session: CastSession

    init(session: CastSession) { self.session = session }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = self.unwrapInboundIn(data)
        self.session.assumeIsolated { $0.receive(message) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let error = error as? CastError ?? CastError(.networkError, detail: "\(error)")
        self.session.assumeIsolated { $0.close(error) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.session.assumeIsolated { $0.close(CastError(.networkError, detail: "the device closed the link")) }
        context.fireChannelInactive()
    }
}
