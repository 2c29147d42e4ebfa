import BridgeCore
import CastModels
import Testing

@testable import MediaServer

@Suite("The table of offers") struct OfferTableTests {
    private static let file = MediaPath("films/a.mp4").map { Content.file($0) }

    private static func token(_ number: Int) -> String { String(repeating: "0", count: 32 - "\(number)".count) + "\(number)" }

    /// Adds and takes outside of `#expect`, which gets no mutable value.
    private struct Table {
        var table = OfferTable()

        mutating func add(_ content: Content, _ token: String, for seconds: Int, now: Int = 0) -> Bool {
            self.table.add(content, at: token, name: "a.mp4", for: .seconds(seconds), now: .seconds(now))
        }

        mutating func has(_ token: String, now: Int = 0) -> Bool { self.table.take(token, now: .seconds(now))?.name == "a.mp4" }
    }

    @Test("a request begins the lifetime again, and an offer ends with it")
    func lifetime() throws {
        var table = Table()
        let isAdded = table.add(try #require(Self.file), "a", for: 10)
        let found = [9, 18, 28, 29].map { table.has("a", now: $0) }
        #expect(isAdded && found == [true, true, false, false])
        table.table.remove("a")
        #expect(table.table.count == 0)
    }

    @Test("at most 4096 offers: the one that ends first makes room")
    func count() throws {
        var table = Table()
        let file = try #require(Self.file)
        let added = (0...OfferTable.maximumCount).filter { table.add(file, Self.token($0), for: 1000 + $0) }
        #expect(added.count == OfferTable.maximumCount + 1 && table.table.count == OfferTable.maximumCount)
        let found = (0..<3).map { table.has(Self.token($0)) }
        #expect(found == [false, true, true])
    }

    @Test("at most 64 MiB in memory: older bytes make room, files stay, and a larger one is refused")
    func memory() throws {
        var table = Table()
        var added = [table.add(try #require(Self.file), "f", for: 1)]
        let block = Content.bytes([UInt8](repeating: 0, count: 16 << 20), type: "audio/wav")
        added += (0..<5).map { table.add(block, Self.token($0), for: 100 + $0) }
        #expect(added == [Bool](repeating: true, count: 6))
        #expect(table.table.byteCount == OfferTable.maximumBytes && table.table.count == 5)
        let found = [Self.token(0), Self.token(1), "f"].map { table.has($0) }
        #expect(found == [false, true, true])
        let isAdded = table.add(.bytes([UInt8](repeating: 0, count: OfferTable.maximumBytes + 1), type: "audio/wav"), "l", for: 1)
        #expect(!isAdded && table.table.count == 5)
    }

    @Test("offers of files outlive the run, bytes do not; a damaged list is no offer")
    func kept() throws {
        var table = OfferTable()
        let (file, subtitles) = (try #require(MediaPath("films/a #1.mp4")), try #require(MediaPath("films/a.srt")))
        let contents: [Content] = [.file(file), .subtitles(subtitles), .bytes([1], type: "audio/wav"), .file(file)]
        for (number, content) in contents.enumerated() {
            _ = table.add(content, at: Self.token(number), name: "a.mp4", for: .seconds(number == 3 ? 1 : 100), now: .zero)
        }
        let kept = table.kept(now: .seconds(10))
        var later = OfferTable()
        later.add(kept: try JSONParser.parse(JSONWriter.string(of: kept)), for: .seconds(50), now: .seconds(1_000))
        #expect((0..<4).map { later.content(at: Self.token($0)) } == [.file(file), .subtitles(subtitles), nil, nil])
        #expect(later.take(Self.token(0), now: .seconds(1_049))?.name == "a.mp4")
        for text in ["[]", "{}", #"{"x":{"file":"films/a"}}"#, #"{"\#(Self.token(5))":{"file":"films/../a","name":"a"}}"#, "7"] {
            var damaged = OfferTable()
            damaged.add(kept: try JSONParser.parse(text), for: .seconds(50), now: .zero)
            #expect(damaged.count == 0, "\(text)")
        }
    }

    @Test("connections: 64 together, 16 of a client, and room again when one closes")
    func connections() throws {
        var counts = ConnectionCounts()
        let clients = (0..<5).map { NetworkAddress("192.168.1.\($0)") }
        let opened = clients.map { client in (0..<17).filter { _ in counts.open(client) }.count }
        #expect(opened == [16, 16, 16, 16, 0] && counts.count == 64)
        counts.close(clients[0])
        let isOpen = counts.open(clients[4])
        #expect(isOpen && counts.count == 64)
    }
}

@Suite("What a media request may say") struct MediaRequestTests {
    static let ranges: [(header: [String], size: Int, range: ByteRange)] = [
        ([], 100, .whole), (["bytes=0-9"], 100, .part(0..<10)), (["bytes=90-"], 100, .part(90..<100)),
        (["bytes=-10"], 100, .part(90..<100)), (["bytes=-1000"], 100, .part(0..<100)), (["bytes=50-5000"], 100, .part(50..<100)),
        (["bytes=100-"], 100, .unsatisfiable), (["bytes=-0"], 100, .unsatisfiable), (["bytes=0-"], 0, .unsatisfiable),
        (["bytes=99999999999999999999-"], 100, .unsatisfiable),
        (["bytes=0-99999999999999999999999999"], 100, .part(0..<100)), (["bytes=-99999999999999999999"], 100, .part(0..<100)),
        // Several, and what can't be read, are no range.
        (["bytes=0-1,5-6"], 100, .whole), (["bytes=0-10,5-20"], 100, .whole), (["bytes=0-1", "bytes=5-6"], 100, .whole),
        (["bytes=5-1"], 100, .whole), (["bytes=-"], 100, .whole), (["bytes=--5"], 100, .whole), (["bytes=a-b"], 100, .whole),
        (["bytes=+1-5"], 100, .whole), (["bytes=-1-5"], 100, .whole), (["items=0-5"], 100, .whole), (["bytes"], 100, .whole),
        (["BYTES=0-0"], 100, .part(0..<1)), (["bytes=0x1-5"], 100, .whole),
    ]

    @Test("a range is read, clamped to the content, or ignored", arguments: ranges)
    func range(header: [String], size: Int, range: ByteRange) { #expect(ByteRange(header, size: size) == range) }

    static let token = String(repeating: "0a", count: 16)
    static let refused = [
        "", "/", "/m", "/m/", "/m/\(token)", "/m/\(token)/", "/m/\(token)//a", "/m/\(token)/..", "/m/\(token)/../a", "/m/\(token)/a/../b",
        "/m/\(token)/%2e%2e", "/m/\(token)/%2E%2E/a", "/m/\(token)/.%2e/a", "/m/\(token)/a%2fb", "/m/\(token)/a%2F..%2Fb",
        "/m/\(token)/a%00", "/m/\(token)/%", "/m/\(token)/%g0", "/m/\(token)/%+1", "/m/\(token)/%ff", "/m/\(token)/.hidden",
        "/m/\(token)/%2ehidden", "/m/\(token)/a%0ab", "/m/\(token)/\(String(repeating: "a", count: 256))", "/M/\(token)/a",
        "//m/\(token)/a", "m/\(token)/a", "/m/\(token.uppercased())/a", "/m/\(token)0/a", "/m/\(token.dropLast())/a",
        "/m/" + String(repeating: "é", count: 16) + "/a", "http://host/m/\(token)/a", "*", "/etc/passwd", "/m/../etc/passwd",
        "/m/\(token)/" + String(repeating: "a/", count: 10_000) + "a",
    ]

    @Test("a path that was never made has no content", arguments: refused)
    func refusedPath(target: String) { #expect(OfferPath.parse(target) == nil) }

    @Test("a path is read once, without its query")
    func path() throws {
        let found = try #require(OfferPath.parse("/m/\(Self.token)/a%20b/c%252e.mp4?x=/../y"))
        #expect(found.token == Self.token && found.names == ["a b", "c%2e.mp4"])
        #expect(OfferPath.harmless("Ä b/c\"?.mp4") == "__b_c__.mp4" && OfferPath.harmless("..") == "media")
        #expect(OfferPath.randomToken().utf8.count == 32 && OfferPath.randomToken() != OfferPath.randomToken())
    }

    @Test("names in natural order, as people count")
    func order() {
        let names = ["10 b", "2 a", "1", "Film 2", "film 10", "film 002 x", "a", "B", "film"]
        let sorted = names.sorted { NaturalOrder.precedes($0, $1) }
        #expect(sorted == ["1", "2 a", "10 b", "a", "B", "film", "Film 2", "film 002 x", "film 10"], "\(sorted)")
    }

    @Test("dates as headers have them")
    func date() { #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT") }
}
