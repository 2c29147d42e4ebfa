import BridgeCore
import CastModels
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import Dashboard

/// The real server with the API in front of a bridge of the test, on a port of 127.0.0.1.
struct APIServer: Sendable {
    let port: Int
    let bridge: ModelBridge
    let hub: EventHub
    let pictures: ArtworkBudget
    /// Ends the server as the end of the program does.
    let shutDown: @Sendable () async -> Void

    /// A token of each role; they need no CSRF token.
    static let tokens: [WebRole: String] = [.view: "token-of-view", .control: "token-of-control", .admin: "token-of-admin"]

    static func run(
        limits: EventStreams.Limits = .init(), password: String? = nil, for roles: [WebRole] = [.admin],
        setupCode: String? = nil, uploads: (any UploadAccess)? = nil, clock: ConnectionClock.Limits = .ofTests,
        _ body: @Sendable (APIServer) async throws -> Void
    ) async throws {
        var web = WebOptions()
        web.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        web.tokens =
            setupCode != nil
            ? []
            : try self.tokens.sorted { $0.key < $1.key }.map { role, text in
                try #require(AccessToken(name: role.rawValue, role: role, digest: RandomText.digest(text)))
            }
        if let password {
            let cost = try #require(PasswordHash.Cost(rounds: 1 << 14, blockSize: 8, parallelism: 1))
            for role in roles { web.passwords[role] = try PasswordHash.make(password, cost: cost) }
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let bridge = ModelBridge()
        let hub = EventHub(bridge: bridge, logger: logger, limits: limits, now: EventHub.uptime)
        let pictures = ArtworkBudget()
        let (ports, port) = AsyncStream<Int>.makeStream()
        let choices = ModelSettings(file: web)
        var settings = DashboardSettings(web: web, metrics: MetricsOptions(), version: "1.2.3")
        settings.setupCode = setupCode
        let server = try DashboardServer(
            settings: settings,
            routes: [
                DashboardAPI(
                    bridge: bridge, hub: hub, page: web.page.json, settings: choices, uploads: uploads, pictures: pictures)
            ], choices: choices, hub: hub,
            logger: logger,
            limits: clock,
            onListening: { port.yield($1.port ?? 0) })
        choices.begin(with: server)
        let services = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var iterator = ports.makeAsyncIterator()
            let port = try #require(await iterator.next())
            try await body(
                APIServer(port: port, bridge: bridge, hub: hub, pictures: pictures) { await services.triggerGracefulShutdown() })
            group.cancelAll()
        }
    }

    func request(_ path: String, role: WebRole? = .admin, _ headers: [String: String] = [:]) async throws -> APIAnswer {
        try await self.request("GET", path, role: role, headers)
    }

    func open(
        _ path: String, role: WebRole? = .admin, _ headers: [String: String] = [:], isReading: Bool = true
    ) async throws -> APIReader {
        try await self.open("GET", path, role: role, headers, isReading: isReading)
    }

    /// Sends a request and returns its answer.
    func request(
        _ method: String, _ path: String, role: WebRole? = .admin, _ headers: [String: String] = [:], body: String? = nil
    ) async throws -> APIAnswer {
        let reader = try await self.open(method, path, role: role, headers.merging(["Connection": "close"]) { $1 }, body: body)
        try await reader.wait { $0.hasEnded }
        return APIAnswer(head: reader.head, body: reader.body)
    }

    /// Sends a request and reads its answer as it comes.
    func open(
        _ method: String, _ path: String, role: WebRole? = .admin, _ headers: [String: String] = [:], body: String? = nil,
        isReading: Bool = true
    ) async throws -> APIReader {
        var all = ["Host": "127.0.0.1:\(self.port)"]
        if let role { all["Authorization"] = "Bearer \(Self.tokens[role] ?? "")" }
        if let body { all.merge(["Content-Length": "\(body.utf8.count)", "Content-Type": "application/json"]) { $1 } }
        all.merge(headers) { $1 }
        let head = all.map { "\($0.key): \($0.value)\r\n" }.joined()
        let reader = APIReader()
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.minutes(5))
            .channelOption(.autoRead, value: isReading)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(APIReader.Handler(reader)) }
            }.connect(host: "127.0.0.1", port: self.port).get()
        reader.channel.withLock { $0 = channel }
        try await channel.writeAndFlush(
            ByteBuffer(string: "\(method) /api/v1/\(path) HTTP/1.1\r\n\(head)\r\n\(body ?? "")"))
        return reader
    }
}

