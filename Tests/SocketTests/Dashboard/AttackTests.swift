import BridgeCore
import CastModels
import Foundation
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import Dashboard

/// Attacks from the same network and by a foreign page in a user's browser, against a real server.
@Suite("An attack on the web page", .serialized) struct AttackTests {
    static let password = "correct horse"
    /// Of the least cost: BoringSSL without optimisation is slow.
    private static let hash = Result {
        try PasswordHash.make(Self.password, cost: #require(PasswordHash.Cost(rounds: 1 << 14, blockSize: 8, parallelism: 1)))
    }

    /// Counts what reaches a route.
    private struct Commands: DashboardRoutes {
        func add(to router: Router<DashboardContext>) {
            router.post("/api/v1/commands/**") { request, context in
                try context.require(.control)
                let body = try await request.body.collect(upTo: 1 << 20)
                return Response.json(.object(JSONObject([("bytes", .integer(Int64(body.readableBytes)))])))
            }
        }
    }

    private static func protected() throws -> WebOptions {
        var web = WebOptions()
        web.passwords = [.admin: try Self.hash.get()]
        return web
    }

    private static func session(_ answer: TestAnswer) throws -> (cookie: String, csrf: String) {
        let cookie = try #require(answer.headers["set-cookie"]?.split(separator: ";").first)
        return (String(cookie), try #require(try JSONParser.parse(Array(answer.body.utf8))["csrf"]?.stringValue))
    }

    private static func login(_ server: TestServer, _ password: String = Self.password) async throws -> TestAnswer {
        try await server.request(
            "POST", "/api/v1/session",
            ["Content-Type": "application/json", "Origin": "http://127.0.0.1:\(server.port)"],
            body: "{\"password\":\"\(password)\"}")
    }

    @Test("signing in: the cookie is of this page alone, and a command needs cookie and token")
    func crossSite() async throws {
        try await TestServer.run(try Self.protected(), routes: [Commands()]) { server in
            let answer = try await Self.login(server)
            #expect(answer.status == 200)
            let cookie = try #require(answer.headers["set-cookie"])
            #expect(cookie.hasPrefix("sid-\(server.port)=") && cookie.hasSuffix("Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"))
            let session = try Self.session(answer)
            let path = "/api/v1/commands/tv/cmd/pause"
            let own = [
                "Cookie": session.cookie, "X-CSRF-Token": session.csrf, "Content-Type": "application/json",
                "Origin": "http://127.0.0.1:\(server.port)", "Sec-Fetch-Site": "same-origin",
            ]
            #expect(try await server.request("POST", path, own, body: "{}").status == 200)
            // A form of another page: the browser sends the cookie if an older one ignores SameSite.
            let form = ["Cookie": session.cookie, "Content-Type": "text/plain", "Origin": "http://evil.example"]
            #expect(try await server.request("POST", path, form, body: "{}").status == 403)
            for change in [
                ["Origin": "null"], ["Origin": "http://127.0.0.1:1"], ["Sec-Fetch-Site": "cross-site"], ["X-CSRF-Token": "x"],
                ["Cookie": "a=b"],
            ] {
                let status = try await server.request("POST", path, own.merging(change) { $1 }, body: "{}").status
                #expect(status == 403 || status == 401, "\(change)")
            }
            // Signing in again gives another id: one that was planted before is worth nothing.
            let second = try Self.session(try await Self.login(server))
            #expect(second.cookie != session.cookie && second.csrf != session.csrf)
            let end = try await server.request("DELETE", "/api/v1/session", own)
            #expect(end.status == 204 && end.headers["set-cookie"]?.contains("Max-Age=0") == true)
            #expect(try await server.request("POST", path, own, body: "{}").status == 401)
            #expect(try await server.request("GET", "/api/v1/state", ["Cookie": session.cookie]).status == 401)
        }
    }

    @Test("guessed passwords: refused, and after five the sender waits, even with the right one")
    func passwords() async throws {
        // Where the machine needs longer than the wait of two seconds for an attempt, nothing is shown, and a new server is tried.
        let isShown = Mutex(false)
        for _ in 0..<10 where !isShown.withLock({ $0 }) {
            try await TestServer.run(try Self.protected()) { server in
                var last = ContinuousClock.now
                for _ in 0..<5 {
                    last = .now
                    let answer = try await Self.login(server, "wrong")
                    #expect(answer.status == 401 && answer.body.contains("wrong_password"))
                }
                let answer = try await Self.login(server)
                guard .now - last < .seconds(2) else { return }
                isShown.withLock { $0 = true }
                #expect(answer.status == 429 && ["1", "2"].contains(answer.headers["retry-after"]) && answer.body.contains("rate_limited"))
                #expect(answer.headers["set-cookie"] == nil)
            }
        }
        #expect(isShown.withLock { $0 })
    }

    @Test("guessed tokens and cookies: refused")
    func tokens() async throws {
        var web = try Self.protected()
        web.tokens = [try #require(AccessToken(name: "ci", role: .control, digest: RandomText.digest("right")))]
        try await TestServer.run(web, routes: [Commands()]) { server in
            for header in ["Bearer wrong", "Bearer ", "Basic cmlnaHQ=", "Bearer \(HexadecimalText.of(RandomText.digest("right")))"] {
                let answer = try await server.request("GET", "/api/v1/state", ["Authorization": header])
                #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
            }
            #expect(try await server.request("GET", "/api/v1/state", ["Authorization": "Bearer right"]).status == 404)
            #expect(try await server.request("POST", "/api/v1/commands/tv/cmd/pause", ["Authorization": "Bearer right"]).status == 200)
            let cookie = "sid-\(server.port)=\(String(repeating: "0", count: 64))"
            #expect(try await server.request("GET", "/api/v1/state", ["Cookie": cookie]).status == 401)
        }
    }

    @Test("spelled in another way: metrics need a role beside the page", arguments: ["/metrics", "/metrics/", "//metrics", "/./metrics"])
    func spelling(path: String) async throws {
        try await TestServer.run(try Self.protected()) { server in
            let status = try await server.request("GET", path).status
            #expect(status == 401 || status == 404)
        }
    }

    @Test("clickjacking: no page may show this one in a frame")
    func clickjacking() async throws {
        var web = WebOptions()
        web.frameOrigins = ["https://panel.lan"]
        try await TestServer.run(web) { server in
            for (path, ancestors) in [
                ("/", "'none'"), ("/mini", "'self' https://panel.lan"), ("/nothing", "'none'"), ("/api/v1/session", "'none'"),
            ] {
                let policy = try await server.request("GET", path).headers["content-security-policy"]
                #expect(policy?.contains("frame-ancestors \(ancestors);") == true, "\(path)")
            }
        }
    }

    @Test(
        "path traversal: every path is a name in a list",
        arguments: [
            "/../../etc/passwd", "/assets/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd",
            "/assets/VERSION/../../../../etc/passwd", "/assets/VERSION/..%2f..%2fPackage.swift", "/assets/VERSION/%00",
            "/assets/VERSION//etc/passwd",
            "/assets/VERSION/./index.html", "/.git/config", "/\\..\\..\\etc\\passwd", "/assets/VERSION/index.html%00.js",
        ])
    func traversal(path: String) async throws {
        try await TestServer.run { server in
            let answer = try await server.request("GET", path.replacingOccurrences(of: "VERSION", with: PageFile.version))
            #expect(answer.status == 404 || answer.status == 400)
            #expect(!answer.body.contains("root:"))
        }
    }

    @Test("DNS rebinding: a name that is not ours gets nothing, also for streams and metrics")
    func rebinding() async throws {
        try await TestServer.run { server in
            for path in ["/", "/api/v1/session", "/api/v1/events", "/metrics", "/assets/\(PageFile.version)/index.html"] {
                for host in ["evil.example", "evil.example:\(server.port)", "127.0.0.1", "127.0.0.1:1", "192.168.1.5:\(server.port)", ""] {
                    let answer = try await server.request("GET", path, ["Host": host])
                    #expect(answer.status == 421 || answer.status == 400, "\(path) \(host) \(answer.status)")
                    #expect(!answer.body.contains("csrf"))
                }
            }
            #expect(try await server.request("GET", "/api/v1/session", ["Host": "localhost:\(server.port)"]).status == 200)
        }
    }

    @Test("forged forwarded headers: no role, no other host, and no login is left out")
    func forged() async throws {
        try await TestServer.run { server in
            let forged = ["X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "cast.lan", "X-Ingress-Path": "/api/hassio_ingress/x"]
            let answer = try await server.request("GET", "/api/v1/session", forged)
            #expect(
                answer.body.contains(
                    "\"login_required\":true,\"setup_code\":false,\"first_password\":false,\"signed_in\":false,\"role\":null"))
            #expect(try await server.request("GET", "/api/v1/state", forged).status == 401)
            let host = forged.merging(["Host": "evil.example", "X-Forwarded-Host": "127.0.0.1:\(server.port)"]) { $1 }
            #expect(try await server.request("GET", "/", host).status == 421)
        }
    }

    @Test("slow loris: a head that takes too long ends the connection")
    func slowHead() async throws {
        try await TestServer.run(limits: .lasting(head: .milliseconds(50))) { server in
            // Each returns when the server has closed the connection, and never without.
            for begin in ["", "GET / HTTP/1.1\r\nX-A: "] {
                let answer = try await server.exchange(begin)
                #expect(answer == "")
            }
        }
    }

    @Test("slow loris: a body that takes too long ends the connection")
    func slowBody() async throws {
        try await TestServer.run(limits: .lasting(body: .milliseconds(50)), routes: [Commands()]) { server in
            let body = try await server.exchange(
                """
                POST /api/v1/commands/tv/cmd/pause HTTP/1.1\r
                Host: 127.0.0.1:\(server.port)\r
                Content-Type: application/json\r
                Origin: http://127.0.0.1:\(server.port)\r
                Authorization: Bearer \(TestServer.code)\r
                Content-Length: 100\r
                \r
                {
                """)
            #expect(!body.contains("200 OK"))
        }
    }

    @Test("slow loris: a connection that is kept for nothing is closed")
    func idle() async throws {
        try await TestServer.run(limits: .lasting(idle: .milliseconds(50))) { server in
            let answer = try await server.exchange("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 404"))
        }
    }

    static let floods: [(count: Int, size: Int)] = [(1, 17 << 10), (200, 1), (90, 300)]

    @Test("header floods: more than 16 KiB or 100 fields end the connection, with a text", arguments: floods)
    func headers(count: Int, size: Int) async throws {
        let headers = (0..<count).map { "X-\($0): \(String(repeating: "a", count: size))\r\n" }.joined()
        try await TestServer.run { server in
            let host = "Host: 127.0.0.1:\(server.port)\r\n"
            // After the answer to a request that came before.
            let text = try await server.exchange("HEAD / HTTP/1.1\r\n\(host)\r\nGET / HTTP/1.1\r\n\(host)\(headers)\r\n")
            let answer = TestAnswer(text.components(separatedBy: "HTTP/1.1 ").dropFirst().last.map { "HTTP/1.1 " + $0 } ?? "")
            #expect(text.hasPrefix("HTTP/1.1 200") && answer.status == 431, "\(text.prefix(2000))")
            #expect(
                answer.body.contains("\"head_too_large\"") && answer.body.contains("cookies") && answer.headers["connection"] == "close")
        }
    }

    @Test("cookies of other programs: more than 16 KiB are refused with the remedy")
    func cookies() async throws {
        try await TestServer.run { server in
            let answer = try await server.request("GET", "/", ["Cookie": "a=" + String(repeating: "b", count: 17_000)])
            #expect(
                answer.status == 431 && answer.body.contains("Delete the cookies") && answer.headers["content-type"] == "application/json")
        }
    }

