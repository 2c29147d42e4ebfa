import Foundation
import HTTPFetch
import NIOCore
import NIOPosix
import NIOSSL
import NetworkReach
import TestSupport
import Testing

/// Fetches over real sockets: bounds, refusals, and which error each fault gives.
struct HTTPFetcherTests {
    private static func fetcher(
        _ policy: AddressPolicy = .everything, trust: NIOSSLTrustRoots = .default
    ) -> HTTPFetcher {
        HTTPFetcher(group: MultiThreadedEventLoopGroup.singleton, policy: policy, trustRoots: trust) { host, port in
            // "media.test" is this machine; nothing else is looked up.
            NumericAddress.resolve(host == "media.test" ? "127.0.0.1" : host, port: port, isNumeric: true)
        }
    }

    @Test("an answer has its status, headers and body")
    func answerWithHeadersAndBody() async throws {
        let server = try await ScriptedHTTPServer { _ in
            .ok(Array("hello".utf8), headers: ["X-A: 1", "X-A: 2", "Content-Type: text/plain"])
        }
        let request = HTTPFetchRequest(
            .get, "http://media.test:\(server.port)/a?b=c", headers: [.init("Range", "bytes=0-9")], byteLimit: 100, timeLimit: .seconds(60))
        let response = try await Self.fetcher().fetch(request)
        #expect(response.status == 200)
        #expect(response.body == Array("hello".utf8))
        #expect(!response.isCut)
        #expect(response.value(of: "x-a") == "1, 2")
        #expect(response.value(of: "missing") == nil)
        #expect(response.address.host == "127.0.0.1")
        let seen = try #require(server.requests.first)
        #expect(seen.line == "GET /a?b=c")
        #expect(seen.header("Host") == "media.test:\(server.port)")
        #expect(seen.header("range") == "bytes=0-9")
        await server.close()
    }

    @Test("a body is cut at its limit", arguments: [(4, true), (5, false), (0, true)])
    func bodyIsCutAtTheLimit(limit: Int, isCut: Bool) async throws {
        let server = try await ScriptedHTTPServer { _ in .ok(Array("hello".utf8)) }
        let response = try await Self.fetcher().fetch(
            HTTPFetchRequest(.get, "http://127.0.0.1:\(server.port)/", byteLimit: limit, timeLimit: .seconds(60)))
        #expect(response.body == Array("hello".utf8.prefix(limit)))
        #expect(response.isCut == isCut)
        await server.close()
    }

    @Test("a redirect is an answer and not followed")
    func redirectIsAnAnswer() async throws {
        let server = try await ScriptedHTTPServer { _ in .ok([], status: "302 Found", headers: ["Location: http://127.0.0.1:1/"]) }
        let response = try await Self.fetcher().fetch(
            HTTPFetchRequest(.get, "http://127.0.0.1:\(server.port)/", byteLimit: 10, timeLimit: .seconds(60)))
        #expect(response.isRedirect)
        #expect(server.requests.count == 1)
        await server.close()
    }

    @Test("an answer without a body is complete")
    func answerWithoutBody() async throws {
        let server = try await ScriptedHTTPServer { _ in
            .bytes(Array("HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n".utf8))
        }
        let response = try await Self.fetcher().fetch(
            HTTPFetchRequest(.options, "http://127.0.0.1:\(server.port)/", byteLimit: 10, timeLimit: .seconds(60)))
        #expect(response.status == 204)
        #expect(server.requests.first?.line == "OPTIONS /")
        await server.close()
    }

