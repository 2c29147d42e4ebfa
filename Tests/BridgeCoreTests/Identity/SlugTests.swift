import CastModels
import TestSupport
import Testing

@testable import BridgeCore

@Suite("A slug")
struct SlugTests {
    private let id = "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34"

    @Test("is made from a name as Python's Unicode database folds it", arguments: SlugFixture.names)
    func names(name: String, slug: String) { #expect(Slug.make(name: name, id: self.id) == slug) }

    @Test("folds a sample of letters inside a name", arguments: SlugFixture.sample)
    func sample(code: UInt32, slug: String) throws {
        let scalar = try #require(Unicode.Scalar(code))
        #expect(Slug.make(name: "x\(Character(scalar))x", id: self.id) == slug)
    }

    @Test("folds every code point as Python does")
    func everyCodePoint() {
        var count = 0
        var digest: UInt64 = 0
        for code in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(code), let folded = LetterFolding.folded(scalar) else { continue }
            count += 1
            let parts = folded.split(separator: " ").joined(separator: "-")
            for byte in "\(String(code, radix: 16, uppercase: true))=\(parts);".utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        #expect(count == SlugFixture.mappedCount)
        #expect(digest == SlugFixture.digest)
    }

    @Test("never has anything but letters, digits and single hyphens in it, whatever the name")
    func alphabet() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let scalars = (0..<Int.random(in: 0...60, using: &generator)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x1FFFF, using: &generator))
            }
            let slug = Slug.make(name: String(String.UnicodeScalarView(scalars)), id: self.id)
            #expect(Slug.isValid(slug), "\(slug)")
            #expect(!slug.hasPrefix("-") && !slug.hasSuffix("-") && !slug.contains("--"))
            #expect(slug.utf8.count <= 53)
        }
    }
}

@Suite("The registry of slugs")
struct SlugRegistryTests {
    @Test("lets the stored device keep its slug, and adds the id to the newcomer's")
    func collision() {
        var registry = SlugRegistry()
        registry.restore("kitchen", for: "aaaa1111")
        #expect(registry.assign(id: "bbbb2222", name: "Kitchen") == "kitchen-bbbb")
        #expect(registry.assign(id: "aaaa1111", name: "Renamed") == "kitchen")
        #expect(registry.assign(id: "bbbb3333", name: "kitchen!") == "kitchen-bbbb3")
        #expect(registry.assign(id: "bbbb2222", name: "Kitchen") == "kitchen-bbbb")
    }

    @Test("finds a slug for any number of devices with one name")
    func many() {
        var registry = SlugRegistry()
        let slugs = Set((0..<500).map { registry.assign(id: "abcd\($0)", name: "TV") })
        #expect(slugs.count == 500)
    }

