import BridgeCore
import Foundation
import Glibc
import Logging
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import MediaServer

/// A real media server with a folder of its own, while a test runs.
private struct TestMedia: Sendable {
    let server: MediaServer
    let base: String
    let port: Int
    let root: String

    static func run(limits: MediaHandler.Limits = .init(), _ body: @Sendable (TestMedia) async throws -> Void) async throws {
        let root = NSTemporaryDirectory() + "media-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root + "/films/season", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: root) }
        var options = MediaOptions()
        options.listen = [try #require(ListenAddress("127.0.0.1:0"))]
        options.folders = [MediaFolder(name: "films", path: root + "/films")]
        let server = MediaServer(options, limits: limits, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let local = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
            while server.address(forPeerAt: local) == nil { try await Task.sleep(for: .milliseconds(10)) }
            let base = try #require(server.address(forPeerAt: local))
            let port = try #require(base.split(separator: ":").last.flatMap { Int($0) })
            try await body(TestMedia(server: server, base: base, port: port, root: root))
            group.cancelAll()
        }
    }

    /// A WAV file with random samples.
    func makeFile(_ name: String, size: Int) throws -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        var bytes = Array("RIFF0000WAVEfmt ".utf8)
        while bytes.count < size { withUnsafeBytes(of: random.next()) { bytes += $0 } }
        bytes.removeLast(bytes.count - size)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(self.root)/films/\(name)"))
        return bytes
    }

    func offer(_ path: String) throws -> String {
        let path = try #require(MediaPath(path))
        return "\(try #require(self.server.offer(.file(path), named: path.name)))"
    }

    /// Sends raw bytes, and returns all that comes until the server closes.
    func exchange(_ request: String) async throws -> TestAnswer {
        TestAnswer(try await TestServer(port: self.port).exchange(request))
    }

    func get(_ path: String, _ headers: [String: String] = [:], _ method: String = "GET") async throws -> TestAnswer {
        try await TestServer(port: self.port).request(method, path, headers)
    }
}

/// Returns what curl writes.
private func curl(_ arguments: String...) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    process.arguments = ["--silent", "--max-time", "120"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    return bytes
}

