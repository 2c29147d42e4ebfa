import HTTPFetch
import Testing

@testable import NetworkReach

/// Which addresses a fetch may connect to.
struct AddressPolicyTests {
    @Test(
        "each address has a scope",
        arguments: [
            ("127.0.0.1", .loopback), ("127.255.1.2", .loopback), ("0.0.0.0", .loopback), ("0.1.2.3", .loopback), ("::1", .loopback),
            ("::", .loopback), ("::ffff:127.0.0.1", .loopback), ("::127.0.0.1", .loopback), ("64:ff9b::127.0.0.1", .loopback),
            ("169.254.169.254", .linkLocal), ("::ffff:169.254.1.1", .linkLocal), ("fe80::1", .linkLocal), ("100.100.100.200", .linkLocal),
            ("fd00:ec2::254", .linkLocal), ("fd00:ec2::253", .privateNetwork), ("100.100.100.201", .privateNetwork),
            ("febf::1", .linkLocal),
            ("224.0.0.251", .multicast), ("255.255.255.255", .multicast), ("ff02::fb", .multicast),
            ("10.1.2.3", .privateNetwork), ("172.16.0.1", .privateNetwork), ("172.31.255.255", .privateNetwork),
            ("192.168.1.30", .privateNetwork), ("100.64.0.1", .privateNetwork), ("fd00::1", .privateNetwork),
            ("172.32.0.1", .global), ("100.128.0.1", .global), ("8.8.8.8", .global), ("2001:db8::1", .global),
            ("64:ff9b::8.8.8.8", .global),
            ("fd20:ce::254", .linkLocal), ("fd00:c1::a9fe:a9fe", .linkLocal), ("fd00:ec2::23", .linkLocal),
            ("fd20:ce::253", .privateNetwork),
            ("168.63.129.16", .linkLocal), ("168.63.129.17", .global), ("192.0.0.192", .linkLocal), ("192.0.1.1", .global),
            ("198.18.0.1", .privateNetwork), ("198.20.0.1", .global),
            ("64:ff9b:1::127.0.0.1", .linkLocal), ("64:ff9b:1:a9fe:a9:fe00::", .linkLocal), ("64:ff9b:1:ffff::8.8.8.8", .linkLocal),
            ("64:ff9b:2::1", .global),
            ("2002:7f00:1::1", .loopback), ("2002:a9fe:a9fe::", .linkLocal), ("2002:c0a8:101::1", .privateNetwork),
            ("2002:808:808::1", .global),
            ("2001:0:808:808:0:0:80ff:fffe", .loopback), ("2001:0:808:808::3f57:fefe", .privateNetwork), ("2001:1::1", .global),
            ("::ffff:0:127.0.0.1", .loopback), ("::ffff:0:169.254.169.254", .linkLocal), ("::ffff:0:8.8.8.8", .global),
        ] as [(String, AddressPolicy.Scope)])
    func scope(host: String, scope: AddressPolicy.Scope) throws {
        let address = try #require(try NumericAddress.resolve(host, port: 80, isNumeric: true).get().first)
        #expect(AddressPolicy.scope(of: address) == scope)
        #expect(AddressPolicy.networks.allows(address) == (scope == .privateNetwork || scope == .global))
        #expect(AddressPolicy.everything.allows(address) == (scope != .multicast))
    }

    @Test(
        "a redirect from the Internet does not lead into private networks",
        arguments: [
            ("8.8.8.8", "10.0.0.1", false), ("8.8.8.8", "1.1.1.1", true), ("10.0.0.1", "192.168.0.1", true), ("10.0.0.1", "8.8.8.8", true),
        ])
    func redirect(from: String, to: String, isAllowed: Bool) throws {
        let addresses = try [from, to].map { try #require(try NumericAddress.resolve($0, port: 80, isNumeric: true).get().first) }
        #expect(AddressPolicy.scopes(afterRedirectFrom: addresses[0]).contains(AddressPolicy.scope(of: addresses[1])) == isAllowed)
    }

    @Test("a NUL ends no name")
    func nul() {
        for host in ["127.0.0.1\0", "127.0.0.1\0.example.com", "\0"] {
            #expect(throws: NameNotResolved.self) { try NumericAddress.resolve(host, port: 80, isNumeric: true).get() }
        }
    }

    @Test("an address that can't be read is refused")
    func unreadableAddressIsRefused() {
        for family in [NumericAddress.Family.ipv4, .ipv6] {
            let address = NumericAddress(family: family, host: "8.8.8.8", port: 80, bytes: [1, 2, 3])
            #expect(!AddressPolicy.everything.allows(address))
        }
    }
}