struct APIAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let text: String

    init(head: String, body: [UInt8]) {
        let lines = head.split(separator: "\r\n")
        self.status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
        self.headers = Dictionary(
            lines.dropFirst().compactMap { line in
                line.firstIndex(of: ":").map { (line[..<$0].lowercased(), line[line.index(after: $0)...].trimmed) }
            }, uniquingKeysWith: { $1 })
        self.text = String(decoding: body, as: UTF8.self)
    }

    /// The body as JSON; `null` when it is none.
    var json: JSONValue { (try? JSONParser.parse(self.text)) ?? .null }
    /// The code of an error.
    var code: String? { self.json["error"]?["code"]?.stringValue }
}

/// An answer that is being read.
final class APIReader: Sendable {
    struct Event: Sendable, Equatable {
        var name: String
        var id: String?
        var data: String

        var json: JSONValue { (try? JSONParser.parse(self.data)) ?? .null }
    }

    private let received = Mutex<[UInt8]>([])
    private let ended = Mutex(false)
    let channel = Mutex<(any Channel)?>(nil)

    final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let reader: APIReader

        init(_ reader: APIReader) { self.reader = reader }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = Array(self.unwrapInboundIn(data).readableBytesView)
            self.reader.received.withLock { $0 += bytes }
        }

        func channelInactive(context: ChannelHandlerContext) { self.reader.ended.withLock { $0 = true } }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    var hasEnded: Bool { self.ended.withLock { $0 } }
    var bytes: [UInt8] { self.received.withLock { $0 } }

    /// Reads what waits, of a connection that was opened without reading.
    func resume() async throws {
        let channel = self.channel.withLock { $0 }
        try await channel?.setOption(.autoRead, value: true).get()
    }

    func send(_ text: String) async throws {
        let channel = self.channel.withLock { $0 }
        try await channel?.writeAndFlush(ByteBuffer(string: text))
    }

    func close() { self.channel.withLock { $0 }?.close(promise: nil) }

    private static let separator = Array("\r\n\r\n".utf8)

    private var headEnd: Int? {
        let bytes = self.bytes
        return bytes.indices.first { bytes[$0...].starts(with: Self.separator) }
    }

    var head: String { self.headEnd.map { String(decoding: self.bytes[..<$0], as: UTF8.self) } ?? "" }

    /// The received part of the body, without the frames of chunked coding.
    var body: [UInt8] {
        guard let end = self.headEnd else { return [] }
        let raw = self.bytes[(end + 4)...]
        guard self.head.lowercased().contains("transfer-encoding: chunked") else { return Array(raw) }
        var body: [UInt8] = []
        var rest = raw
        while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\r")),
            let count = Int(String(decoding: rest[..<lineEnd], as: UTF8.self), radix: 16), count > 0
        {
            let chunk = rest[(lineEnd + 2)...].prefix(count)
            body += chunk
            guard chunk.count == count else { break }
            rest = rest[min(rest.endIndex, lineEnd + 2 + count + 2)...]
        }
        return body
    }

    /// The whole server-sent events that came.
    var events: [Event] {
        String(decoding: self.body, as: UTF8.self).components(separatedBy: "\n\n").dropLast().compactMap { block in
            var event = Event(name: "message", data: "")
            var hasData = false
            for line in block.split(separator: "\n") {
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.id = String(line.dropFirst(4)) }
                if line.hasPrefix("data: ") {
                    event.data += line.dropFirst(6)
                    hasData = true
                }
            }
            return hasData ? event : nil
        }
    }

    /// Waits for what the test expects.
    func wait(_ condition: (APIReader) -> Bool) async throws {
        do { try await eventually("what the test expects has come", holds: { condition(self) }) } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description); received: \(String(decoding: self.bytes.suffix(500), as: UTF8.self))")
        }
    }
}

extension String {
    fileprivate func components(separatedBy separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let range = rest.firstRange(of: separator) {
            parts.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        return parts + [rest]
    }
}
