import BridgeCore
import NIOCore
import NIOHTTP1

/// Between the HTTP decoder and the library: handles old versions, heads that can't be read, and clients that wait before they send a body.
///
/// The library answers a head that is refused after the requests before it, and without a text, which this handler adds.
final class RequestHeadHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// A request is admitted, and its client waits for leave to send the body (RFC 9110, 10.1.1).
    struct BodyWanted: Sendable {}

    /// The versions of the requests that are not answered yet; an answer of HTTP/1.0 has no chunks.
    private var versions = CircularBuffer<HTTPVersion>()
    private var refusal: WebError?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.refusal == nil else { return }
        guard case .head(var head) = self.unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        // The routes run on Swift's thread pool, which may be busy for longer than a head may take.
        context.triggerUserOutboundEvent(ConnectionClock.Event.headReceived, promise: nil)
        let isOld = head.version != .http1_1
        // Servers could read such a head differently.
        if head.headers["host"].count > 1 || isOld && head.headers.contains(name: "transfer-encoding") {
            self.refusal = .badRequest
            return context.fireErrorCaught(HTTPParserError.unknown)
        }
        self.versions.append(head.version)
        // Exactly this makes the request the connection's last one.
        if isOld || !head.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if self.refusal == nil, let error = error as? HTTPParserError {
            self.refusal = error == .headerOverflow ? .headTooLarge : .badRequest
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch self.unwrapOutboundIn(data) {
        case .head(var head):
            // Answers of routes have a body.
            if let refusal, head.status == .badRequest, head.headers["content-length"] == ["0"] {
                return self.write(refusal, context, promise)
            }
            head.version = self.versions.first ?? .http1_1
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        case .end:
            _ = self.versions.popFirst()
            fallthrough
        case .body: context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        guard self.versions.first == .http1_1 else { return }
        context.writeAndFlush(self.wrapOutboundOut(.head(.init(version: .http1_1, status: .continue))), promise: nil)
    }

    private func write(_ refusal: WebError, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let body = ByteBuffer(bytes: refusal.json)
        let head = HTTPResponseHead(
            version: .http1_1, status: .init(statusCode: refusal.status.code),
            headers: [
                "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff",
                "date": HTTPDate.now, "content-length": "\(body.readableBytes)", "connection": "close",
            ])
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
        context.triggerUserOutboundEvent(ConnectionClock.Event.closing, promise: nil)
    }
}

extension WebError {
    fileprivate static let badRequest = WebError(
        .badRequest, "bad_request", "This is no valid request: check the request line, Host, the length of the body and the fields.")
    fileprivate static let headTooLarge = WebError(
        .requestHeaderFieldsTooLarge, "head_too_large",
        "The head of the request has more than 16 KiB or 100 fields. Delete the cookies that other programs at this host name have set.")
}
