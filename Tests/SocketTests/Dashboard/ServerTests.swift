import BridgeCore
import CastModels
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@testable import Dashboard

@Suite("The web server", .serialized) struct ServerTests {
    @Test("serves the page, to be asked for again, and its files, to be kept")
    func page() async throws {
        try await TestServer.run { server in
            let index = try await server.request("GET", "/")
            #expect(index.status == 200 && index.headers["content-type"] == "text/html; charset=utf-8")
            #expect(index.headers["cache-control"] == "no-cache" && index.headers["content-length"] == "\(index.body.utf8.count)")
            let tag = try #require(index.headers["etag"])
            #expect(try await server.request("GET", "/", ["If-None-Match": "\"x\", \(tag)"]).status == 304)
            #expect(try await server.request("GET", "/", ["If-None-Match": "\"x\""]).status == 200)
            let head = try await server.request("HEAD", "/")
            #expect(head.status == 200 && head.body.isEmpty && head.headers["etag"] == tag)
            let file = try await server.request("GET", "/assets/\(PageFile.version)/index.html")
            #expect(file.status == 200 && file.headers["cache-control"]?.contains("immutable") == true && file.body == index.body)
            #expect(try await server.request("GET", "/assets/0000/index.html").status == 404)
            #expect(try await server.request("GET", "/favicon.ico").status < 300)
        }
    }

