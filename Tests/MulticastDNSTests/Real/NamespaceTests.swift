import Glibc
import MulticastDNS
import MulticastDNSAnnouncing
import NIOCore
import NIOPosix
import TestSupport
import Testing

/// Two hosts, joined by a cable, each a network namespace of this process.
@Suite("Browser and announcer on two hosts", .enabled(if: LoopHost.isExpected), .timeLimit(.minutes(5)))
struct NamespaceTests {
    struct Hosts: Sendable {
        let left: LoopHost
        let right: LoopHost
    }

    private func withHosts(_ body: (Hosts) async throws -> Void) async throws {
        let hosts = Hosts(left: try await LoopHost(), right: try await LoopHost())
        do {
            try await LoopHost.connect(hosts.left, hosts.right)
            for (host, number) in [(hosts.left, 1), (hosts.right, 2)] {
                try await host.namespace.run("ip", "address", "add", "10.7.0.\(number)/24", "dev", "veth0")
                try await host.namespace.run("ip", "address", "add", "fd07::\(number)/64", "dev", "veth0", "nodad")
                try await host.namespace.run("ip", "link", "set", "veth0", "up")
            }
            try await body(hosts)
        } catch {
            await hosts.left.end()
            await hosts.right.end()
            throw error
        }
        await hosts.left.end()
        await hosts.right.end()
    }

    private func browser(_ type: String, _ host: LoopHost, _ recorder: ChangeRecorder) -> Browser {
        Browser(serviceType: type, eventLoop: host.loop, logger: quiet, onChange: recorder.record)
    }