    /// The ways in which a server marks the end of a body.
    @Test(
        "a body ends in every way that HTTP/1.1 has",
        arguments: [
            (.get, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n", "hello"),
            (.get, "HTTP/1.0 200 OK\r\n\r\nhello", "hello"),
            (.get, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
            (.get, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello HTTP/1.1", "hello"),
            (.head, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", ""),
        ] as [(HTTPFetchRequest.Method, String, String)])
    func endOfTheBody(method: HTTPFetchRequest.Method, answer: String, body: String) async throws {
        let server = try await ScriptedHTTPServer { _ in .bytes(Array(answer.utf8)) }
        let response = try await Self.fetcher().fetch(
            HTTPFetchRequest(method, "http://127.0.0.1:\(server.port)/", byteLimit: 100, timeLimit: .seconds(60)))
        #expect(response.status == 200)
        #expect(String(decoding: response.body, as: UTF8.self) == body)
        #expect(!response.isCut)
        await server.close()
    }

    @Test("a body is cut at its time limit")
    func bodyIsCutAtItsTimeLimit() async throws {
        let server = try await ScriptedHTTPServer { _ in .stall(Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)) }
        var request = HTTPFetchRequest(.get, "http://127.0.0.1:\(server.port)/", byteLimit: 100, timeLimit: .seconds(60))
        request.bodyLimit = .milliseconds(300)
        let response = try await Self.fetcher().fetch(request)
        #expect(response.status == 200)
        #expect(response.isCut)
        await server.close()
    }

    /// A line break in a header would begin another header, or another request.
    @Test("a header with a line break is not sent")
    func headersWithLineBreaksAreNotSent() async throws {
        let server = try await ScriptedHTTPServer { _ in .ok([]) }
        let error = await #expect(throws: HTTPFetchError.self) {
            try await Self.fetcher().fetch(
                HTTPFetchRequest(
                    .get, "http://127.0.0.1:\(server.port)/", headers: [.init("If-None-Match", "1\r\nX-A: 2")], byteLimit: 10,
                    timeLimit: .seconds(60)))
        }
        #expect(error?.code == .invalidAnswer)
        #expect(server.requests.isEmpty)
        await server.close()
    }

    @Test("a cancelled fetch closes its connection")
    func cancelledFetchClosesItsConnection() async throws {
        let server = try await ScriptedHTTPServer { _ in .held(.ok([])) }
        let fetch = Task { () -> HTTPFetchError.Code? in
            do throws(HTTPFetchError) {
                _ = try await Self.fetcher().fetch(
                    HTTPFetchRequest(.get, "http://127.0.0.1:\(server.port)/", byteLimit: 10, timeLimit: .seconds(3_600)))
                return nil
            } catch {
                return error.code
            }
        }
        try await eventually("the request arrives") { server.held == 1 }
        fetch.cancel()
        #expect(await fetch.value == .cancelled)
        try await eventually("the connection is closed") { server.held == 0 }
        await server.close()
    }

    /// A server fault, and the code that names it.
    enum Fault: String, CaseIterable, Sendable {
        case garbage, cutBody, silence, slowBody

        var answer: ScriptedHTTPServer.Answer {
            switch self {
            case .garbage: .bytes(Array("220 ftp ready\r\n\r\n".utf8))
            case .cutBody: .bytes(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8))
            case .silence: .stall([])
            case .slowBody: .stall(Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8))
            }
        }

        var code: HTTPFetchError.Code {
            switch self {
            case .garbage, .cutBody: .invalidAnswer
            case .silence, .slowBody: .timedOut
            }
        }
    }

