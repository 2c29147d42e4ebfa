import CastProtocol
import CastTransport
import EventLoopTiming
import NIOCore

/// Passes the messages of a channel to its session, which runs on the same event loop.
final class CastConnectionHandler: ChannelInboundHandler, CastMessageReceiver {
    typealias InboundIn = Never

    private let session: CastSession
    /// The session may have a newer one, to which late events of this channel don't belong.
    private let connection: CastConnection

    init(session: CastSession, connection: CastConnection) { (self.session, self.connection) = (session, connection) }

    func receive(_ message: CastMessagePiece) -> ByteBuffer? {
        guard self.connection.error == nil else { return nil }
        return self.session.assumeIsolated { $0.receive(message) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.close(CastError(connection: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.close(CastError(.networkError, detail: "the device closed the link"))
        context.fireChannelInactive()
    }

    private func close(_ error: CastError) { if self.connection.error == nil { self.session.assumeIsolated { $0.close(error) } } }
}