    @Test("services with IPv4 and IPv6 addresses are found across the cable, link-local ones with their interface")
    func findsBothFamilies() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            try await running([announcer.run, self.browser(type, hosts.right, recorder).run]) {
                let addresses = ["10.7.0.1", "fd07::1", "fe80::1"]
                try await announcer.announce(service("tv", type: type, addresses: addresses))
                await recorder.wait("the service", untilServices: { $0["tv"]?.addresses.count == 3 })
            }
            #expect(recorder.services["tv"]?.addresses.map(\.description) == ["10.7.0.1", "fd07::1", "fe80::1%veth0"])
            let linkLocal = recorder.services["tv"]?.addresses.last?.socketAddress(port: 8009)
            #expect(linkLocal?.port == 8009)
        }
    }

    @Test("a host without IPv4 is found over IPv6")
    func findsOverIPv6Only() async throws {
        try await self.withHosts { hosts in
            for host in [hosts.left, hosts.right] { try await host.namespace.run("ip", "-4", "address", "flush", "dev", "veth0") }
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            let browser = self.browser(type, hosts.right, recorder)
            try await running([announcer.run, browser.run]) {
                try await announcer.announce(service("tv", type: type, addresses: ["fd07::1"]))
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                #expect(await browser.statistics.interfaces.map(\.families) == [[.ipv6]])
            }
        }
    }

    @Test("a new address of a service is reported, and the old one dropped")
    func followsAddressChange() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            try await running([announcer.run, self.browser(type, hosts.right, recorder).run]) {
                var tv = try service("tv", type: type, addresses: ["10.7.0.1"])
                try await announcer.announce(tv, probing: false)
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                // The cache-flush bit spares records younger than a second.
                try await Task.sleep(for: .milliseconds(1500))
                tv.addresses = [ServiceAddress("10.7.0.9")].compactMap { $0 }
                try await announcer.update(tv)
                await recorder.wait("only the new address", untilServices: { $0["tv"]?.addresses.map(\.description) == ["10.7.0.9"] })
            }
            #expect(!recorder.changes.contains { if case .removed = $0 { true } else { false } })
        }
    }

    @Test("a changed address of our own interface is noticed, and discovery continues")
    func survivesOwnAddressChange() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            let browser = self.browser(type, hosts.right, recorder)
            try await running([announcer.run, browser.run]) {
                try await announcer.announce(service("tv", type: type, addresses: ["10.7.0.1"]))
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                try await hosts.right.namespace.run("ip", "address", "add", "10.8.0.2/24", "dev", "veth0")
                try await hosts.right.namespace.run("ip", "address", "del", "10.7.0.2/24", "dev", "veth0")
                await recorder.wait("the change", untilChanges: { $0.contains(.networkChanged) })
                try await announcer.announce(service("radio", type: type, addresses: ["10.7.0.1"]), probing: false)
                await recorder.wait("a service announced afterwards", untilServices: { $0["radio"] != nil })
                await recorder.wait(
                    "the old service confirmed",
                    untilChanges: { changes in
                        guard let change = changes.firstIndex(of: .networkChanged) else { return false }
                        return changes[change...].contains {
                            if case .sighted(let service) = $0 { service.instanceName == "tv" } else { false }
                        }
                    })
                let addresses = await browser.statistics.interfaces.first?.addresses.map(\.description) ?? []
                #expect(addresses.contains("10.8.0.2") && !addresses.contains("10.7.0.2"))
            }
        }
    }

    @Test("a cable that is unplugged, and one that is plugged in again, are changes of the network")
    func noticesCable() async throws {
        try await self.withHosts { hosts in
            // The kernel takes up to a second to notice either.
            let carrier = { (state: String) in
                try await eventually("the interface is \(state)") {
                    try await hosts.right.namespace.run("ip", "link", "show", "veth0").contains("state \(state)")
                }
            }
            try await carrier("UP")
            let recorder = ChangeRecorder()
            let browser = self.browser(uniqueServiceType(), hosts.right, recorder)
            try await running([browser.run]) {
                try await eventually("the socket is open") { await browser.statistics.interfaces.first?.families.contains(.ipv4) == true }
                for state in ["DOWN", "UP"] {
                    let before = recorder.changes.count { $0 == .networkChanged }
                    // The other end of the cable.
                    try await hosts.left.namespace.run("ip", "link", "set", "veth0", state.lowercased())
                    try await carrier(state)
                    await recorder.wait("the cable is \(state)", untilChanges: { $0.count { $0 == .networkChanged } > before })
                }
                #expect(await browser.statistics.interfaces.first?.addresses.map(\.description).contains("10.7.0.2") == true)
            }
        }
    }

    @Test("an interface that loses and regains IPv6 keeps its IPv4 socket and its records")
    func adaptsFamilies() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            let browser = self.browser(type, hosts.right, recorder)
            let families = { await browser.statistics.interfaces.first?.families }
            try await running([announcer.run, browser.run]) {
                try await announcer.announce(service("tv", type: type, addresses: ["10.7.0.1"]), probing: false)
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                try await hosts.right.namespace.run("ip", "-6", "address", "flush", "dev", "veth0")
                try await eventually("IPv4 only") { await families() == [.ipv4] }
                try await announcer.announce(service("radio", type: type, addresses: ["10.7.0.1"]), probing: false)
                await recorder.wait("a service over IPv4", untilServices: { $0["radio"] != nil })
                try await hosts.right.namespace.run("ip", "address", "add", "fd07::2/64", "dev", "veth0", "nodad")
                try await eventually("both families") { await families() == [.ipv4, .ipv6] }
            }
            #expect(!recorder.changes.contains { if case .removed = $0 { true } else { false } })
        }
    }

    @Test("an interface that disappears and returns is left and joined again, and queried at once")
    func interfaceIsUpAgain() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            let browser = self.browser(type, hosts.right, recorder)
            try await running([announcer.run, browser.run]) {
                let tv = try service("tv", type: type, addresses: ["10.7.0.1"])
                try await announcer.announce(tv, probing: false)
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                try await hosts.right.namespace.run("ip", "link", "del", "veth0")
                await recorder.wait("the service goes with its interface", untilServices: { $0["tv"] == nil })
                #expect(await browser.statistics.interfaces.isEmpty)
                try await LoopHost.connect(hosts.left, hosts.right)
                for (host, number) in [(hosts.left, 1), (hosts.right, 2)] {
                    try await host.namespace.run("ip", "address", "add", "10.7.0.\(number)/24", "dev", "veth0")
                    try await host.namespace.run("ip", "link", "set", "veth0", "up")
                }
                await recorder.wait("the service is announced again", untilServices: { $0["tv"] != nil })
            }
        }
    }

    @Test("a goodbye removes the service within seconds, silence does not")
    func goodbyeRemoves() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            try await running([announcer.run, self.browser(type, hosts.right, recorder).run]) {
                let tv = try service("tv", type: type, addresses: ["10.7.0.1"])
                let radio = try service("radio", type: type, addresses: ["10.7.0.1"])
                try await announcer.announce(tv, probing: false)
                try await announcer.announce(radio, probing: false)
                await recorder.wait("both services", untilServices: { $0.count == 2 })
                try await announcer.withdraw(radio, sendGoodbye: false)
                try await announcer.withdraw(tv)
                await recorder.wait("the removal", untilServices: { $0["tv"] == nil })
                #expect(recorder.services["radio"] != nil)
            }
        }
    }

    @Test("an announcer that ends takes its services back")
    func endIsGoodbye() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            try await running([self.browser(type, hosts.right, recorder).run]) {
                try await running([announcer.run]) {
                    try await announcer.announce(service("tv", type: type, addresses: ["10.7.0.1"]), probing: false)
                    await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                }
                await recorder.wait("the removal", untilServices: { $0.isEmpty })
            }
        }
    }

    @Test("two hosts that want one name get two")
    func conflictRenames() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let (left, right) = (
                ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet), ServiceAnnouncer(eventLoop: hosts.right.loop, logger: quiet)
            )
            let browser = self.browser(type, hosts.right, recorder)
            try await running([left.run, right.run, browser.run]) {
                let first = try await left.announce(service("tv", type: type, addresses: ["10.7.0.1"]))
                let second = try await right.announce(service("tv", type: type, port: 8010, addresses: ["10.7.0.2"]))
                #expect(first.instanceName == "tv" && first.hostName == "tv.local")
                #expect(second.instanceName == "tv-2" && second.hostName == "tv-2.local")
                await recorder.wait("both services", untilServices: { $0["tv"]?.port == 8009 && $0["tv-2"]?.port == 8010 })
            }
        }
    }

    @Test("a service that is only ever answered by unicast, to the port of a one-shot query, is found")
    func oneShotAnswersArrive() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let browser = self.browser(type, hosts.right, recorder)
            let responder = try await UnicastResponder(service("tv", type: type, addresses: ["10.7.0.1"]), on: hosts.left.loop)
            try await running([browser.run]) {
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                let before = recorder.changes.count
                await browser.queryNow()
                await recorder.wait("a sighting after queryNow", untilChanges: { $0.count > before })
            }
            try await responder.stop()
        }
    }

    @Test("where another program uses port 5353 exclusively, one-shot queries find the services, and the reason is reported")
    func worksWithoutPort() async throws {
        try await self.withHosts { hosts in
            let (type, recorder) = (uniqueServiceType(), ChangeRecorder())
            let loop = hosts.right.loop
            let blocker = try await loop.flatSubmit { DatagramBootstrap(group: loop).bind(host: "0.0.0.0", port: 5353) }.get()
            let announcer = ServiceAnnouncer(eventLoop: hosts.left.loop, logger: quiet)
            let browser = self.browser(type, hosts.right, recorder)
            try await hosts.right.namespace.run("ip", "-6", "address", "flush", "dev", "veth0")
            try await running([announcer.run, browser.run]) {
                try await announcer.announce(service("tv", type: type, addresses: ["10.7.0.1"]), probing: false)
                await recorder.wait("the service", untilServices: { $0["tv"] != nil })
                let status = await browser.statistics.interfaces.first
                #expect(status?.lastError?.systemErrorNumber == EADDRINUSE && status?.families.isEmpty == true)
                try await blocker.close()
                try await eventually("the port") { await browser.statistics.interfaces.first?.families == [.ipv4] }
            }
        }
    }

    @Test("a run leaves no descriptor behind")
    func leavesNoDescriptor() async throws {
        // In a process of many tests only the sockets of a namespace can be distinguished from those of others.
        let host = try await LoopHost()
        let count = {
            try await host.loop.submit {
                let tables = ["udp", "udp6", "netlink"].map { table in Self.lines("/proc/thread-self/net/\(table)") }
                return tables.reduce(0, +)
            }.get()
        }
        let before = try await count()
        let browser = Browser(
            serviceType: uniqueServiceType(), interfaces: .named(["lo"]), eventLoop: host.loop, logger: quiet, onChange: { _ in })
        let announcer = ServiceAnnouncer(interfaces: .named(["lo"]), eventLoop: host.loop, logger: quiet)
        let runs = [Task { try await browser.run() }, Task { try await announcer.run() }]
        try await eventually("sockets") { await browser.statistics.interfaces.first?.families.isEmpty == false }
        try await eventually("sockets") { await announcer.interfaceStatuses.first?.families.isEmpty == false }
        #expect(try await count() > before)
        for run in runs {
            run.cancel()
            try await run.value
        }
        // A child that another test starts at this moment holds copies until it becomes another program.
        try await eventually("closed sockets") { (try? await count()) == before }
        await host.end()
    }

    private static func lines(_ path: String) -> Int {
        guard let file = fopen(path, "r") else { return -1 }
        defer { fclose(file) }
        var count = 0
        while true {
            let byte = fgetc(file)
            if byte == EOF { return count }
            if byte == 10 { count += 1 }
        }
    }
}
