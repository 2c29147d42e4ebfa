import NIOCore
import Testing

@testable import MulticastDNS

@Suite("Service addresses")
struct ServiceAddressTests {
    @Test(
        "addresses are read and written in numeric form",
        arguments: ["192.168.1.31", "127.0.1.7", "fd00::1", "fe80::1", "::1", "2001:db8::8:800:200c:417a"])
    func roundTrips(text: String) {
        let address = ServiceAddress(text)
        #expect(address?.description == text)
        #expect(address.flatMap { ServiceAddress(bytes: $0.bytes) } == address)
        #expect(address.flatMap { ServiceAddress($0.socketAddress(port: 8009)) } == address)
        #expect(address?.socketAddress(port: 8009).port == 8009)
        #expect(address?.socketAddress(port: 8009).ipAddress == text)
    }

    @Test("text that is not an address is nil", arguments: ["", "tv.local", "1.2.3", "1.2.3.4.5", "fe80::1%eth0", "::g"])
    func refuses(text: String) { #expect(ServiceAddress(text) == nil) }

    @Test("other byte counts are nil", arguments: [0, 3, 5, 15, 17])
    func refusesBytes(count: Int) { #expect(ServiceAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }

    @Test("only link-local addresses keep their interface, and NIO gets its index")
    func scopes() throws {
        let scope = InterfaceScope(index: 7, name: "eth0")
        let linkLocal = try #require(ServiceAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], scope: scope))
        #expect(linkLocal.description == "fe80::1%eth0")
        guard case .v6(let v6) = linkLocal.socketAddress(port: 1) else { throw CancellationError() }
        #expect(v6.address.sin6_scope_id == 7)
        #expect(ServiceAddress(bytes: [0xFD, 0] + [UInt8](repeating: 0, count: 14), scope: scope)?.scope == nil)
        #expect(ServiceAddress(bytes: [1, 2, 3, 4], scope: scope)?.scope == nil)
        #expect(linkLocal.withoutScope.scope == nil && linkLocal.withoutScope != linkLocal)
    }

    @Test("IPv4 comes before IPv6, then the lower number")
    func orders() {
        let sorted = ["10.0.0.2", "10.0.0.10", "fd00::1", "fe80::1"]
        #expect(sorted.reversed().compactMap { ServiceAddress($0) }.sorted().map(\.description) == sorted)
    }

    static let prefixes: [(String, String, Int, Bool)] = [
        ("10.0.0.1", "10.0.0.254", 24, true), ("10.0.0.1", "10.0.1.1", 24, false), ("10.0.0.1", "11.0.0.1", 0, true),
        ("10.0.0.1", "10.0.0.1", 32, true), ("10.0.0.1", "10.0.0.2", 32, false), ("fd00::1", "fd00::ffff", 64, true),
        ("fd00::1", "fd00:0:0:1::1", 64, false), ("fd00::1", "fd00::2", 127, false), ("fd00::2", "fd00::3", 127, true),
        ("fd00::1", "10.0.0.1", 0, false),
    ]

    @Test("addresses share a prefix or not", arguments: prefixes)
    func sharesPrefix(one: String, other: String, length: Int, isShared: Bool) throws {
        let (one, other) = (try #require(ServiceAddress(one)), try #require(ServiceAddress(other)))
        #expect(one.shares(prefix: length, with: other) == isShared)
    }
}