    @Test(
        "heads that two servers would read differently: refused with a text, and nothing behind them is a request",
        arguments: [
            "GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", "GET / HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n",
            "POST /api/v1/session HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "GET /\u{7F} HTTP/1.1\r\n\r\n",
        ])
    func ambiguous(request: String) async throws {
        try await TestServer.run { server in
            let host = "127.0.0.1:\(server.port)"
            let text = try await server.exchange(
                request.replacingOccurrences(of: "HOST", with: host) + "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
            let answer = TestAnswer(text)
            #expect(answer.status == 400 && answer.body.contains("\"bad_request\"") && !text.contains(" 200 "), "\(text)")
        }
    }

    @Test("a body that waits for leave: given once the request is admitted, and not to one that is refused")
    func expectation() async throws {
        var web = WebOptions()
        web.tokens = [try #require(AccessToken(name: "ci", role: .control, digest: RandomText.digest("right")))]
        try await TestServer.run(web, routes: [Commands()]) { server in
            let head = { (token: String, length: Int, version: String) in
                "POST /api/v1/commands/tv/cmd/load HTTP/\(version)\r\nHost: 127.0.0.1:\(server.port)\r\nAuthorization: Bearer \(token)\r\n"
                    + "Content-Type: application/json\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
            }
            let leave = try await server.exchange(head("right", 2, "1.1")) { $0.hasSuffix("\r\n\r\n") }
            #expect(leave == "HTTP/1.1 100 Continue\r\n\r\n")
            let whole = try await server.exchange(head("right", 2, "1.1") + "{}")
            #expect(whole.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n") && whole.hasSuffix("{\"bytes\":2}"), "\(whole)")
            #expect(try await server.exchange(head("wrong", 2, "1.1")).hasPrefix("HTTP/1.1 401"))
            #expect(try await server.exchange(head("right", 1_000_000, "1.1")).hasPrefix("HTTP/1.1 413"))
            // HTTP/1.0 has no such answer.
            #expect(try await server.exchange(head("right", 2, "1.0") + "{}").hasPrefix("HTTP/1.0 200"))
        }
    }

    @Test("a request line of 100 kB ends the connection")
    func longPath() async throws {
        try await TestServer.run { server in
            let path = String(repeating: "a", count: 100_000)
            let text = try await server.exchange("GET /\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\r\n")
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 4"), "\(text.prefix(40))")
        }
    }

    @Test("body floods: more than 64 KiB is refused unread, with its length or in chunks")
    func bodies() async throws {
        var web = WebOptions()
        web.tokens = [try #require(AccessToken(name: "ci", role: .control, digest: RandomText.digest("right")))]
        try await TestServer.run(web, routes: [Commands()]) { server in
            let head =
                "Host: 127.0.0.1:\(server.port)\r\nAuthorization: Bearer right\r\nContent-Type: application/json\r\n"
            let path = "/api/v1/commands/tv/cmd/load"
            let long = try await server.exchange("POST \(path) HTTP/1.1\r\n\(head)Content-Length: 1000000000\r\n\r\n{")
            #expect(long.hasPrefix("HTTP/1.1 413") && long.contains("too_large") && long.lowercased().contains("connection: close"))
            let chunk = "8000\r\n" + String(repeating: "a", count: 0x8000) + "\r\n"
            let chunks = try await server.exchange(
                "POST \(path) HTTP/1.1\r\n\(head)Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk)
            #expect(chunks.hasPrefix("HTTP/1.1 413"))
            // The body of a request that is refused for another reason is not read either.
            let stranger = try await server.exchange(
                "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 1000000000\r\n\r\n{")
            #expect(stranger.hasPrefix("HTTP/1.1 403"))
            let most = String(repeating: "a", count: 64 << 10)
            let headers = ["Authorization": "Bearer right", "Content-Type": "application/json"]
            #expect(try await server.request("POST", path, headers, body: most).body == "{\"bytes\":65536}")
            #expect(try await server.request("POST", path, headers, body: most + "a").status == 413)
            // A queue may be larger, as over MQTT.
            let queue = "/api/v1/commands/tv/cmd/queue_load"
            #expect(try await server.request("POST", queue, headers, body: most + most).body == "{\"bytes\":131072}")
        }
    }

    @Test("connection floods: 64 of one client, and one fits again when one ends")
    func connections() async throws {
        try await TestServer.run { server in
            var held: [NIOAsyncChannel<ByteBuffer, ByteBuffer>] = []
            for _ in 0..<64 { held.append(try await server.connect()) }
            #expect(try await server.exchange("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n") == "")
            for channel in held { try await channel.channel.close() }
            var status = 0
            // The server sees the ends of the 64 in its own time.
            while status != 200 { status = try await server.request("GET", "/").status }
        }
    }

    @Test("connection floods: those to the page take no room at the metrics, and leave some at the page")
    func connectionsOfOtherListeners() async throws {
        try await TestServer.runBoth { page, metrics in
            var held: [NIOAsyncChannel<ByteBuffer, ByteBuffer>] = []
            for client in 2...5 { for _ in 0..<64 { held.append(try await page.connect(from: "127.0.0.\(client)")) } }
            #expect(try await metrics.request("GET", "/health").status == 503)
            #expect(try await page.request("GET", "/").status == 200)
            for channel in held { try? await channel.channel.close() }
        }
    }

    @Test(
        "requests that two servers would read differently end the connection",
        arguments: [
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: -1\r\n",
            "Content-Length: 5, 6\r\n", "Transfer-Encoding: xchunked\r\n",
        ])
    func smuggling(headers: String) async throws {
        try await TestServer.run { server in
            let text = try await server.exchange(
                "POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\(headers)\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n"
            )
            #expect(!text.contains("200 OK"), "\(text.prefix(200))")
        }
    }
}
