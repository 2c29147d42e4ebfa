import BridgeCore
import NIOCore
import NIOHTTP1

/// Answers the requests of one connection. Files go from the disk to the socket by sendfile, a piece at a time, as fast as the client reads.
///
/// A connection is closed when a head takes longer than `Limits` allow. A client that reads slowly, or not at all for a while, may stay as
/// long as it gets content: a paused film does just that.
final class MediaHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    struct Limits {
        /// From the connection to its first head.
        var head = TimeAmount.seconds(10)
        /// From an answer to the next head, and for the reading of an answer without content.
        var idle = TimeAmount.seconds(60)
        /// Between looks at a file that is being sent.
        var check = TimeAmount.seconds(5)
        /// From our last byte to the close of the connection.
        var linger = TimeAmount.seconds(2)
    }

    private let limits: Limits
    private let find: (String) -> MediaSource?
    private var alarm: Scheduled<Void>?
    /// The content that is being sent, and its bytes that were not written yet.
    private var sending: (source: MediaSource, rest: Range<Int>)?
    private var isKeptOpen = true
    private var isClosing = false
    private static let pieceLength = 1 << 20

    /// - Parameter find: returns the content at a target of a request.
    init(_ limits: Limits, find: @escaping (String) -> MediaSource?) { (self.limits, self.find) = (limits, find) }

    func channelActive(context: ChannelHandlerContext) {
        self.expect(context, within: self.limits.head)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.alarm?.cancel()
        self.sending = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isClosing, case .head(let head) = self.unwrapInboundIn(data) else { return }
        self.isKeptOpen = head.isKeepAlive
        let hasBody = head.headers.contains(name: "transfer-encoding") || head.headers["content-length"].contains { $0 != "0" }
        // Proxies and servers could read such a head differently.
        guard !hasBody, head.headers["host"].count == 1 || head.version == .http1_0 && head.headers["host"].isEmpty else {
            self.isKeptOpen = false
            return self.answer(.bare(.badRequest), to: head, context)
        }
        switch head.method {
        case .OPTIONS: self.answer(.options, to: head, context)
        case .GET, .HEAD:
            guard let source = self.find(head.uri) else { return self.answer(.bare(.notFound), to: head, context) }
            let answer = MediaAnswer(head, source)
            if let body = answer.body { self.sending = (source, body) }
            self.answer(answer, to: head, context)
        default: self.answer(.bare(.methodNotAllowed), to: head, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While content is being sent, an answer in between would become part of it.
        guard let error = error as? HTTPParserError, self.sending == nil, !self.isClosing else { return context.close(promise: nil) }
        self.isKeptOpen = false
        let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        self.answer(.bare(error == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest), to: head, context)
    }

    private func answer(_ answer: MediaAnswer, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
        var headers = answer.headers
        headers.add(name: "date", value: HTTPDate.now)
        if !self.isKeptOpen { headers.add(name: "connection", value: "close") }
        if self.isKeptOpen, request.version == .http1_0 { headers.add(name: "connection", value: "keep-alive") }
        let version = request.version == .http1_0 ? HTTPVersion.http1_0 : .http1_1
        context.write(
            self.wrapOutboundOut(.head(HTTPResponseHead(version: version, status: answer.status, headers: headers))), promise: nil)
        self.watch(context)
        self.sendPiece(context)
    }

    /// Writes the next piece once the one before has been read by the client, or ends the answer.
    private func sendPiece(_ context: ChannelHandlerContext) {
        guard let (source, rest) = self.sending, !rest.isEmpty else {
            self.sending = nil
            self.expect(context, within: self.limits.idle)
            return self.end(context)
        }
        let piece = rest.prefix(Self.pieceLength)
        let data: IOData
        switch source.body {
        case .file(let file):
            guard file.isWhole else { return context.close(promise: nil) }
            data = .fileRegion(FileRegion(fileHandle: file.handle, readerIndex: piece.lowerBound, endIndex: piece.upperBound))
        case .bytes(let buffer):
            guard let slice = buffer.getSlice(at: piece.lowerBound, length: piece.count) else { return context.close(promise: nil) }
            data = .byteBuffer(slice)
        }
        self.sending?.rest = piece.upperBound..<rest.upperBound
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { [weak self] in self?.sendPiece(context) }
        context.writeAndFlush(self.wrapOutboundOut(.body(data)), promise: written)
    }

    private func end(_ context: ChannelHandlerContext) {
        guard !self.isKeptOpen else { return context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil) }
        self.isClosing = true
        let written = context.eventLoop.makePromise(of: Void.self)
        // Closed for output first: a close with unread bytes would make the client lose the answer.
        written.futureResult.assumeIsolated().whenComplete { [weak self, limits] _ in
            context.close(mode: .output, promise: nil)
            self?.expect(context, within: limits.linger)
        }
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: written)
    }

    /// Closes the connection unless something happens within this time.
    private func expect(_ context: ChannelHandlerContext, within limit: TimeAmount) {
        self.alarm?.cancel()
        self.alarm = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
    }

    /// Looks at the file while it is sent: a shorter one would keep sendfile busy for ever.
    private func watch(_ context: ChannelHandlerContext) {
        self.alarm?.cancel()
        self.alarm = context.eventLoop.assumeIsolated().scheduleTask(in: self.limits.check) { [weak self] in
            guard let self, case .file(let file) = self.sending?.source.body else { return }
            guard file.isWhole else { return context.close(promise: nil) }
            self.watch(context)
        }
    }
}
