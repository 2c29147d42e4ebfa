import CastProtocol
import CastTransport
import EventLoopTiming
import NIOCore

/// Passes the messages of a channel to its session, which runs on the same event loop.
final class CastConnectionHandler: ChannelInboundHandler, CastMessageReceiver {
    typealias InboundIn = Never

    private let session: CastSession

    init(session: CastSession) { self.session = session }

    func receive(_ message: CastMessagePiece) -> ByteBuffer? {
        self.session.assumeIsolated(on: self.session.eventLoop, message) { $0.receive($1) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.session.assumeIsolated { $0.close(CastError(connection: error)) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.session.assumeIsolated { $0.close(CastError(.networkError, detail: "the device closed the link")) }
        context.fireChannelInactive()
    }
}