    @Test("finds a device by slug and by id, in either case and with hyphens")
    func resolve() {
        var registry = SlugRegistry()
        let id = "4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34"
        _ = registry.assign(id: id, name: "Living Room")
        for name in ["living-room", "Living-Room", id, "4F1C9A0E7B2D4C3AA5D86E1F0B9C2D34", "4f1c9a0e-7b2d-4c3a-a5d8-6e1f0b9c2d34"] {
            #expect(registry.device(named: name) == id, "\(name)")
        }
        for name in ["", "living", "bridge", "all", "+", "livingroom"] { #expect(registry.device(named: name) == nil, "\(name)") }
    }

    @Test(
        "takes in no stored slug that topics or commands could stumble over",
        arguments: ["", "bridge", "a/b", "a+b", "A", "ü", "a b", "a\u{0}"])
    func restore(slug: String) {
        var registry = SlugRegistry()
        registry.restore(slug, for: "aaaa1111")
        #expect(registry.slug(of: "aaaa1111") == nil)
    }

    @Test("follows a name, but not away from what the name gave when another device had it")
    func follow() throws {
        var registry = SlugRegistry()
        registry.restore("kitchen", for: "aaaa1111")
        #expect(registry.assign(id: "bbbb2222", name: "Kitchen") == "kitchen-bbbb")
        #expect(registry.follow(id: "bbbb2222", name: "Kitchen") == nil)
        #expect(registry.follow(id: "bbbb2222", name: "Hall") == "hall")
        #expect(registry.device(named: "kitchen-bbbb") == nil)
        #expect(registry.follow(id: "aaaa1111", name: "Hall") == "hall-aaaa")
        #expect(registry.follow(id: "aaaa1111", name: "Hall") == nil)
        #expect(registry.follow(id: "cccc3333", name: "Hall") == nil, "it has no slug yet")
        try registry.choose("den", for: "aaaa1111")
        #expect(registry.slug(of: "aaaa1111") == "den" && registry.device(named: "hall-aaaa") == nil)
        #expect(throws: SlugRegistry.Refusal.taken(by: "bbbb2222")) { try registry.choose("hall", for: "aaaa1111") }
        #expect(throws: SlugRegistry.Refusal.taken(by: "bbbb2222")) { try registry.choose("bbbb2222", for: "aaaa1111") }
        try registry.choose("den", for: "aaaa1111")
    }

    @Test("refuses an alias that means another device")
    func aliases() throws {
        var registry = SlugRegistry()
        _ = registry.assign(id: "aaaa1111", name: "Kitchen")
        _ = registry.assign(id: "bbbb2222", name: "Hall")
        #expect(registry.setAliases(["cooker", "hall", "bbbb2222", "kitchen"], for: "aaaa1111") == ["hall", "bbbb2222"])
        #expect(registry.device(named: "Cooker") == "aaaa1111")
        #expect(registry.device(named: "hall") == "bbbb2222")
        #expect(registry.setAliases(["cooker"], for: "bbbb2222") == ["cooker"])
        #expect(throws: SlugRegistry.Refusal.taken(by: "aaaa1111")) { try registry.choose("cooker", for: "bbbb2222") }
        #expect(registry.setAliases([], for: "aaaa1111").isEmpty && registry.device(named: "cooker") == nil)
        _ = registry.setAliases(["cooker"], for: "aaaa1111")
        registry.remove("aaaa1111")
        #expect(registry.setAliases(["cooker"], for: "bbbb2222").isEmpty)
    }

    /// A device that is found or renamed later, and the slug that it gets beside the Kitchen with the aliases `tv` and `den`.
    struct Newcomer: Sendable {
        var id: String
        var name: String
        var slug: String
    }

    private static let newcomers = [
        Newcomer(id: "bbbb2222", name: "Kitchen", slug: "kitchen-bbbb"),
        Newcomer(id: "bbbb2222", name: "TV", slug: "tv-bbbb"),
        Newcomer(id: "bbbb2222", name: "aaaa1111", slug: "aaaa1111-bbbb"),
        Newcomer(id: "bbbb2222", name: "AAAA-1111", slug: "aaaa-1111-bbbb"),
        Newcomer(id: "bbbb2222", name: "Hall", slug: "hall-bbbb"),
        Newcomer(id: "tv", name: "Porch", slug: "porch"), Newcomer(id: "kitchen", name: "Porch", slug: "porch"),
        Newcomer(id: "tv", name: "TV", slug: "tv-tv"), Newcomer(id: "bbbb2222", name: "Porch", slug: "porch"),
    ]

    @Test("gives a newcomer no name that means another device, whatever it announces", arguments: newcomers)
    func newcomer(_ newcomer: Newcomer) {
        var registry = SlugRegistry()
        registry.restore("kitchen", for: "aaaa1111")
        #expect(registry.setAliases(["tv", "den"], for: "aaaa1111").isEmpty)
        var renamed = registry
        #expect(registry.assign(id: newcomer.id, name: newcomer.name) { $0 == "hall" } == newcomer.slug)
        #expect(renamed.assign(id: newcomer.id, name: "Attic") == "attic")
        #expect(renamed.follow(id: newcomer.id, name: newcomer.name) { $0 == "hall" } == newcomer.slug)
        for registry in [registry, renamed] {
            for name in ["kitchen", "tv", "TV", "den", "aaaa1111", "AAAA-1111"] {
                #expect(registry.device(named: name) == "aaaa1111", "\(name)")
            }
            #expect(registry.device(named: newcomer.slug) == newcomer.id)
        }
    }

    @Test("makes ids the slugs, and back, when that is wanted")
    func ids() {
        var registry = SlugRegistry(identity: .id)
        registry.restore("kitchen", for: "aaaa1111")
        #expect(registry.assign(id: "aaaa1111", name: "Kitchen") == "aaaa1111")
        #expect(registry.follow(id: "aaaa1111", name: "Hall") == nil)
        #expect(registry.assign(id: "all", name: "x") == "all-cast")
        #expect(throws: SlugRegistry.Refusal.slugsAreIDs) { try registry.choose("den", for: "aaaa1111") }
        var named = SlugRegistry()
        named.restore("aaaa1111", for: "aaaa1111")
        #expect(named.assign(id: "aaaa1111", name: "Kitchen") == "kitchen")
    }

    @Test("frees the slug of a removed device")
    func remove() {
        var registry = SlugRegistry()
        _ = registry.assign(id: "aaaa1111", name: "TV")
        registry.remove("aaaa1111")
        #expect(registry.assign(id: "bbbb1111", name: "TV") == "tv")
        #expect(registry.device(named: "aaaa1111") == nil)
    }
}
