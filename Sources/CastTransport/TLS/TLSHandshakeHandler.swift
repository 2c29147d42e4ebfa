import CastProtocol
import NIOCore
import NIOTLS

/// Completes a promise with the result of the TLS handshake, then leaves the pipeline.
final class TLSHandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let promise: EventLoopPromise<Void>

    init(promise: EventLoopPromise<Void>) { self.promise = promise }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        guard case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent else { return }
        self.promise.succeed()
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.promise.fail(CastError(.networkError, detail: "TLS handshake: \(CastError(connection: error).detail)"))
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.promise.fail(CastError(.networkError, detail: "the peer closed the connection during the TLS handshake"))
        context.fireChannelInactive()
    }
}
