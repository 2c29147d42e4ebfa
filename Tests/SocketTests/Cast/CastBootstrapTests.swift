import CastProtocol
import CastTransport
import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@Suite("Connections over TLS", .timeLimit(.minutes(5)))
struct CastBootstrapTests {
    @Test("errors of the system are told in words", arguments: [(ECONNREFUSED, "Connection refused"), (EHOSTUNREACH, "No route to host")])
    func words(number: Int32, text: String) {
        #expect(CastError(connection: IOError(errnoCode: number, reason: "connection reset (error set)")).detail == text)
    }

    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private static let limit = TimeAmount.seconds(30)

    private static func message(_ text: String) -> CastMessage {
        CastMessage(sourceID: "sender-0", destinationID: "receiver-0", namespace: CastNamespace.receiver, payload: .text(text))
    }

    private static func anyPort() throws -> SocketAddress { try SocketAddress(ipAddress: "127.0.0.1", port: 0) }

    /// Sends back every message.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = CastMessage

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }

    /// Gathers messages until there are enough.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = CastMessage

        private let promise: EventLoopPromise<[CastMessage]>
        private let count: Int
        private var messages: [CastMessage] = []

        init(count: Int, promise: EventLoopPromise<[CastMessage]>) { (self.count, self.promise) = (count, promise) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.messages.append(self.unwrapInboundIn(data))
            if self.messages.count == self.count { self.promise.succeed(self.messages) }
        }

        func channelInactive(context: ChannelHandlerContext) { self.promise.fail(ChannelError.eof) }
    }

    private func echoServer() async throws -> any Channel {
        try await CastServerBootstrap(group: self.loop, identity: .test()).bind(to: Self.anyPort()) { channel in
            try channel.pipeline.syncOperations.addHandler(Echo())
        }.get()
    }

    @Test("messages of 1 byte to 64 KiB are sent and returned in order")
    func roundTrip() async throws {
        let server = try await self.echoServer()
        let address = try #require(server.localAddress)
        let sent = [0, 1, 4000, 16_384, 40_000, 65_000, 5].map { Self.message(String(repeating: "ä", count: $0 / 2)) }
        let promise = self.loop.makePromise(of: [CastMessage].self)
        let channel = try await CastClientBootstrap().connect(to: address, eventLoop: self.loop, timeout: Self.limit) { channel in
            try channel.pipeline.syncOperations.addHandler(Collector(count: sent.count, promise: promise))
        }.get()
        for message in sent { try await channel.writeAndFlush(message) }
        #expect(try await promise.futureResult.get() == sent)
        try await channel.close()
        try await server.close()
    }

    @Test("the peer's certificate can be read, and only where there is one")
    func certificate() async throws {
        let server = try await self.echoServer()
        let channel = try await CastClientBootstrap().connect(
            to: try #require(server.localAddress), eventLoop: self.loop, timeout: Self.limit
        ).get()
        #expect(try await CastTLS.peerCertificateDER(of: channel).get() == CastServerIdentity.test().certificateDER)
        #expect(try await CastTLS.peerCertificateDER(of: server).get() == nil)
        try await channel.close()
        try await server.close()
    }

    @Test("certificate and key are taken as DER too, and nonsense is refused")
    func identities() throws {
        let der = try CastServerIdentity.test().certificateDER
        let key = try NIOSSLPrivateKey(bytes: Array(CastServerIdentity.privateKey.utf8), format: .pem)
        #expect(try CastServerIdentity(certificateDER: der, privateKeyDER: key.derBytes).certificateDER == der)
        #expect(throws: CastError.self) { try CastServerIdentity(certificateDER: [1, 2, 3], privateKeyDER: [4]) }
        #expect(throws: CastError.self) { try CastServerIdentity(certificatePEM: "", privateKeyPEM: CastServerIdentity.privateKey) }
    }

    @Test("the sockets have the options that find dead peers and send at once")
    func socketOptions() async throws {
        let server = try await self.echoServer()
        let channel = try await CastClientBootstrap().connect(
            to: try #require(server.localAddress), eventLoop: self.loop, timeout: Self.limit
        ).get()
        #expect(try await channel.getOption(.tcpOption(.tcp_nodelay)).get() != 0)
        #expect(try await channel.getOption(.socketOption(.so_keepalive)).get() != 0)
        let userTimeout = NIOBSDSocket.Option(rawValue: 18)
        #expect(try await channel.getOption(.tcpOption(userTimeout)).get() == 15_000)
        try await channel.close()
        try await server.close()
    }

    @Test("a refused connection is a network error")
    func refused() async throws {
        let server = try await self.echoServer()
        let address = try #require(server.localAddress)
        try await server.close()
        let error = await #expect(throws: CastError.self) {
            try await CastClientBootstrap().connect(to: address, eventLoop: loop, timeout: Self.limit).get()
        }
        #expect(error?.code == .networkError)
    }

    @Test("a peer that accepts and sends nothing is a timeout")
    func silentPeer() async throws {
        let server = try await ServerBootstrap(group: self.loop).bind(to: Self.anyPort()).get()
        let address = try #require(server.localAddress)
        let error = await #expect(throws: CastError.self) {
            try await CastClientBootstrap().connect(to: address, eventLoop: loop, timeout: .milliseconds(100)).get()
        }
        #expect(error?.code == .timeout)
        try await server.close()
    }

    /// Answers a TLS handshake with something else.
    private final class PlainText: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let closes: Bool

        init(closes: Bool) { self.closes = closes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if self.closes { return context.close(promise: nil) }
            context.writeAndFlush(NIOAny(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")), promise: nil)
        }
    }

    @Test("a peer that speaks no TLS, or hangs up during the handshake, is a network error", arguments: [false, true])
    func noTLS(closes: Bool) async throws {
        let server = try await ServerBootstrap(group: self.loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(PlainText(closes: closes)) }
            }
            .bind(to: Self.anyPort()).get()
        let address = try #require(server.localAddress)
        let error = await #expect(throws: CastError.self) {
            try await CastClientBootstrap().connect(to: address, eventLoop: loop, timeout: Self.limit).get()
        }
        #expect(error?.code == .networkError)
        try await server.close()
    }

    @Test("closing the channel that was configured ends the attempt")
    func cancelled() async throws {
        let server = try await ServerBootstrap(group: self.loop).bind(to: Self.anyPort()).get()
        let address = try #require(server.localAddress)
        await #expect(throws: CastError.self) {
            try await CastClientBootstrap().connect(to: address, eventLoop: loop, timeout: Self.limit) { channel in
                channel.eventLoop.execute { channel.close(promise: nil) }
            }.get()
        }
        try await server.close()
    }

    @Test("an error of the caller's own handlers is returned as it is")
    func configureFails() async throws {
        let server = try await self.echoServer()
        let address = try #require(server.localAddress)
        await #expect(throws: CastError(.invalidState, detail: "not today")) {
            try await CastClientBootstrap().connect(to: address, eventLoop: loop, timeout: Self.limit) { _ in
                throw CastError(.invalidState, detail: "not today")
            }.get()
        }
        try await server.close()
    }

    @Test("a broken frame from a client ends its connection at the server")
    func brokenFrame() async throws {
        let server = try await self.echoServer()
        let address = try #require(server.localAddress)
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let tls = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: self.loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(try NIOSSLClientHandler(context: tls, serverHostname: nil))
                }
            }
            .connect(to: address).get()
        try await channel.writeAndFlush(ByteBuffer(bytes: [0, 0, 0, 0]))
        try await channel.closeFuture.get()
        try await server.close()
    }
}