@Suite("The media server", .serialized) struct MediaListenerTests {
    @Test("curl gets a file, its ranges and its parts, byte by byte")
    func ranges() async throws {
        try await TestMedia.run { media in
            let bytes = try media.makeFile("a.wav", size: 5_000_001)
            let url = media.base + (try media.offer("films/a.wav"))
            #expect(try curl(url) == bytes)
            for (range, expected) in [
                ("0-0", bytes[0..<1]), ("0-99", bytes[0..<100]), ("4999999-", bytes[4_999_999...]), ("-5", bytes.suffix(5)),
                ("1000000-3999999", bytes[1_000_000..<4_000_000]), ("4000000-9999999", bytes[4_000_000...]),
            ] { #expect(try curl("--range", range, url) == Array(expected), "\(range)") }
            #expect(String(decoding: try curl("--head", url), as: UTF8.self).lowercased().contains("content-length: 5000001"))
            // Two requests over one connection, and an old version.
            #expect(try curl(url, url).count == 2 * bytes.count)
            #expect(try curl("--http1.0", url) == bytes)
        }
    }

    @Test("headers: type by content, tags, dates, ranges and conditions; every origin may read")
    func headers() async throws {
        try await TestMedia.run { media in
            _ = try media.makeFile("a.mp4", size: 1000)
            let path = try media.offer("films/a.mp4")
            let whole = try await media.get(path)
            #expect(whole.status == 200 && whole.headers["content-type"] == "audio/wav" && whole.headers["accept-ranges"] == "bytes")
            #expect(whole.headers["access-control-allow-origin"] == "*" && whole.headers["x-content-type-options"] == "nosniff")
            let tag = try #require(whole.headers["etag"]), date = try #require(whole.headers["last-modified"])
            let part = try await media.get(path, ["Range": "bytes=10-19"])
            #expect(part.status == 206 && part.headers["content-range"] == "bytes 10-19/1000" && part.headers["content-length"] == "10")
            let beyond = try await media.get(path, ["Range": "bytes=1000-"])
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */1000" && beyond.body.isEmpty)
            for (headers, status) in [
                (["If-None-Match": tag], 304), (["If-None-Match": "\"x\", \(tag)"], 304), (["If-None-Match": "*"], 304),
                (["If-None-Match": "\"x\""], 200), (["If-Modified-Since": date], 304),
                (["If-Range": tag, "Range": "bytes=0-1"], 206), (["If-Range": date, "Range": "bytes=0-1"], 206),
                (["If-Range": "\"x\"", "Range": "bytes=0-1"], 200), (["Range": "bytes=0-1,4-5"], 200),
            ] { #expect(try await media.get(path, headers).status == status, "\(headers)") }
            let head = try await media.get(path, ["Range": "bytes=0-1"], "HEAD")
            #expect(head.status == 200 && head.headers["content-length"] == "1000" && head.body.isEmpty)
            let options = try await media.get(
                path, ["Origin": "https://www.gstatic.com", "Access-Control-Request-Headers": "range"], "OPTIONS")
            #expect(options.status == 204 && options.headers["access-control-allow-headers"]?.contains("Range") == true)
            // Another file of the same size has another tag.
            try await Task.sleep(for: .milliseconds(20))
            _ = try media.makeFile("a.mp4", size: 1000)
            #expect(try await media.get(path, ["If-None-Match": tag]).status == 200)
            let speech = try #require(
                media.server.offer(.bytes(Array("WEBVTT\n".utf8), type: "text/vtt"), named: "a.vtt", for: .seconds(60)))
            let text = try await media.get("\(speech)", ["Range": "bytes=3-"])
            #expect(text.status == 206 && text.body == "VTT\n" && text.headers["content-type"] == "text/vtt")
            media.server.withdraw("http://bridge:8097\(speech)")
            #expect(try await media.get("\(speech)").status == 404)
        }
    }

    @Test("nothing outside of a folder, nothing but regular media files, nothing that was not offered")
    func outside() async throws {
        try await TestMedia.run { media in
            _ = try media.makeFile("a.wav", size: 100)
            let films = media.root + "/films"
            _ = try media.makeFile("../secret.wav", size: 100)
            try Data("root:x:0:0".utf8).write(to: URL(fileURLWithPath: films + "/text.wav"))
            try FileManager.default.createSymbolicLink(atPath: films + "/link.wav", withDestinationPath: "a.wav")
            try FileManager.default.createSymbolicLink(atPath: films + "/up", withDestinationPath: "..")
            mkfifo(films + "/pipe.wav", 0o600)
            let socket = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .bind(unixDomainSocketPath: films + "/socket.wav").get()
            mknod(films + "/device.wav", S_IFCHR | 0o600, 0x103)
            for name in [
                "link.wav", "up/secret.wav", "pipe.wav", "socket.wav", "device.wav", "text.wav", "season", "none.wav", "a.wav/b",
                "season/../a.wav", "../secret.wav", ".", "",
            ] {
                guard let path = MediaPath("films/" + name) else { continue }
                let offered = try #require(media.server.offer(.file(path), named: "x.wav"))
                #expect(try await media.get("\(offered)").status == 404, "\(name)")
            }
            for path in ["films", "other/a.wav"].compactMap({ MediaPath($0) }) {
                let offered = try #require(media.server.offer(.file(path), named: "x.wav"))
                #expect(try await media.get("\(offered)").status == 404, "\(path)")
            }
            try await socket.close()
            let folder = try #require(MediaPath("films"))
            let entries = try #require(media.server.folders.entries(of: folder))
            #expect(entries.map(\.name) == ["a.wav", "season", "text.wav"])
            #expect(try media.server.folders.entries(of: #require(MediaPath("films/up"))) == nil)
        }
    }

    @Test("a manifest's parts are media below its own folder, and nothing else")
    func manifest() async throws {
        try await TestMedia.run { media in
            _ = try media.makeFile("season/1.wav", size: 100)
            _ = try media.makeFile("a.wav", size: 100)
            let films = media.root + "/films"
            try Data("#EXTM3U\n#EXT-X-VERSION:3\n1.wav\n".utf8).write(to: URL(fileURLWithPath: films + "/season/index.m3u8"))
            try Data("password".utf8).write(to: URL(fileURLWithPath: films + "/season/notes.txt"))
            let manifest = try media.offer("films/season/index.m3u8")
            #expect(try await media.get(manifest).headers["content-type"] == "application/x-mpegURL")
            let folder = manifest.dropLast("index.m3u8".count)
            #expect(try await media.get(folder + "1.wav").status == 200)
            for name in ["notes.txt", "../a.wav", "%2e%2e/a.wav", "2.wav", "", "1.wav/"] {
                #expect(try await media.get(folder + name).status == 404, "\(name)")
            }
            // What is no manifest has no parts.
            let sound = try media.offer("films/season/1.wav")
            #expect(try await media.get(sound.dropLast("1.wav".count) + "index.m3u8").status == 404)
        }
    }

    /// Requests as they are sent, with `PATH` for a path that exists, and the status of the answer.
    private static let hostile: [(request: String, status: Int)] = [
        ("GET PATH HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400), ("GET PATH HTTP/9.9\r\nHost: a\r\n\r\n", 400),
        ("GET PATH\r\n\r\n", 400), ("nonsense\r\n\r\n", 400), ("\u{0}\u{0}\u{0}\u{0}\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n", 400),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 17 << 10))\r\n\r\n", 431),
        ("GET PATH HTTP/1.1\r\nHost: a\r\n" + (0..<200).map { "X\($0): y\r\n" }.joined() + "\r\n", 431),
        ("GET PATH HTTP/1.1\r\nHost: a\r\n" + (0..<60).map { "X\($0): \(String(repeating: "y", count: 400))\r\n" }.joined() + "\r\n", 431),
        ("POST PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("PUT PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("DELETE PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("PROPFIND PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("TRACE PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("CONNECT a:1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 405),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET /m/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET PATH/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET PATH/../a.wav HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET PATH%00 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET http://a:1PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 404),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=0-1,1-2,2-3\r\n\r\n", 200),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=-1-2\r\n\r\n", 200),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=18446744073709551616-\r\n\r\n", 416),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nUpgrade: websocket\r\n\r\n", 200),
        ("GET PATH HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n", 200),
        ("GET PATH HTTP/1.0\r\n\r\n", 200),
    ]

    @Test("hostile requests are answered or closed, and the next client is served")
    func hostileRequests() async throws {
        try await TestMedia.run { media in
            _ = try media.makeFile("a.wav", size: 100)
            let path = try media.offer("films/a.wav")
            for (request, status) in Self.hostile {
                let answer = try await media.exchange(request.replacing("PATH", with: path))
                #expect(answer.status == status, "\(request.prefix(80))")
                #expect(answer.headers["access-control-allow-origin"] == "*")
            }
            for target in MediaServerTargets.refused(path) {
                #expect(try await media.get(target).status == 404, "\(target.prefix(80))")
            }
            #expect(try await media.get(path).status == 200)
        }
    }

    @Test("a silent client is closed, a slow head too; one that pauses a film stays and gets all of it")
    func patience() async throws {
        var limits = MediaHandler.Limits()
        (limits.head, limits.idle, limits.check) = (.milliseconds(300), .milliseconds(300), .milliseconds(50))
        try await TestMedia.run(limits: limits) { media in
            #expect(try await media.exchange("").status == 0)
            #expect(try await media.exchange("GET / HT").status == 0)
            let bytes = try media.makeFile("a.wav", size: 30_000_000)
            let path = try media.offer("films/a.wav")
            let channel = try await TestServer(port: media.port).connect()
            let count = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                var count = 0
                for try await part in inbound {
                    // Longer than every limit.
                    if count == 0 { try await Task.sleep(for: .seconds(1)) }
                    count += part.readableBytes
                }
                return count
            }
            #expect(count > bytes.count && count < bytes.count + 2000)
        }
    }

    @Test("a file that shrinks while it is sent ends the connection")
    func shrinking() async throws {
        var limits = MediaHandler.Limits()
        limits.check = .milliseconds(50)
        try await TestMedia.run(limits: limits) { media in
            _ = try media.makeFile("a.wav", size: 30_000_000)
            let path = try media.offer("films/a.wav")
            let channel = try await TestServer(port: media.port).connect()
            let count = try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n"))
                var count = 0
                for try await part in inbound {
                    if count == 0 { truncate("\(media.root)/films/a.wav", 1000) }
                    count += part.readableBytes
                }
                return count
            }
            #expect(count < 30_000_000)
        }
    }