    @Test("each fault of a server has its code, without the address in its detail", arguments: Fault.allCases)
    func faults(fault: Fault) async throws {
        let server = try await ScriptedHTTPServer { _ in fault.answer }
        // The time limit ends the two faults that last for ever; the others end long before it, whatever the machine does.
        let limit: Duration = fault.code == .timedOut ? .milliseconds(300) : .seconds(60)
        let error = await #expect(throws: HTTPFetchError.self) {
            try await Self.fetcher().fetch(
                HTTPFetchRequest(.get, "http://127.0.0.1:\(server.port)/?token=planted", byteLimit: 1_000, timeLimit: limit))
        }
        #expect(error?.code == fault.code, "\(error?.detail ?? "")")
        #expect(error?.detail.contains("planted") == false)
        await server.close()
    }

    @Test("a closed port is unreachable")
    func closedPortIsUnreachable() async throws {
        let server = try await ScriptedHTTPServer { _ in .ok([]) }
        await server.close()
        await Self.expect(.unreachable, "http://127.0.0.1:\(server.port)/")
    }

    @Test(
        "an address that the policy refuses is not asked",
        arguments: [
            ("http://127.0.0.1:9/", .addressRefused), ("http://[::1]:9/", .addressRefused), ("http://169.254.169.254/", .addressRefused),
            ("http://media.test:9/", .addressRefused), ("http://unknown.test/", .nameNotResolved), ("file:///etc/passwd", .invalidURL),
            ("ftp://127.0.0.1/", .invalidURL), ("http://", .invalidURL),
        ] as [(String, HTTPFetchError.Code)])
    func refusedAddresses(url: String, code: HTTPFetchError.Code) async {
        await Self.expect(code, url, policy: .networks)
    }

    /// Some resolvers never answer, and the system's can't be cancelled.
    private static var silentResolver: HTTPFetcher {
        HTTPFetcher(group: MultiThreadedEventLoopGroup.singleton, policy: .everything) { _, _ in
            await withUnsafeContinuation { (_: UnsafeContinuation<NumericAddress.Answer, Never>) in }
        }
    }

    @Test("a lookup ends at its limit")
    func lookupEndsAtTheLimit() async {
        let error = await #expect(throws: HTTPFetchError.self) {
            try await Self.silentResolver.fetch(
                HTTPFetchRequest(.get, "http://media.test/", byteLimit: 10, timeLimit: .milliseconds(100)))
        }
        #expect(error?.code == .nameNotResolved)
        #expect(error?.isLookupLate == true)
        #expect(await Self.silentResolver.certificates(of: "https://media.test/", timeLimit: .milliseconds(100)) == [])
    }

    @Test("a lookup ends with its caller")
    func lookupEndsWithItsCaller() async {
        let fetch = Task { () -> HTTPFetchError.Code? in
            do throws(HTTPFetchError) {
                _ = try await Self.silentResolver.fetch(
                    HTTPFetchRequest(.get, "http://media.test/", byteLimit: 10, timeLimit: .seconds(3_600)))
                return nil
            } catch {
                return error.code
            }
        }
        let certificates = Task { await Self.silentResolver.certificates(of: "https://media.test/", timeLimit: .seconds(3_600)) }
        fetch.cancel()
        certificates.cancel()
        #expect(await fetch.value == .cancelled)
        #expect(await certificates.value == [])
    }

    /// A server that accepts connections and sends nothing.
    @Test("a handshake ends at its limit and with its caller")
    func handshakeEndsAtTheLimitAndWithItsCaller() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0).get()
        let url = "https://media.test:\(server.localAddress?.port ?? 0)/"
        #expect(await Self.fetcher().certificates(of: url, timeLimit: .milliseconds(100)) == [])
        let task = Task { await Self.fetcher().certificates(of: url, timeLimit: .seconds(3_600)) }
        task.cancel()
        #expect(await task.value == [])
        let request = HTTPFetchRequest(.get, url, byteLimit: 10, timeLimit: .seconds(60), connectLimit: .milliseconds(100))
        let error = await #expect(throws: HTTPFetchError.self) { try await Self.fetcher().fetch(request) }
        #expect(error?.code == .tlsFailed)
        try await server.close()
    }

    /// The server's context, and the authority for it.
    private static func identity() throws -> (server: NIOSSLContext, trust: NIOSSLTrustRoots) {
        let certificate = try NIOSSLCertificate(bytes: Array(TestCertificate.pem.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(TestCertificate.key.utf8), format: .pem)
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
        return (try NIOSSLContext(configuration: configuration), .certificates([certificate]))
    }

    @Test("a certificate is verified by authority and name")
    func certificates() async throws {
        let (identity, trust) = try Self.identity()
        let server = try await ScriptedHTTPServer(tls: identity) { _ in .ok(Array("hello".utf8)) }
        await Self.expect(.tlsFailed, "https://media.test:\(server.port)/")
        // The authority is right, the name is not.
        await Self.expect(.tlsFailed, "https://127.0.0.1:\(server.port)/", trust: trust)
        let response = try await Self.fetcher(trust: trust).fetch(
            HTTPFetchRequest(.get, "https://media.test:\(server.port)/", byteLimit: 10, timeLimit: .seconds(60)))
        #expect(response.body == Array("hello".utf8))
        // A server without TLS.
        let plain = try await ScriptedHTTPServer { _ in .ok([]) }
        await Self.expect(.tlsFailed, "https://127.0.0.1:\(plain.port)/")
        await server.close()
        await plain.close()
    }

    /// Many servers close the connection without the end of TLS. Only a body without a length ends there.
    @Test("a connection that closes without the end of TLS ends a body of no stated length, and cuts another")
    func closeWithoutTheEndOfTLS() async throws {
        let (identity, trust) = try Self.identity()
        let server = try await ScriptedHTTPServer(tls: identity) { request in
            .cut(Array("HTTP/1.1 200 OK\r\n\(request.path == "/" ? "" : "Content-Length: 6\r\n")\r\nhello".utf8))
        }
        let response = try await Self.fetcher(trust: trust).fetch(
            HTTPFetchRequest(.get, "https://media.test:\(server.port)/", byteLimit: 10, timeLimit: .seconds(60)))
        #expect(response.body == Array("hello".utf8))
        await Self.expect(.invalidAnswer, "https://media.test:\(server.port)/long", trust: trust)
        await server.close()
    }

    private static func expect(
        _ code: HTTPFetchError.Code, _ url: String, policy: AddressPolicy = .everything, trust: NIOSSLTrustRoots = .default
    ) async {
        let error = await #expect(throws: HTTPFetchError.self) {
            try await Self.fetcher(policy, trust: trust).fetch(HTTPFetchRequest(.get, url, byteLimit: 10, timeLimit: .seconds(60)))
        }
        #expect(error?.code == code, "\(url): \(error?.detail ?? "")")
    }
}

