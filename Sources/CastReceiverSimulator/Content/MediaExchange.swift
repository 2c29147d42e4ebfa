import NIOCore
import NIOHTTP1

/// One request and the beginning of its answer; the rest is read only on `drain`.
final class MediaExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: HTTPRequestHead
    /// The largest number of body bytes that are kept.
    private let limit: Int
    /// Whether the first bytes are sufficient when a body has no stated length.
    private let isForStart: Bool
    private let onReply: (HTTPReply) -> Void
    private let onFailure: (String) -> Void
    private let onEnd: (Double?) -> Void

    private var context: ChannelHandlerContext?
    private var head: HTTPResponseHead?
    private var body: [UInt8] = []
    private var isAnswered = false
    private var isDraining = false
    private var hasEnded = false
    private var isClosed = false
    private var clock = MatroskaClock()

    init(
        request: HTTPRequestHead, limit: Int, isForStart: Bool, onReply: @escaping (HTTPReply) -> Void,
        onFailure: @escaping (String) -> Void, onEnd: @escaping (Double?) -> Void
    ) {
        (self.request, self.limit, self.isForStart) = (request, limit, isForStart)
        (self.onReply, self.onFailure, self.onEnd) = (onReply, onFailure, onEnd)
    }

    /// Reads to the end and discards the bytes.
    func drain() {
        self.isDraining = true
        self.clock.take(self.body)
        self.body = []
        if self.hasEnded { self.end() } else { self.context?.channel.setOption(.autoRead, value: true).whenComplete { _ in } }
    }

    func close() {
        self.isClosed = true
        self.context?.close(promise: nil)
    }

    /// Reports that there was no connection, or that it broke before the answer.
    func fail(_ detail: String) {
        guard !self.isAnswered, !self.isClosed else { return }
        self.isAnswered = true
        self.onFailure(detail)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if self.isClosed { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelActive(context: ChannelHandlerContext) {
        context.write(self.wrapOutboundOut(.head(self.request)), promise: nil)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body(let bytes):
            if self.isDraining { return self.clock.take(bytes.readableBytesView) }
            self.body += bytes.readableBytesView
            // A stream may be slow; its first bytes are sufficient to detect its format.
            if self.body.count >= self.limit || (self.isForStart && self.isEndless) { self.answer() }
        case .end:
            self.hasEnded = true
            self.answer()
            if self.isDraining { self.end() }
        }
    }

    private var isEndless: Bool {
        guard let head else { return false }
        return head.headers["content-length"].isEmpty && head.headers["content-range"].isEmpty
    }

    private func answer() {
        guard !self.isAnswered, !self.isClosed, let head else { return }
        self.isAnswered = true
        if !self.hasEnded { self.context?.channel.setOption(.autoRead, value: false).whenComplete { _ in } }
        var headers: [String: String] = [:]
        for (name, value) in head.headers { headers[name.lowercased()] = value }
        self.onReply(HTTPReply(status: Int(head.status.code), headers: headers, body: Array(self.body.prefix(self.limit))))
    }

    private func end() {
        guard !self.isClosed else { return }
        self.close()
        self.onEnd(self.clock.seconds)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            // A paused stream may be silent for any time.
            if !self.isAnswered { self.fail("no answer in time") }
            if !self.isDraining { context.close(promise: nil) }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.fail("the connection ended without an answer")
        if self.isDraining { self.end() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail("\(error)")
        context.close(promise: nil)
    }
}