    @Test("a client above 16 connections is refused, and gets in again afterwards")
    func connections() async throws {
        try await TestMedia.run { media in
            let server = TestServer(port: media.port)
            var open: [any Channel] = []
            for _ in 0..<16 {
                open.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: media.port)
                        .get())
            }
            #expect(try await server.request("GET", "/").status == 0)
            for channel in open { try await channel.close() }
            try await eventually("a place is free") { try await server.request("GET", "/").status == 404 }
        }
    }

    @Test("ten streams of 20 Mbit/s: what they cost")
    func cost() async throws {
        try await TestMedia.run { media in
            _ = try media.makeFile("a.wav", size: 12_500_000)
            let url = media.base + (try media.offer("films/a.wav"))
            let usage = { () -> Double in
                var used = rusage()
                getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used)
                return Double(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + Double(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6
            }
            let (before, start) = (usage(), ContinuousClock.now)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        await withCheckedContinuation { done in
                            Thread.detachNewThread {
                                #expect(
                                    (try? curl("--limit-rate", "2500k", "--output", "/dev/null", "--write-out", "%{size_download}", url))
                                        == Array("12500000".utf8))
                                done.resume()
                            }
                        }
                    }
                }
            }
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            print(
                "ten streams of 20 Mbit/s: \(((usage() - before) / seconds * 1000).rounded() / 10) % of a core for \(seconds.rounded()) s")
        }
    }
}

private enum MediaServerTargets {
    static func refused(_ path: String) -> [String] {
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return [
            "..", "../a", "%2e%2e", "%2e%2e%2fsecret", "a%2fb", "%00", "%", "%zz", "a.wav%2f", ".a.wav", "A.WAV", "a.wav.", "x/a.wav",
            "a.wav/x",
        ]
        .map { folder + $0 } + [
            "/etc/passwd", "/../etc/passwd", "/m/" + String(repeating: "0", count: 32) + "/a.wav", "//" + path.dropFirst(),
        ]
    }
}