/// A certificate for `media.test` that signs itself; its key guards nothing.
private enum TestCertificate {
    static let pem = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT6gAwIBAgIUWI2uv34vtBlEweHlNnNJVLk5u98wCgYIKoZIzj0EAwIw
        FTETMBEGA1UEAwwKbWVkaWEudGVzdDAgFw0yNjExMjMxMTU0MDVaGA8yMTI2MTAz
        MDExNTQwNVowFTETMBEGA1UEAwwKbWVkaWEudGVzdDBZMBMGByqGSM49AgEGCCqG
        SM49AwEHA0IABL3S+bWOTXi5KQkYwGUJQ26IqSTl9SoKZI5NP2YW6ZRces9zlEBb
        ocPG3QCdA4WzUsGYvFM/slNdpIbUycUHaIGjajBoMB0GA1UdDgQWBBQcGgnog6in
        rQFxfmTobHGqfR4kVzAfBgNVHSMEGDAWgBQcGgnog6inrQFxfmTobHGqfR4kVzAP
        BgNVHRMBAf8EBTADAQH/MBUGA1UdEQQOMAyCCm1lZGlhLnRlc3QwCgYIKoZIzj0E
        AwIDSQAwRgIhANSenL4JwE/gj2r1l01QYaNPbAOQFiABtsOHoyuCpDNJAiEAuoA7
        mOZRhCyNLQOe6JZc8+zZfv+hjvOJrtDRrczpzXI=
        -----END CERTIFICATE-----
        """

    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghK7ytjXFiA9aC1FO
        U60PKaMQUS+y9RXn8W1Ze/h23GOhRANCAAS90vm1jk14uSkJGMBlCUNuiKkk5fUq
        CmSOTT9mFumUXHrPc5RAW6HDxt0AnQOFs1LBmLxTP7JTXaSG1MnFB2iB
        -----END PRIVATE KEY-----
        """
}
