import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A web server for a handful of files in memory, on a port of its own of 127.0.0.1.
final class FileServer: Sendable {
    struct File: Sendable {
        var body: [UInt8]
        var type: String
        var hasRanges = true
        var allowsOrigins = false
        /// Sent in pieces without a length.
        var isStream = false
        /// Bytes of each piece of a stream.
        var piece = Int.max
    }

    let port: Int
    private let channel: any Channel
    private let heads = Mutex<[HTTPRequestHead]>([])

    /// The requests so far.
    var requests: [HTTPRequestHead] { self.heads.withLock { $0 } }

    static func with<Value>(_ files: [String: File], _ body: (FileServer) async throws -> Value) async throws -> Value {
        let heads = AsyncStream.makeStream(of: HTTPRequestHead.self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(files: files, heads: heads.continuation))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = FileServer(channel: channel)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await head in heads.stream { server.heads.withLock { $0.append(head) } } }
            let result: Result<Value, any Error>
            do { result = .success(try await body(server)) } catch { result = .failure(error) }
            group.cancelAll()
            try? await channel.close().get()
            return try result.get()
        }
    }

    private init(channel: any Channel) {
        self.channel = channel
        self.port = channel.localAddress?.port ?? 0
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private let files: [String: File]
        private let heads: AsyncStream<HTTPRequestHead>.Continuation

        init(files: [String: File], heads: AsyncStream<HTTPRequestHead>.Continuation) { (self.files, self.heads) = (files, heads) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head(let head) = self.unwrapInboundIn(data) else { return }
            self.heads.yield(head)
            guard let file = self.files[head.uri] else { return self.send(.notFound, [:], [], context) }
            var headers: HTTPHeaders = ["Content-Type": file.type]
            if file.allowsOrigins { headers.add(name: "Access-Control-Allow-Origin", value: "*") }
            if file.isStream { return self.send(.ok, headers, file.body, in: file.piece, context) }
            var body = file.body[...]
            var status = HTTPResponseStatus.ok
            if file.hasRanges, let range = head.headers.first(name: "Range"), let start = Int(range.dropFirst(6).dropLast()) {
                body = body.dropFirst(start)
                status = .partialContent
                headers.add(name: "Content-Range", value: "bytes \(start)-\(file.body.count - 1)/\(file.body.count)")
            }
            headers.add(name: "Content-Length", value: String(body.count))
            self.send(status, headers, Array(body), context)
        }

        private func send(
            _ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: [UInt8], in piece: Int = .max, _ context: ChannelHandlerContext
        ) {
            context.write(self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
            var rest = body[...]
            while !rest.isEmpty {
                context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: rest.prefix(piece))))), promise: nil)
                rest = rest.dropFirst(piece)
            }
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
