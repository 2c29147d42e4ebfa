import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import CastReceiverSimulator

@Suite struct MediaClientTests {
    @Test(
        "the Host of a request names the server as RFC 9110 has it",
        arguments: [
            ("http://h/x", "h"), ("http://h:8080/x", "h:8080"), ("http://127.0.0.1:1/x", "127.0.0.1:1"),
            ("http://[::1]:8080/x", "[::1]:8080"),
            ("https://[fe80::1]/x", "[fe80::1]"),
        ])
    func authority(url: String, expected: String) throws {
        #expect(MediaClient.authority(of: try #require(URL(string: url))) == expected)
    }

    @Test("a server that sends a byte now and then does not keep the player waiting for ever", .timeLimit(.minutes(5)))
    func slowServer() async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Dripping())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = server.localAddress?.port ?? 0
        let eventLoop = group.next()
        let found = eventLoop.makePromise(of: FetchFinding.self)
        let client = try await eventLoop.submit {
            let client = MediaClient(
                media: ["contentId": .string("http://127.0.0.1:\(port)/film.mp4"), "contentType": "video/mp4"], eventLoop: eventLoop,
                limit: .seconds(1), onFinding: { found.succeed($0) }, onEnd: { _ in })
            client.start()
            return NIOLoopBound(client, eventLoop: eventLoop)
        }.get()
        #expect(try await found.futureResult.get() == .failed(code: 103, detail: "no finding in time"))
        try await eventLoop.submit { client.value.cancel() }.get()
        try await server.close().get()
    }

    /// Promises a file and sends it far too slowly.
    private final class Dripping: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart
        private var isOpen = true

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .head = self.unwrapInboundIn(data) else { return }
            let headers: HTTPHeaders = ["Content-Type": "video/mp4", "Content-Length": "1000000"]
            context.write(self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers))), promise: nil)
            self.drip(context)
        }

        private func drip(_ context: ChannelHandlerContext) {
            guard self.isOpen else { return }
            context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: [0])))), promise: nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(50)) { self.drip(context) }
        }

        func channelInactive(context: ChannelHandlerContext) { self.isOpen = false }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
