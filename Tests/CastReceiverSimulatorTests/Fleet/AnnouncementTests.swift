import Logging
import MulticastDNS
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct AnnouncementTests {
    /// Browses on loopback while the body runs; `latest` returns what is known of an instance.
    final class Watcher: Sendable {
        let services = Mutex<[String: DiscoveredService]>([:])

        func take(_ change: ServiceChange) {
            self.services.withLock { services in
                switch change {
                case .found(let service), .updated(let service), .sighted(let service): services[service.instanceName] = service
                case .removed(let service): services[service.instanceName] = nil
                case .networkChanged: break
                }
            }
        }

        func latest(_ device: DeviceDescription) -> DiscoveredService? { self.services.withLock { $0[device.instanceName] } }
    }

    static func watching(_ body: @escaping @Sendable (Watcher) async throws -> Void) async throws {
        let watcher = Watcher()
        let browser = Browser(
            serviceType: "_googlecast._tcp.local", interfaces: .named(["lo"]), eventLoop: MultiThreadedEventLoopGroup.singleton.next(),
            logger: Logger(label: "test")
        ) { watcher.take($0) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await browser.run()
                return false
            }
            group.addTask {
                try await body(watcher)
                return true
            }
            defer { group.cancelAll() }
            while let isDone = try await group.next(), !isDone {}
        }
    }

    @Test("devices are announced with every key, st and rs follow what runs, a move is announced, and the end is a goodbye")
    func announcement() async throws {
        let configuration = TestFleet.configuration(devices: 2, groups: 1) { $0.interfaces = ["lo"] }
        try await Self.watching { watcher in
            let plan = try await TestFleet.with(configuration) { fleet in
                let (device, group) = (fleet.plan.devices[0], fleet.plan.devices[2])
                try await eventually("both are found") { watcher.latest(device) != nil && watcher.latest(group) != nil }
                let found = try #require(watcher.latest(device))
                #expect(found.port == 8009)
                #expect(found.addresses.map(\.description) == [device.address])
                #expect(found.hostName.hasPrefix(device.uuid))
                #expect(found.text.entries.map(\.key) == ["id", "cd", "rm", "ve", "md", "ic", "fn", "ca", "st", "bs", "nf", "rs"])
                #expect(found.text.string("id") == device.id)
                #expect(found.text.string("fn") == device.friendlyName)
                #expect(found.text.string("st") == "0")
                #expect(watcher.latest(group)?.text.string("md") == "Google Cast Group")
                #expect(watcher.latest(group)?.port == UInt16(group.port))

                try await fleet.control(
                    "sim-001", .remote(.load(RemoteItem(url: "http://a/b", title: "Plum", applicationID: ReceiverApp.orchardRadio.id))))
                try await eventually("the title is announced") { watcher.latest(device)?.text.string("rs") == "Plum" }
                #expect(watcher.latest(device)?.text.string("st") == "1")

                let address = TestFleet.addressBase()
                try await fleet.control("sim-001", .move(.init(address: address)))
                try await eventually("the new address is announced") { watcher.latest(device)?.addresses.map(\.description) == [address] }

                try await fleet.control("sim-001", .stop(goodbye: true))
                try await eventually("it said goodbye") { watcher.latest(device) == nil }
                try await fleet.control("sim-001", .start)
                try await eventually("it is online again") { watcher.latest(device) != nil }
                return fleet.plan
            }
            try await eventually("all said goodbye") { plan.devices.allSatisfy { watcher.latest($0) == nil } }
        }
    }

    @Test("a silent device is reachable and not found by new senders")
    func silence() async throws {
        let configuration = TestFleet.configuration(devices: 2) { $0.interfaces = ["lo"] }
        try await TestFleet.with(configuration) { fleet in
            try await fleet.control("sim-001", .silence(true))
            try await Self.watching { watcher in
                try await eventually("the other one is found") { watcher.latest(fleet.plan.devices[1]) != nil }
                #expect(watcher.latest(fleet.plan.devices[0]) == nil)
                try await RawSender.connect(fleet, "sim-001").handshake()
                try await fleet.control("sim-001", .silence(false))
                try await eventually("it is found again") { watcher.latest(fleet.plan.devices[0]) != nil }
            }
        }
    }
}
