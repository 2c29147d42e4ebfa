import Testing

@testable import MulticastDNS

@Suite("DNS names")
struct DNSNameTests {
    @Test("names compare and hash without regard to ASCII case, and only to that")
    func comparesCaseInsensitively() {
        #expect(name("_GoogleCast._TCP.Local") == castType)
        #expect(name("_GoogleCast._TCP.Local").hashValue == castType.hashValue)
        #expect(name("Küche.local") != name("KÜche.local"))
        #expect(name("a[.local") != name("a{.local"))
        #expect(name("ab.local") != name("a.b.local"))
    }

    @Test(
        "presentation form is returned as it was",
        arguments: ["a.local", "Living room\\. upstairs._googlecast._tcp.local", "back\\\\slash.local", "Küche.local"])
    func roundTrips(text: String) throws {
        #expect(try DNSName(text).description == text)
    }

    @Test("a closing dot is optional and bytes may be given by number")
    func readsVariants() throws {
        #expect(try DNSName("a.local.") == name("a.local"))
        #expect(try DNSName("\\097.local") == name("a.local"))
        #expect(try DNSName("a\\046b.local").labels.map(Array.init) == [Array("a.b".utf8), Array("local".utf8)])
    }

    @Test(
        "what is no name is refused",
        arguments: [
            "", ".", "a..b", String(repeating: "a", count: 64), "a\\", "\\999",
            Array(repeating: "abcdefg", count: 32).joined(separator: "."),
        ])
    func refuses(text: String) {
        #expect { try DNSName(text) } throws: { ($0 as? MulticastDNSError)?.code == .invalidName }
    }

    @Test("the longest name and label are accepted")
    func acceptsLongest() throws {
        let label = String(repeating: "a", count: 63)
        #expect(try DNSName(label).wire.count == 64)
        // 3 × 64 + 62 bytes and the closing zero are 255.
        #expect(try DNSName("\(label).\(label).\(label).\(String(repeating: "b", count: 61))").wire.count == 254)
        #expect(throws: MulticastDNSError.self) { try DNSName("\(label).\(label).\(label).\(String(repeating: "b", count: 62))") }
    }

    @Test("children have exactly one label more")
    func knowsChildren() throws {
        #expect(instance("tv").isChild(of: castType))
        #expect(!castType.isChild(of: castType))
        #expect(!name("_abc._sub._googlecast._tcp.local").isChild(of: castType))
        #expect(!name("tv._googlezone._tcp.local").isChild(of: castType))
        let dotted = try name("local").child("a.b".utf8)
        #expect(Array(dotted.firstLabel) == Array("a.b".utf8))
        #expect(DNSName.root.parent == .root && !DNSName.root.isChild(of: castType))
    }
}
