import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// Sends one request on a new connection, reads the response up to the request's limits, and closes the connection.
final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    struct Response: Sendable {
        var head: HTTPResponseHead
        var body: [UInt8]
        /// Whether a limit of the request ended the body.
        var isCut: Bool
    }

    private let head: HTTPRequestHead
    private let request: HTTPFetchRequest
    private let result: EventLoopPromise<Response>
    private var responseHead: HTTPResponseHead?
    private var body: [UInt8] = []
    /// The limit of the phase: of the handshake, then of the body.
    private var alarm: Scheduled<Void>?

    /// - Parameter result: fails with an `HTTPFetchError` or an error that has a cause there.
    init(_ head: HTTPRequestHead, limits request: HTTPFetchRequest, result: EventLoopPromise<Response>) {
        self.head = head
        self.request = request
        self.result = result
    }

    /// Adds the handlers of a new channel.
    ///
    /// - Parameter tls: what encrypts the connection; `nil` for http.
    func install(on channel: any Channel, tls: NIOSSLClientHandler?) throws {
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            try pipeline.addHandler(tls)
            self.alarm = channel.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(self.request.connectLimit)) {
                self.result.fail(HTTPFetchError(.tlsFailed, "no TLS handshake within the limit"))
                channel.close(promise: nil)
            }
        }
        try pipeline.addHandlers(
            HTTPRequestEncoder(), ByteToMessageHandler(HTTPResponseDecoder()), NIOHTTPRequestHeadersValidator(), self)
    }

    func channelActive(context: ChannelHandlerContext) {
        // TLS keeps both until its handshake is complete.
        context.write(self.wrapOutboundOut(.head(self.head)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent { self.alarm?.cancel() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.responseHead = head
            guard let limit = self.request.bodyLimit else { return }
            self.alarm = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(limit)) { self.finish(context, isCut: true) }
        case .body(let piece):
            let room = self.request.byteLimit - self.body.count
            self.body.append(contentsOf: piece.readableBytesView.prefix(room))
            if piece.readableBytes > room { self.finish(context, isCut: true) }
        case .end:
            self.finish(context, isCut: false)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers close without the end of TLS. The decoder is asked next whether the response is complete.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        self.result.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.alarm?.cancel()
        self.result.fail(HTTPParserError.invalidEOFState)
    }

    private func finish(_ context: ChannelHandlerContext, isCut: Bool) {
        guard let head = self.responseHead else { return }
        self.alarm?.cancel()
        self.result.succeed(Response(head: head, body: self.body, isCut: isCut))
        context.close(promise: nil)
    }
}