    @Test("compresses for clients that accept it", arguments: ["gzip", "br;q=1, gzip;q=0.8", "GZIP"])
    func compressed(accept: String) throws {
        let file = try #require(PageFile.named("index.html"))
        let answer = file.response(to: [.acceptEncoding: accept], isVersioned: false)
        #expect(answer.headers[.contentEncoding] == "gzip" && answer.headers[.vary] == "Accept-Encoding")
        #expect(answer.headers[.eTag] != file.response(to: [:], isVersioned: false).headers[.eTag])
        for other in ["", "gzip;q=0", "gzip; q=0.000", "br", "xgzip"] { #expect(!PageFile.acceptsGzip(other)) }
    }

    @Test("answers errors as JSON with its headers")
    func errors() async throws {
        try await TestServer.run { server in
            let answer = try await server.request("GET", "/nothing")
            #expect(answer.status == 404 && answer.headers["content-type"] == "application/json")
            #expect(answer.headers["content-security-policy"]?.contains("frame-ancestors 'none'") == true)
            #expect(try JSONParser.parse(Array(answer.body.utf8))["error"]?["code"] == "not_found")
            #expect(answer.headers["date"]?.hasSuffix("GMT") == true && answer.headers["server"] == nil)
        }
    }

    @Test("keeps a connection for the next request")
    func keepAlive() async throws {
        try await TestServer.run { server in
            let request = "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
            let text = try await server.exchange(request + request) { $0.components(separatedBy: "not_found").count == 3 }
            #expect(text.components(separatedBy: "HTTP/1.1 404").count == 3)
        }
    }

    @Test(
        "HTTP/1.0: no chunks, closed after the answer, and a request before it keeps its own form",
        arguments: ["", "Connection: keep-alive\r\n"])
    func oldVersion(header: String) async throws {
        try await TestServer.run(routes: [Pieces()]) { server in
            let host = "Host: 127.0.0.1:\(server.port)\r\n"
            let text = try await server.exchange("GET /pieces HTTP/1.0\r\n\(host)\(header)\r\nGET /pieces HTTP/1.0\r\n\r\n")
            let answer = TestAnswer(text)
            #expect(answer.status == 200 && answer.body == "onetwo", "\(text)")
            #expect(answer.headers["transfer-encoding"] == nil && answer.headers["connection"] == "close")
            let both = try await server.exchange("GET /pieces HTTP/1.1\r\n\(host)\r\nGET /pieces HTTP/1.0\r\n\(host)\r\n")
            #expect(both.contains("\r\n3\r\ntwo\r\n0\r\n\r\nHTTP/1.0 200 OK") && both.hasSuffix("\r\n\r\nonetwo"), "\(both)")
        }
    }

    private struct Pieces: DashboardRoutes {
        func add(to router: Router<DashboardContext>) {
            router.get("/pieces") { _, _ in
                Response(
                    status: .ok,
                    body: ResponseBody { writer in
                        for text in ["one", "two"] { try await writer.write(ByteBuffer(string: text)) }
                        try await writer.finish(nil)
                    })
            }
        }
    }

    @Test("a connection that the client wants closed is closed, however it is spelled", arguments: ["close", "Close", "close, TE"])
    func lastRequest(value: String) async throws {
        try await TestServer.run { server in
            let text = try await server.exchange("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: \(value)\r\n\r\n")
            #expect(TestAnswer(text).headers["connection"] == "close")
        }
    }

    private struct Failing: DashboardRoutes {
        struct Mistake: Error {}

        func add(to router: Router<DashboardContext>) {
            router.get("/fails") { _, _ -> Response in throw Mistake() }
        }
    }

    @Test("answers a mistake of a route with the headers of every answer, and HEAD without a body")
    func mistake() async throws {
        try await TestServer.run(routes: [Failing()]) { server in
            let answer = try await server.request("GET", "/fails")
            #expect(answer.status == 500 && answer.body.contains("\"internal\""))
            #expect(answer.headers["x-content-type-options"] == "nosniff" && answer.headers["content-security-policy"] != nil)
            let host = "Host: 127.0.0.1:\(server.port)\r\nAuthorization: Bearer \(TestServer.code)\r\n"
            let requests = ["HEAD /nothing", "HEAD /fails", "HEAD /api/v1/commands/tv/cmd/pause", "GET /health"]
            let text = try await server.exchange(requests.map { "\($0) HTTP/1.1\r\n\(host)\r\n" }.joined()) { $0.contains("hangs") }
            #expect(text.components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) } == ["", "404", "500", "404", "503"])
            #expect(text.components(separatedBy: "{\"error\"").count == 2)
        }
    }

    @Test("goes on when a port is taken, and warns")
    func portTaken() async throws {
        try await TestServer.run { first in
            var web = WebOptions()
            web.listen = try [#require(ListenAddress("127.0.0.1:\(first.port)")), #require(ListenAddress("127.0.0.1:0"))]
            let (ports, port) = AsyncStream<Int>.makeStream()
            let second = try DashboardServer(
                settings: DashboardSettings(web: web, metrics: MetricsOptions(), version: ""), routes: [],
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { port.yield($1.port ?? 0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await second.run() }
                var iterator = ports.makeAsyncIterator()
                let other = TestServer(port: try #require(await iterator.next()))
                #expect(try await other.request("GET", "/").status == 200)
                group.cancelAll()
            }
        }
    }

    private struct Endless: DashboardRoutes {
        func add(to router: Router<DashboardContext>) {
            router.get("/api/v1/events") { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "text/event-stream"],
                    body: ResponseBody { writer in
                        try await writer.write(ByteBuffer(string: ": begin\n\n"))
                        // Longer than any test: what ends it is the end of the server.
                        try await Task.sleep(for: .seconds(3600))
                        try await writer.finish(nil)
                    })
            }
        }
    }

    /// Answers after the server began to end.
    private struct Late: DashboardRoutes {
        let began: AsyncStream<Void>.Continuation
        let goOn: AsyncStream<Void>

        func add(to router: Router<DashboardContext>) {
            router.get("/late") { _, _ in
                self.began.yield()
                for await _ in self.goOn { break }
                return Response.json("late")
            }
        }
    }

    @Test("ends with the program: idle connections at once, a request with its answer")
    func endsWithAnswers() async throws {
        var web = WebOptions()
        web.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream<Int>.makeStream()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let (goesOn, goOn) = AsyncStream<Void>.makeStream()
        let server = try DashboardServer(
            settings: DashboardSettings(web: web, metrics: MetricsOptions(), version: ""), routes: [Late(began: begin, goOn: goesOn)],
            logger: logger, farewell: .seconds(600), onListening: { port.yield($1.port ?? 0) })
        let services = ServiceGroup(configuration: .init(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var iterator = ports.makeAsyncIterator()
            let client = TestServer(port: try #require(await iterator.next()))
            let idle = try await client.connect()
            group.addTask {
                let text = try await client.exchange("GET /late HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\n\r\n")
                #expect(text.hasSuffix("\"late\""))
            }
            for await _ in begins { break }
            await services.triggerGracefulShutdown()
            try await idle.channel.closeFuture.get()
            goOn.yield()
            try await group.waitForAll()
        }
    }

    @Test("ends with the program although streams of events are open")
    func endsWithStreams() async throws {
        var web = WebOptions()
        web.listen = try [#require(ListenAddress("127.0.0.1:0"))]
        let (ports, port) = AsyncStream<Int>.makeStream()
        var settings = DashboardSettings(web: web, metrics: MetricsOptions(), version: "")
        settings.setupCode = TestServer.code
        let server = try DashboardServer(
            settings: settings, routes: [Endless()],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { port.yield($1.port ?? 0) })
        let services = ServiceGroup(
            configuration: .init(services: [server], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            var iterator = ports.makeAsyncIterator()
            let client = TestServer(port: try #require(await iterator.next()))
            let (begins, begin) = AsyncStream<Void>.makeStream()
            group.addTask {
                let head = "Host: 127.0.0.1:\(client.port)\r\nAuthorization: Bearer \(TestServer.code)\r\n"
                let text = try await client.exchange("GET /api/v1/events HTTP/1.1\r\n\(head)\r\n") { text in
                    if text.contains(": begin") { begin.yield() }
                    return false
                }
                #expect(text.contains(": begin"))
            }
            for await _ in begins { break }
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }
}
