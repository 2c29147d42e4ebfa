import HTTPFetch
import Testing

/// Reading web addresses.
struct FetchAddressTests {
    @Test(
        "an address has a scheme, a host and a port",
        arguments: [
            ("http://media.lan/a.mp4", false, "media.lan", 80), ("https://media.lan/a.mp4?x=1", true, "media.lan", 443),
            ("HTTP://Media.LAN:8080", false, "Media.LAN", 8_080), ("http://[fd00::1]:81/a", false, "fd00::1", 81),
            ("http://user:secret@media.lan/", false, "media.lan", 80),
        ])
    func parts(text: String, isSecure: Bool, host: String, port: UInt16) throws {
        let address = try #require(FetchAddress(text))
        #expect(address.isSecure == isSecure)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(
        "a request has the authority and an escaped target",
        arguments: [
            ("http://media.lan", "media.lan", "/"), ("http://media.lan:80/?x=1", "media.lan", "/?x=1"),
            ("https://media.lan:80/a/", "media.lan:80", "/a/"),
            ("https://media.lan:443/a%20b%2Fc?d=%26&e=/?#f", "media.lan", "/a%20b%2Fc?d=%26&e=/?"),
            ("http://[fd00::1]:81/a;b=c", "[fd00::1]:81", "/a;b=c"), ("http://[fd00::1]", "[fd00::1]", "/"),
            ("http://[fe80::1%25eth0]:81/", "[fe80::1]:81", "/"), ("http://user:secret@media.lan/ä b", "media.lan", "/%C3%A4%20b"),
        ])
    func partsOfARequest(text: String, authority: String, target: String) throws {
        let address = try #require(FetchAddress(text))
        #expect(address.authority == authority)
        #expect(address.requestTarget == target)
    }

    @Test(
        "what is no web address is refused",
        arguments: [
            "", "media.lan/a.mp4", "ftp://media.lan/", "file:///etc/passwd", "http://", "http:///a", "http://media.lan:0/",
            "http://media.lan:99999/", "http://127.0.0.1%00.example.com/", "http://a%0d%0ab/", "http://a%20b/", "http://a%7f/",
        ])
    func refused(text: String) { #expect(FetchAddress(text) == nil) }

    @Test(
        "a reference is resolved against its address",
        arguments: [
            ("b.ts", "http://media.lan/a/b.ts"), ("/b.ts", "http://media.lan/b.ts"), ("//cdn.lan/b.ts", "http://cdn.lan/b.ts"),
            ("https://cdn.lan/b.ts?q=1", "https://cdn.lan/b.ts?q=1"), ("../b.ts", "http://media.lan/b.ts"),
        ])
    func references(reference: String, result: String) throws {
        let address = try #require(FetchAddress("http://media.lan/a/index.m3u8?token=1"))
        #expect(address.resolving(reference)?.text == result)
    }

    @Test("a reference of another scheme is refused", arguments: ["ftp://media.lan/b", "data:text/plain,b", "javascript:1"])
    func refusedReferences(reference: String) throws {
        let address = try #require(FetchAddress("http://media.lan/a/index.m3u8"))
        #expect(address.resolving(reference) == nil)
    }
}
