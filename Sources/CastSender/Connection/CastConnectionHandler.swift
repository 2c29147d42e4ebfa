import CastProtocol
import CastTransport
import EventLoopTiming
import NIOCore

/// Passes the messages of a channel to its session, which runs on the same event loop.
final class CastConnectionHandler: ChannelInboundHandler, CastMessageReceiver {
    typealias InboundIn = Never

    /// The session may have a newer one, to which late events of this channel don't belong.
    private let connection: CastConnection
    // Closures that the session made in its isolation. `assumeIsolated` would look up the executor each time, which costs 1 400 instructions:
    // one percent of a status, five of a heartbeat.
    private let receiveMessage: (CastMessagePiece) -> ByteBuffer?
    private let closeSession: (CastError) -> Void

    /// Call this in the session's isolation.
    init(
        _ connection: CastConnection, receive: @escaping (CastMessagePiece) -> ByteBuffer?, close: @escaping (CastError) -> Void
    ) {
        (self.connection, self.receiveMessage, self.closeSession) = (connection, receive, close)
    }

    func receive(_ message: CastMessagePiece) -> ByteBuffer? { self.connection.error == nil ? self.receiveMessage(message) : nil }

    /// Pings after a silence, and ends the link after a longer one.
    func beat() { if let error = self.connection.beat() { self.close(error) } }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.close(CastError(connection: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.close(CastError(.networkError, detail: "the device closed the link"))
        context.fireChannelInactive()
    }

    private func close(_ error: CastError) { if self.connection.error == nil { self.closeSession(error) } }
}
