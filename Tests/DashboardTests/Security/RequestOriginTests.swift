import BridgeCore
import HTTPTypes
import Testing

@testable import Dashboard

/// A connection from `peer` to port 8099 of `local`.
func connection(from peer: String, to local: String = "192.168.1.5", isTLS: Bool = false) -> RequestOrigin.Connection {
    RequestOrigin.Connection(peer: NetworkAddress(peer), local: NetworkAddress(local), localPort: 8099, isTLS: isTLS)
}

@Suite("Where a request comes from") struct RequestOriginTests {
    static let proxies = [AddressRange("10.0.0.2"), AddressRange("172.30.32.0/23"), AddressRange("fd00::/64")].compactMap { $0 }

    private static func origin(_ peer: String, _ headers: HTTPFields, host: String = "own.lan:8099") -> RequestOrigin {
        RequestOrigin(connection: connection(from: peer), authority: host, headers: headers, trusted: Self.proxies)
    }

    @Test("headers of strangers count for nothing, and mark the request as passed on")
    func strangers() {
        let headers: HTTPFields = [
            .forwardedFor: "127.0.0.1", .forwardedHost: "cast.lan", .forwardedProto: "https", .ingressPath: "/api/hassio_ingress/x",
        ]
        let origin = Self.origin("127.0.0.1", headers)
        #expect(origin.client == NetworkAddress("127.0.0.1") && origin.isForwardedByStranger)
        #expect(origin.host == HostName("own.lan:8099") && !origin.isSecure && origin.prefix.isEmpty && !origin.isIngress)
        #expect(!Self.origin("127.0.0.1", [:]).isForwardedByStranger)
    }

    static let chains: [(header: String, client: String)] = [
        ("192.168.1.9", "192.168.1.9"), ("192.168.1.9:4711", "192.168.1.9"), ("[2001:db8::1]:80", "2001:db8::1"),
        // The client's own entries are left of the entry that our first proxy added.
        ("127.0.0.1, 203.0.113.9", "203.0.113.9"), ("1.1.1.1, 203.0.113.9, 172.30.32.5", "203.0.113.9"),
        ("203.0.113.9, 127.0.0.1", "127.0.0.1"),
        // Only proxies of ours, or nothing that is an address.
        ("10.0.0.2", "10.0.0.2"), ("", "10.0.0.2"), ("unknown", "10.0.0.2"), ("203.0.113.9, unknown", "10.0.0.2"),
    ]

    @Test("the client is the last address that is no proxy of ours", arguments: chains)
    func client(header: String, client: String) {
        #expect(Self.origin("10.0.0.2", [.forwardedFor: header]).client == NetworkAddress(client))
    }

    @Test("a trusted proxy sets scheme, host and path")
    func trusted() {
        let origin = Self.origin(
            "10.0.0.2", [.forwardedProto: "http, https", .forwardedHost: "evil.lan, Cast.Example.org", .forwardedPrefix: "/cast/"])
        #expect(origin.isSecure && origin.host == HostName("cast.example.org") && origin.prefix == "/cast")
        #expect(origin.isSame(as: "https://cast.example.org") && origin.isSame(as: "https://cast.example.org:443"))
        #expect(!origin.isSame(as: "http://cast.example.org") && !origin.isSame(as: "https://cast.example.org:8443"))
        #expect(!origin.isSame(as: "https://cast.example.org.evil.lan") && !origin.isSame(as: "null") && !origin.isSame(as: ""))
    }

    @Test(
        "a path that could mean more than a path is left out",
        arguments: ["//evil.lan", "/a//b", "/", "cast", "/ä", "/a;b", "/a\"b", "/a b", "/" + String(repeating: "a", count: 200), "/../x"])
    func prefixes(path: String) {
        #expect(Self.origin("10.0.0.2", [.forwardedPrefix: path]).prefix.isEmpty)
    }

    @Test("Home Assistant is known by its address alone")
    func ingress() {
        let path = "/api/hassio_ingress/Ab-c_9"
        let headers: HTTPFields = [.ingressPath: path, .forwardedHost: "ha.lan:8123", .forwardedProto: "http"]
        let origin = Self.origin("172.30.32.2", headers)
        #expect(origin.isIngress && origin.prefix == path)
        // TLS may end at a proxy before Home Assistant.
        #expect(
            origin.isSame(as: "http://ha.lan:8123") && origin.isSame(as: "https://ha.lan:8123")
                && !origin.isSame(as: "http://evil.lan:8123"))
        #expect(!Self.origin("10.0.0.2", headers).isIngress)
        #expect(!Self.origin("172.30.32.2", [.ingressPath: "//x"]).isIngress)
    }
}

@Suite("The hosts of the page") struct HostListTests {
    static let cases: [(host: String?, local: String, isAllowed: Bool)] = [
        ("192.168.1.5:8099", "192.168.1.5", true), ("192.168.1.5", "192.168.1.5", false), ("192.168.1.5:80", "192.168.1.5", false),
        ("192.168.1.6:8099", "192.168.1.5", false), ("127.0.0.1:8099", "127.0.0.1", true), ("localhost:8099", "127.0.0.1", true),
        ("LOCALHOST.:8099", "127.0.0.1", true), ("[::1]:8099", "::1", true), ("[0:0::1]:8099", "::1", true),
        ("localhost:8099", "192.168.1.5", false), ("localhost", "127.0.0.1", false), ("127.0.0.1:8099", "192.168.1.5", false),
        ("cast.lan:8099", "192.168.1.5", true), ("cast.lan", "192.168.1.5", true), ("CAST.lan.:9", "192.168.1.5", true),
        ("panel.lan:8443", "192.168.1.5", true), ("panel.lan:8099", "192.168.1.5", false),
        ("evil.example:8099", "127.0.0.1", false), ("cast.lan.evil.example", "192.168.1.5", false),
        ("evil.example/cast.lan", "192.168.1.5", false),
        ("cast.lan@evil.example", "192.168.1.5", false), ("", "192.168.1.5", false), (nil, "192.168.1.5", false),
        ("127.1:8099", "127.0.0.1", false), ("[::ffff:127.0.0.1]:8099", "127.0.0.1", true),
    ]

    @Test("are the configured names, and the address and port that the connection came to", arguments: cases)
    func allowed(host: String?, local: String, isAllowed: Bool) {
        let list = HostList(names: [HostName("cast.lan"), HostName("panel.lan:8443")].compactMap { $0 })
        let connection = connection(from: "192.168.1.9", to: local)
        let origin = RequestOrigin(connection: connection, authority: host, headers: [:], trusted: [])
        #expect(list.allows(origin, on: connection) == isAllowed)
    }
}
