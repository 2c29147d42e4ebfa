import BridgeCore
import Logging
import NIOCore
import NIOPosix
import Testing

@testable import Dashboard

/// A real server on a port of 127.0.0.1, while a test runs.
struct TestServer: Sendable {
    /// The setup code of a server without a password.
    static let code = "the code"

    let port: Int

    static func run(
        _ web: WebOptions = WebOptions(), limits: ConnectionClock.Limits = .ofTests, routes: [any DashboardRoutes] = [],
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        var web = web
        web.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        try await Self.run(web, MetricsOptions(), limits: limits, routes: routes, body)
    }

    /// A server with a listener for metrics alone.
    static func run(forMetrics monitoring: any BridgeMonitoring, _ body: @Sendable (TestServer) async throws -> Void) async throws {
        var metrics = MetricsOptions()
        metrics.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        try await Self.run(WebOptions(), metrics, monitoring: monitoring, body)
    }

    /// A server with a listener for the page and one for metrics, without a bridge.
    static func runBoth(_ body: @Sendable (_ page: TestServer, _ metrics: TestServer) async throws -> Void) async throws {
        var (web, metrics) = (WebOptions(), MetricsOptions())
        web.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        metrics.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = try DashboardServer(
            settings: DashboardSettings(web: web, metrics: metrics, version: "1.2.3"), routes: [],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, limits: .ofTests, onListening: { port.yield($1.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            var servers: [TestServer] = []
            for _ in 0..<2 { servers.append(TestServer(port: try #require(await iterator.next()))) }
            // Whichever opened first.
            if try await servers[0].request("GET", "/").status == 404 { servers.reverse() }
            try await body(servers[0], servers[1])
            group.cancelAll()
        }
    }

    private static func run(
        _ web: WebOptions, _ metrics: MetricsOptions, limits: ConnectionClock.Limits = .ofTests, routes: [any DashboardRoutes] = [],
        monitoring: (any BridgeMonitoring)? = nil, _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let (ports, port) = AsyncStream<Int>.makeStream()
        var settings = DashboardSettings(web: web, metrics: metrics, version: "1.2.3")
        settings.setupCode = Self.code
        let server = try DashboardServer(
            settings: settings, routes: routes, monitoring: monitoring,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, limits: limits, onListening: { port.yield($1.port ?? 0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            var iterator = ports.makeAsyncIterator()
            try await body(TestServer(port: try #require(await iterator.next())))
            group.cancelAll()
        }
    }

    /// Sends bytes over a new connection, and returns everything that the server sends until it closes it, or until `isEnough` says so.
    func exchange(_ text: String, until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async throws -> String {
        let channel = try await self.connect()
        return try await channel.executeThenClose { inbound, outbound in
            // The server may refuse before it has read everything.
            try? await outbound.write(ByteBuffer(string: text))
            var received = ByteBuffer()
            do {
                for try await part in inbound {
                    received.writeImmutableBuffer(part)
                    if isEnough(String(buffer: received)) { break }
                }
            } catch is IOError {}
            return String(buffer: received)
        }
    }

    func connect(from address: String = "127.0.0.1") async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(.minutes(5))
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: self.port) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
            }
    }

    /// Sends a request that is the connection's last.
    func request(_ method: String, _ path: String, _ headers: [String: String] = [:], body: String = "") async throws -> TestAnswer {
        var all = ["Host": "127.0.0.1:\(self.port)", "Connection": "close"]
        if !body.isEmpty { all["Content-Length"] = "\(body.utf8.count)" }
        all.merge(headers) { $1 }
        let head = all.map { "\($0.key): \($0.value)\r\n" }.joined()
        return TestAnswer(try await self.exchange("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body)"))
    }
}

extension ConnectionClock.Limits {
    /// Limits that no busy machine reaches: on one whose event loops stand still for 10 s, the server would hang up on its test.
    static let ofTests = Self.lasting()

    /// The same, but for the limit that a test waits for.
    static func lasting(head: TimeAmount = .minutes(5), body: TimeAmount = .minutes(5), idle: TimeAmount = .minutes(5)) -> Self {
        Self(head: head, body: body, answer: .minutes(5), idle: idle, closing: .seconds(2))
    }
}

/// An answer as text.
struct TestAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let body: String

    init(_ text: String) {
        let end = text.range(of: "\r\n\r\n") ?? text.endIndex..<text.endIndex
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        self.status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        self.headers = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { (line[..<$0].lowercased(), line[line.index(after: $0)...].trimmed) }
            }, uniquingKeysWith: { $0 + "\n" + $1 })
        self.body = String(text[end.upperBound...])
    }
}
