import NIOCore
import Testing

@testable import MulticastDNS

@Suite("Interface table")
struct InterfaceTableTests {
    static func interface(
        _ index: UInt32, _ name: String, _ addresses: [String], isUp: Bool = true, isLoopback: Bool = false, canMulticast: Bool = true
    ) -> NetworkInterface {
        var interface = NetworkInterface(index: index, name: name, isUp: isUp, isLoopback: isLoopback, canMulticast: canMulticast)
        for text in addresses {
            guard let address = ServiceAddress(text) else { continue }
            interface.addresses.insert(.init(address: address, prefixLength: address.family == .ipv4 ? 24 : 64))
        }
        return interface
    }

    static let lo = interface(1, "lo", ["127.0.0.1", "::1"], isLoopback: true, canMulticast: false)
    static let eth0 = interface(2, "eth0", ["192.0.2.5", "fe80::5"])
    static let everything = [
        lo, eth0, interface(3, "down0", ["192.0.2.6"], isUp: false), interface(4, "bare0", []),
        interface(5, "tun0", ["10.0.0.1"], canMulticast: false), interface(6, "wlan0", ["fe80::6"]),
    ]

    static let selections: [(InterfaceSelection, [String])] = [
        (.all, ["eth0", "wlan0"]), (.named(["lo"]), ["lo"]), (.named(["lo", "eth0"]), ["lo", "eth0"]),
        (.named(["tun0", "down0", "bare0"]), []), (.named([]), []),
        (InterfaceSelection([]), ["eth0", "wlan0"]), (InterfaceSelection(["!eth0"]), ["wlan0"]),
        (InterfaceSelection(["!w*", "!lo", "!eth"]), ["eth0"]), (InterfaceSelection(["!*"]), []),
        (InterfaceSelection(["!wlan0", "lo"]), ["lo"]),
    ]

    @Test("all means up, multicast-capable, with an address, not loopback and not left out; loopback only by name", arguments: selections)
    func selects(selection: InterfaceSelection, names: [String]) {
        var table = InterfaceTable(selection: selection, maximumCount: 10)
        let changes = table.update(Self.everything)
        #expect(changes == Self.everything.filter { names.contains($0.name) }.map { .added($0) })
    }

    @Test("loopback speaks IPv4 only, others the families they have")
    func families() {
        #expect(Self.lo.families == [.ipv4] && Self.eth0.families == [.ipv4, .ipv6])
    }

    @Test("named interfaces that cannot be used are reported")
    func reportsUnusable() {
        var table = InterfaceTable(selection: .named(["eth0", "eth7", "down0"]), maximumCount: 10)
        _ = table.update(Self.everything)
        #expect(table.unusable == ["eth7", "down0"])
    }

    @Test("the loss of the carrier is a change within the network, and so is its return")
    func carrier() {
        var table = InterfaceTable(selection: .all, maximumCount: 10)
        var unplugged = Self.eth0
        unplugged.isRunning = false
        #expect(table.update([Self.eth0]) == [.added(Self.eth0)])
        #expect(table.update([unplugged]) == [.changed(unplugged, hasMoved: false)])
        #expect(table.update([Self.eth0]) == [.changed(Self.eth0, hasMoved: false)])
    }

    @Test("changes are reported once, removals first")
    func diffs() {
        var table = InterfaceTable(selection: .all, maximumCount: 10)
        #expect(table.update([Self.eth0]) == [.added(Self.eth0)])
        #expect(table.update([Self.lo, Self.eth0]) == [])
        let renumbered = Self.interface(9, "eth0", ["192.0.2.5"])
        #expect(table.update([renumbered]) == [.removed(Self.eth0), .added(renumbered)])
        #expect(table.update([]) == [.removed(renumbered)])
        let renamed = Self.interface(2, "eth1", ["192.0.2.5"])
        _ = table.update([Self.eth0])
        #expect(table.update([renamed]) == [.removed(Self.eth0), .added(renamed)])
    }

    static let moves: [([String], [String], Bool)] = [
        (["192.0.2.5"], ["192.0.2.6"], false), (["192.0.2.5"], ["198.51.100.6"], true), (["192.0.2.5"], ["192.0.2.5", "fd00::1"], false),
        (["192.0.2.5", "198.51.100.1"], ["198.51.100.1"], false), (["192.0.2.5", "fe80::1"], ["fe80::1"], true),
        (["fe80::1", "fd00::1"], ["fe80::1", "fd00::2"], false),
    ]

    @Test("an interface has moved when none of its networks is left", arguments: moves)
    func seesMoves(before: [String], after: [String], hasMoved: Bool) {
        var table = InterfaceTable(selection: .all, maximumCount: 10)
        _ = table.update([Self.interface(2, "eth0", before)])
        let new = Self.interface(2, "eth0", after)
        #expect(table.update([new]) == [.changed(new, hasMoved: hasMoved)])
    }

    @Test("interfaces are bounded")
    func bounds() {
        var table = InterfaceTable(selection: .all, maximumCount: 2)
        let many = (1...9).map { Self.interface($0, "eth\($0)", ["192.0.2.\($0)"]) }
        #expect(table.update(many).count == 2)
    }

    @Test("neighbours share a network or are link-local; on loopback every address is one")
    func onLink() throws {
        let cases = [("192.0.2.77", true), ("198.51.100.1", false), ("fe80::99", true), ("2001:db8::1", false), ("169.254.3.4", true)]
        for (text, isOnLink) in cases { #expect(Self.eth0.isOnLink(try #require(ServiceAddress(text))) == isOnLink) }
        #expect(Self.lo.isOnLink(try #require(ServiceAddress("192.0.2.5"))))
    }

    @Test("this machine's loopback is listed with its address")
    func listsLoopback() throws {
        let lo = try #require(try NetworkInterface.all().first { $0.isLoopback })
        #expect(lo.addresses.contains { $0.address.description == "127.0.0.1" && $0.prefixLength == 8 })
    }

    @Test("a budget lets so many packets through a second and recovers")
    func budget() {
        var budget = PacketBudget(packetsPerSecond: 100, now: .at(0))
        let burst = (0..<250).map { _ in budget.take(now: .at(0)) }
        let half = (0..<250).map { _ in budget.take(now: .at(0.5)) }
        let later = (0..<250).map { _ in budget.take(now: .at(60)) }
        #expect([burst, half, later].map { $0.count { $0 } } == [100, 50, 100])
    }
}
