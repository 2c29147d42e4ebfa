import CastModels
import Foundation
import HTTPFetch
import NIOPosix
import NetworkReach
import Synchronization
import TestSupport
import Testing

@testable import CastSender

/// The image cache over real sockets and a real folder.
struct ImageCacheTests {
    private static let png = Array("\u{89}PNG\r\n\u{1a}\n".unicodeScalars.map { UInt8($0.value) }) + Array("IHDR token=1&a@b%20".utf8)
    private static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + Array(repeating: 7, count: 200)

    /// A cache in a folder of its own and the server that it asks, with a clock that stands still.
    private final class Setup: Sendable {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("images-\(UUID().uuidString)").path
        let server: ScriptedHTTPServer
        let clock = Mutex<Int64>(1_800_000_000)
        private let script: Script

        init(_ first: ScriptedHTTPServer.Answer) async throws {
            let script = Script { _ in first }
            self.server = try await ScriptedHTTPServer { script.answer(to: $0) }
            self.script = script
        }

        func answers(_ answer: ScriptedHTTPServer.Answer) { self.script.set { _ in answer } }
        func answers(_ answer: @escaping Script.Body) { self.script.set(answer) }

        func cache(_ change: (inout ImageCache.Options) -> Void = { _ in }) -> ImageCache {
            var options = ImageCache.Options(folder: self.folder, imageByteLimit: 1_000, timeLimit: .seconds(60))
            change(&options)
            return ImageCache(
                options, fetcher: HTTPFetcher(group: MultiThreadedEventLoopGroup.singleton, policy: .everything),
                now: { [self] in self.clock.withLock { $0 } })
        }

        func url(_ path: String = "/a.png") -> String { "http://127.0.0.1:\(self.server.port)\(path)" }
        var requests: Int { self.server.requests.count }
        func pass(_ seconds: Int64) { self.clock.withLock { $0 += seconds } }

