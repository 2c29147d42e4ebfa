import CastModels
import CastTestSupport
import Logging
import MulticastDNS
import Testing

@testable import CastSender

/// The list when devices stop announcing themselves.
@Suite struct LostDeviceTests {
    private static func service(_ id: String, name: String = "TV", address: String = "10.0.0.1") throws -> DiscoveredService {
        let entries = [("id", id), ("fn", name), ("md", "Chromecast")].map { TXTRecord.Entry(key: $0, value: Array($1.utf8)) }
        return DiscoveredService(
            instanceName: id, hostName: "h.local", port: 8009, text: try TXTRecord(entries: entries),
            addresses: [ServiceAddress(address)].compactMap(\.self))
    }

    private static func manager(_ virtual: VirtualLoop, criteria: DiscoveryCriteria = DiscoveryCriteria()) -> DiscoveryManager {
        DiscoveryManager(
            configuration: .init(isMulticastEnabled: false, criteria: criteria), eventLoop: virtual.loop,
            connector: MemoryConnector(virtual), handshakeGate: HandshakeGate(), random: { 0.5 }, logger: Logger(label: "test")
        ) { _ in }
    }

    private static func describe(_ element: EventSequence<DeviceListChange>.Element?) -> String {
        switch element {
        case .event(.inserted(let device, let index)): "inserted \(device.friendlyName) \(index)"
        case .event(.updated(let device, let index, let target)): "updated \(device.friendlyName) \(index) \(target)"
        case .event(.removed(let device, let index)): "removed \(device.friendlyName) \(index)"
        case .missed(let count): "missed \(count)"
        case nil: "end"
        }
    }

    @Test("a device whose announcements end leaves the list, and returns when it is announced again")
    func foundAndRemoved() async throws {
        let manager = Self.manager(VirtualLoop())
        var changes = await manager.deviceChanges.makeAsyncIterator()
        let (attic, bath) = (try Self.service("1", name: "Attic"), try Self.service("2", name: "Bath", address: "10.0.0.2"))
        await manager.handle(.found(attic))
        await manager.handle(.found(bath))
        await manager.handle(.removed(attic))
        #expect(await manager.devices.map(\.friendlyName) == ["Bath"])
        await manager.handle(.found(attic))
        #expect(await manager.devices.map(\.friendlyName) == ["Attic", "Bath"])
        for expected in ["inserted Attic 0", "inserted Bath 1", "removed Attic 0", "inserted Attic 0"] {
            #expect(Self.describe(await changes.next()) == expected)
        }
    }

    @Test("a list that is requested later does not contain lost devices")
    func late() async throws {
        let manager = Self.manager(VirtualLoop())
        await manager.handle(.found(try Self.service("1")))
        await manager.handle(.removed(try Self.service("1")))
        #expect(await manager.devices.isEmpty)
    }

    @Test("news of a lost device, from wherever, don't list it")
    func identified() async throws {
        let manager = Self.manager(VirtualLoop())
        #expect(await manager.devices.isEmpty)
        await manager.handle(.found(try Self.service("1")))
        await manager.handle(.removed(try Self.service("1")))
        await manager.identified(DeviceIdentity(id: "1"))
        #expect(await manager.devices.isEmpty)
        await manager.handle(.found(try Self.service("1")))
        #expect(await manager.devices.map(\.identity) == [.verified])
    }

    @Test("only devices that match the criteria return")
    func criteria() async throws {
        let manager = Self.manager(VirtualLoop(), criteria: DiscoveryCriteria(applicationIDs: ["CC1AD845"]))
        #expect(await manager.devices.isEmpty)
        await manager.handle(.found(try Self.service("1")))
        await manager.handle(.sighted(try Self.service("1")))
        await manager.keep(["1"])
        #expect(await manager.devices.isEmpty, "it was not asked what it can run")
    }

    @Test("a lost device stays listed as long as it is kept")
    func kept() async throws {
        let manager = Self.manager(VirtualLoop())
        var changes = await manager.deviceChanges.makeAsyncIterator()
        await manager.handle(.found(try Self.service("1")))
        await manager.keep(["1", "unknown"])
        await manager.handle(.removed(try Self.service("1")))
        #expect(await manager.devices.map(\.id) == ["1"])
        await manager.keep([])
        #expect(await manager.devices.isEmpty)
        for expected in ["inserted TV 0", "removed TV 0"] { #expect(Self.describe(await changes.next()) == expected) }
    }

    @Test("a session keeps its device in the list until it ends or is suspended", arguments: [true, false])
    func session(ends: Bool) async throws {
        let world = ContextWorld([])
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver()))
        let context = world.context
        let (discovery, manager) = (context.discoveryManager, context.sessionManager)
        let lists = Locked<[[Device.ID]]>([])
        let run = Task { await context.run() }
        let watcher = Task { for await list in await discovery.deviceLists { lists.value += [list.map(\.id)] } }
        await discovery.handle(.found(try Self.service("aa11")))
        let device = try #require(await discovery.devices.first)
        let isStarted = Locked(false)
        let start = Task {
            _ = try? await manager.start(on: device)
            isStarted.value = true
        }
        #expect(await world.advance(until: { isStarted.value && lists.value.last == ["aa11"] }) != nil)
        #expect(await manager.state(of: "aa11") == .started)
        await world.advance(until: { await !discovery.listing.kept.isEmpty })
        #expect(await discovery.listing.kept == ["aa11"])
        await discovery.handle(.removed(try Self.service("aa11")))
        await discovery.handle(.found(try Self.service("bb22", name: "Sentinel", address: "10.0.0.2")))
        #expect(await world.advance(until: { lists.value.last?.contains("bb22") == true }) != nil)
        #expect(lists.value.last == ["bb22", "aa11"])
        if ends { try await manager.end("aa11", stopsApplication: false) } else { try await manager.suspend("aa11") }
        #expect(await world.advance(until: { lists.value.last == ["bb22"] }) != nil)
        #expect(await world.end(run, watcher, start) != nil)
    }
}
