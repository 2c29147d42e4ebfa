import CastModels
import Testing

@testable import CastSender
@testable import HTTPFetch
@testable import NetworkReach

/// The decisions of the image cache: formats, how long a picture is used, which one goes.
@Suite struct ImageRulesTests {
    @Test(
        "the format is read from the first bytes",
        arguments: [
            ([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0], .jpeg),
            (Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) }) + [13, 10, 26, 10, 0, 0, 0, 0], .png),
            (Array("GIF89a......".utf8), .gif), (Array("GIF87a......".utf8), .gif), (Array("RIFF....WEBP".utf8), .webp),
            (Array("....ftypavif".utf8), .avif), (Array("BM..........".utf8), .bmp), (Array("RIFF....WAVE".utf8), nil),
            (Array("....ftypisom".utf8), nil), (Array("<svg xmlns=\"".utf8), nil), (Array("<!DOCTYPE ht".utf8), nil), ([], nil),
            ([0xff, 0xd8], nil), (Array("BM".utf8), nil),
        ] as [([UInt8], ImageFormat?)])
    func formats(bytes: [UInt8], format: ImageFormat?) { #expect(ImageFormat(bytes) == format) }

    private static func response(_ headers: [(String, String)], status: Int = 200) -> HTTPFetchResponse {
        HTTPFetchResponse(
            status: status, headers: headers.map { .init($0.0, $0.1) }, body: [], isCut: false,
            address: NumericAddress(family: .ipv4, host: "10.0.0.1", port: 80, bytes: []))
    }

    @Test(
        "the age that a response allows is read from Cache-Control",
        arguments: [
            ([], 3_600), ([("Cache-Control", "max-age=60")], 60), ([("cache-control", "public, max-age=\"120\"")], 120),
            ([("Cache-Control", "max-age=0")], 0), ([("Cache-Control", "no-cache, max-age=60")], 0),
            ([("Cache-Control", "max-age=99999999999")], 2_592_000), ([("Cache-Control", "max-age=-5")], 0),
            ([("Cache-Control", "max-age=soon")], 3_600), ([("Cache-Control", "private"), ("Cache-Control", "MAX-AGE=7")], 7),
            ([("Cache-Control", "no-store")], nil), ([("Cache-Control", "max-age=60, No-Store")], nil),
            ([("Cache-Control", ",=,=")], 3_600),
        ] as [([(String, String)], Int64?)])
    func age(headers: [(String, String)], age: Int64?) {
        let freshness = ImageFreshness(Self.response(headers), now: 1_000)
        #expect(freshness.map { $0.expires - 1_000 } == age)
        guard let freshness, let age else { return }
        #expect(freshness.isFresh(at: 1_000) == (age > 0))
        #expect(!freshness.isFresh(at: 1_000 + age))
        #expect(!freshness.isFresh(at: 1_000 - 2_592_001), "the clock was set back")
    }

    @Test("a stored picture is asked for under conditions and renewed by a 304")
    func conditions() throws {
        let first = try #require(ImageFreshness(Self.response([("ETag", "\"a\""), ("Last-Modified", "Mon")]), now: 0))
        #expect(first.conditions == [.init("If-None-Match", "\"a\""), .init("If-Modified-Since", "Mon")])
        let second = try #require(
            first.renewed(by: Self.response([("ETag", "\"b\""), ("Cache-Control", "max-age=9")], status: 304), now: 5))
        #expect(
            second
                == {
                    var copy = first; (copy.entityTag, copy.expires) = ("\"b\"", 14); return copy
                }())
        #expect(first.renewed(by: Self.response([("Cache-Control", "no-store")], status: 304), now: 5) == nil)
        #expect(ImageFreshness(Self.response([]), now: 0)?.conditions == [])
    }

    @Test("pictures in memory have a bound in number, size and time, and the oldest make room")
    func recent() {
        func image(_ name: Int, bytes: Int = 1) -> CachedImage {
            CachedImage(url: "http://h/\(name)", format: .png, bytes: Array(repeating: 0, count: bytes))
        }
        let usual = ImageFreshness(Self.response([]), now: 1_000)
        let present = { (recent: RecentImages, now: Int64, names: ClosedRange<Int>) in
            var recent = recent
            return names.filter { recent.image(at: "http://h/\($0)", now: now) != nil }
        }
        var recent = RecentImages()
        for name in 1...RecentImages.countLimit + 2 { recent.add(image(name), usual, now: 1_000) }
        #expect(present(recent, 1_029, 1...40) == Array(3...RecentImages.countLimit + 2))
        #expect(present(recent, 1_030, 1...40) == [])
        #expect(present(recent, 999, 1...40) == [], "the clock was set back")
        recent.add(image(50, bytes: RecentImages.byteLimit - 1), usual, now: 1_000)
        #expect(present(recent, 1_000, 1...50) == [RecentImages.countLimit + 2, 50])
        recent.add(image(51, bytes: RecentImages.byteLimit + 1), usual, now: 1_000)
        #expect(present(recent, 1_000, 1...51) == [])
        recent.add(image(1), ImageFreshness(Self.response([("Cache-Control", "max-age=7")]), now: 1_000), now: 1_000)
        #expect(present(recent, 1_006, 1...1) == [1] && present(recent, 1_007, 1...1) == [])
        recent.add(image(1), ImageFreshness(Self.response([("Cache-Control", "no-store")]), now: 1_000), now: 1_000)
        #expect(present(recent, 1_000, 1...1) == [])
    }

    @Test("the bound holds, and those used longest ago go first")
    func index() {
        var index = ImageCacheIndex(byteLimit: 100)
        #expect(index.add("a", bytes: 40) == [])
        #expect(index.add("b", bytes: 40) == [])
        #expect(index.use("a") && !index.use("c"))
        #expect(index.add("c", bytes: 40) == ["b"])
        #expect(index.add("c", bytes: 60) == [] && index.totalBytes == 100)
        #expect(index.add("d", bytes: 100) == ["a", "c"])
        #expect(index.add("e", bytes: 101) == nil && index.totalBytes == 100)
        #expect(index.add("d", bytes: 101) == nil && index.totalBytes == 0, "the former one is not what the address has now")
        var many = ImageCacheIndex(byteLimit: .max)
        for number in 0...ImageCacheIndex.countLimit { _ = many.add("\(number)", bytes: 1) }
        #expect(many.entries.count == ImageCacheIndex.countLimit && many.entries["0"] == nil)
    }

    @Test("the default picker takes the first picture, else the poster, whatever the place", arguments: ImageHints.Purpose.allCases)
    func firstPicker(purpose: ImageHints.Purpose) {
        let picker = MediaDefaults().imagePicker
        let images = [MediaImage(url: "a", width: 1, height: 1), MediaImage(url: "b", width: 1280, height: 720)]
        #expect(picker.image(for: ImageHints(purpose), of: MediaMetadata(images: images))?.url == "a")
        #expect(picker.image(for: ImageHints(purpose), of: MediaMetadata(fields: ["posterUrl": "p"]))?.url == "p")
        #expect(picker.image(for: ImageHints(purpose), of: MediaMetadata()) == nil)
    }
}