        func files() -> [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.folder)) ?? []).sorted() }

        func end() async {
            await self.server.close()
            try? FileManager.default.removeItem(atPath: self.folder)
        }
    }

    /// The server's answer, changed by the test.
    private final class Script: Sendable {
        typealias Body = @Sendable (ScriptedHTTPServer.Request) -> ScriptedHTTPServer.Answer

        private let body: Mutex<Body>

        init(_ body: @escaping Body) { self.body = Mutex(body) }

        func set(_ body: @escaping Body) { self.body.withLock { $0 = body } }
        func answer(to request: ScriptedHTTPServer.Request) -> ScriptedHTTPServer.Answer { self.body.withLock { $0 }(request) }
    }

    @Test("a picture is downloaded once, used until its time is over, and over a restart")
    func freshness() async throws {
        let setup = try await Setup(.ok(Self.png, headers: ["Cache-Control: max-age=100", "ETag: \"1\""]))
        let cache = setup.cache()
        let image = try await cache.image(at: setup.url("/a.png?token=planted"))
        #expect(image.bytes == Self.png && image.format == .png && image.url == setup.url("/a.png?token=planted"))
        setup.pass(99)
        _ = try await cache.image(at: image.url)
        #expect(try await setup.cache().image(at: image.url) == image, "another run")
        #expect(setup.requests == 1)
        // Addresses carry secrets.
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(setup.folder)/\(try #require(setup.files().first))")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(setup.files().allSatisfy { !$0.contains("planted") })

        // Now the server is asked whether it has changed: no.
        setup.pass(1)
        setup.answers { request in
            request.header("If-None-Match") == "\"1\""
                ? .ok([], status: "304 Not Modified", headers: ["Cache-Control: max-age=50"]) : .ok([])
        }
        #expect(try await cache.image(at: image.url) == image)
        setup.pass(49)
        #expect(try await cache.image(at: image.url) == image)
        #expect(setup.requests == 2)
        // Yes.
        setup.pass(1)
        setup.answers(.ok(Self.jpeg))
        #expect(try await cache.image(at: image.url).format == .jpeg)
        #expect(setup.files().count == 1)
        await setup.end()
    }

    @Test("while the server fails the stored picture is kept; one that the server removed is removed")
    func trouble() async throws {
        let setup = try await Setup(.ok(Self.png, headers: ["Cache-Control: max-age=0"]))
        let cache = setup.cache()
        let image = try await cache.image(at: setup.url())
        for answer in [ScriptedHTTPServer.Answer.ok([], status: "503 Busy"), .bytes(Array("garbage\r\n\r\n".utf8))] {
            setup.answers(answer)
            #expect(try await cache.image(at: image.url) == image)
        }
        setup.answers(.ok([], status: "404 Not Found"))
        await #expect(throws: CastError.self) { try await cache.image(at: image.url) }
        #expect(setup.files() == [])
        await setup.end()
    }

    @Test(
        "what is no small picture is refused and not kept",
        arguments: [
            (.ok(Array("<svg onload='alert(1)'/>".utf8), headers: ["Content-Type: image/png"]), .invalidResponse),
            (.ok(Array(repeating: 0xff, count: 1_001)), .messageTooBig), (.ok([], status: "500 Oops"), .invalidResponse),
            (.ok([], status: "302 Found", headers: ["Location: file:///etc/passwd"]), .invalidResponse),
            (.ok([], status: "302 Found", headers: ["Location: /a.png"]), .invalidResponse), (.ok([]), .invalidResponse),
        ] as [(ScriptedHTTPServer.Answer, CastError.Code)])
    func refused(answer: ScriptedHTTPServer.Answer, code: CastError.Code) async throws {
        let setup = try await Setup(answer)
        let error = await #expect(throws: CastError.self) { try await setup.cache().image(at: setup.url()) }
        #expect(error?.code == code)
        #expect(setup.files() == [])
        #expect(setup.requests <= 4)
        await setup.end()
    }

    @Test("a picture that may not be stored is not, and a redirect is followed")
    func notStored() async throws {
        let setup = try await Setup(.ok([]))
        setup.answers { request in
            request.path == "/moved"
                ? .ok([], status: "301 Moved", headers: ["Location: b.png"]) : .ok(Self.png, headers: ["Cache-Control: no-store"])
        }
        let cache = setup.cache()
        for _ in 0..<2 { #expect(try await cache.image(at: setup.url("/moved")).bytes == Self.png) }
        #expect(setup.requests == 4)
        #expect(setup.files() == [])
        await setup.end()
    }

    @Test("without a folder the last pictures are kept in memory for a short time, unless their server forbids it")
    func withoutFolder() async throws {
        let setup = try await Setup(.ok(Self.png))
        let cache = setup.cache { $0.folder = nil }
        for path in ["/a", "/b", "/a", "/b", "/a"] { #expect(try await cache.image(at: setup.url(path)).bytes == Self.png) }
        setup.pass(29)
        #expect(try await cache.image(at: setup.url("/a")).bytes == Self.png)
        #expect(setup.server.requests.map(\.path) == ["/a", "/b"])
        setup.pass(1)
        _ = try await cache.image(at: setup.url("/a"))
        #expect(setup.requests == 3)
        await cache.removeAll()
        for header in ["no-store", "no-cache", "max-age=0"] {
            setup.answers(.ok(Self.jpeg, headers: ["Cache-Control: \(header)"]))
            for _ in 0..<2 { #expect(try await cache.image(at: setup.url("/\(header)")).bytes == Self.jpeg) }
        }
        #expect(setup.requests == 9)
        #expect(setup.files() == [])
        await setup.end()
    }

    @Test("this machine is not asked unless that is allowed")
    func loopback() async throws {
        let setup = try await Setup(.ok(Self.png))
        for (allowed, expected) in [(false, 0), (true, 1)] {
            let cache = ImageCache(ImageCache.Options(folder: nil, allowsLocalAddresses: allowed, timeLimit: .seconds(60)))
            let result = await Result { try await cache.image(at: setup.url()) }
            #expect((try? result.get().bytes) == (allowed ? Self.png : nil))
            #expect(setup.requests == expected)
        }
        await #expect(throws: CastError.self) { try await setup.cache().image(at: "file:///etc/passwd") }
        await setup.end()
    }

    @Test("callers of one picture share its download, and no more run at once than allowed")
    func sharedDownload() async throws {
        let setup = try await Setup(.held(.ok(Self.png)))
        let cache = setup.cache { $0.downloadLimit = 2 }
        let tasks = (0..<30).map { number in Task { try await cache.image(at: setup.url("/\(number % 5).png")) } }
        try await eventually("two downloads") { setup.server.held == 2 }
        // All have asked when the places are full and the rest waits.
        try await eventually("all callers") { await cache.callers == 30 }
        for answered in 1...5 {
            try await eventually("a held request") { setup.server.requests.count == min(5, answered + 1) }
            setup.server.release()
        }
        for task in tasks { #expect(try await task.value.bytes == Self.png) }
        #expect(setup.server.mostHeld == 2)
        #expect(setup.requests == 5)
        #expect(setup.files().count == 5)
        await cache.removeAll()
        #expect(setup.files() == [])
        await setup.end()
    }

    @Test("a download ends with the last of its callers, and one that waits for its turn leaves the queue")
    func lastCaller() async throws {
        let setup = try await Setup(.held(.ok(Self.png)))
        let cache = setup.cache { $0.downloadLimit = 1 }
        let ask = { @Sendable (path: String) in Task { await Result { try await cache.image(at: setup.url(path)) } } }
        let (first, second) = (ask("/a"), ask("/a"))
        try await eventually("the first download") { setup.server.held == 1 }
        let waiting = ask("/b")
        try await eventually("three callers") { await cache.callers == 3 }
        // One of two goes at once; the other's download goes on.
        first.cancel()
        #expect(await (first.value.error as? CastError)?.code == .cancelled)
        #expect(await cache.callers == 2)
        #expect(setup.server.held == 1)
        waiting.cancel()
        #expect(await (waiting.value.error as? CastError)?.code == .cancelled)
        #expect(await cache.callers == 1)
        second.cancel()
        #expect(await (second.value.error as? CastError)?.code == .cancelled)
        try await eventually("the connection is closed") { setup.server.held == 0 }
        #expect(setup.server.requests.map(\.path) == ["/a"])
        // The place is free again.
        let next = ask("/c")
        try await eventually("the next download") { setup.server.held == 1 }
        setup.server.release()
        #expect(try await next.value.get().bytes == Self.png)
        #expect(await cache.callers == 0)
        await setup.end()
    }

    @Test("the folder stays within its bound, damaged files are fetched again, and remains of a write go")
    func folder() async throws {
        let setup = try await Setup(.ok(Self.jpeg, headers: ["Cache-Control: max-age=1000"]))
        let cache = setup.cache { $0.byteLimit = 700 }
        for number in 0..<5 { _ = try await cache.image(at: setup.url("/\(number)")) }
        #expect(setup.files().count == 2)
        let newest = "\(setup.folder)/\(ImageStore.name(of: setup.url("/4")))"
        try Data("{}\nnonsense".utf8).write(to: URL(fileURLWithPath: newest))
        try Data("half".utf8).write(to: URL(fileURLWithPath: newest + ".new"))
        let again = setup.cache { $0.byteLimit = 700 }
        #expect(try await again.image(at: setup.url("/4")).bytes == Self.jpeg)
        #expect(setup.requests == 6)
        #expect(setup.files().count == 2 && setup.files().allSatisfy { $0.hasSuffix(".image") })
        await setup.end()
    }

    @Test("files with other names stay, and pictures that an earlier version named are removed first")
    func filesOtherNames() async throws {
        let world = try await Setup(.ok(Self.jpeg, headers: ["Cache-Control: max-age=1000"]))
        let (foreign, former) = ("holiday.image", String(repeating: "0a", count: 32) + ".image")
        try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
        for name in [foreign, former] { try Data(Self.jpeg).write(to: URL(fileURLWithPath: "\(world.folder)/\(name)")) }
        let cache = world.cache { $0.byteLimit = 700 }
        for number in 0..<2 { _ = try await cache.image(at: world.url("/\(number)")) }
        #expect(world.files().contains(foreign) && !world.files().contains(former))
        #expect(world.files().count == 3)
        await world.end()
    }

    @Test("the picker chooses among what a medium offers")
    func picker() async throws {
        let setup = try await Setup(.ok(Self.png))
        let metadata = MediaMetadata(images: [
            MediaImage(url: setup.url("/small"), width: 10, height: 10), MediaImage(url: setup.url("/large"), width: 1280, height: 720),
        ])
        let cache = setup.cache()
        #expect(try await cache.image(ImageHints(.castDialog), of: metadata)?.url == setup.url("/small"))
        #expect(try await cache.image(ImageHints(.background), of: metadata, picker: BestFitImagePicker())?.url == setup.url("/large"))
        #expect(try await cache.image(ImageHints(.custom, width: 9, height: 9), of: MediaMetadata()) == nil)
        await setup.end()
    }
}

extension Result where Failure == any Error {
    fileprivate var error: (any Error)? { if case .failure(let error) = self { error } else { nil } }

    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
