import CastModels
import CastTestSupport
import Logging
import MulticastDNS
import NIOCore
import NIOPosix
import Testing

@testable import CastSender

@Suite struct DiscoveryManagerTests {
    private struct DiscoveryWorld: World {
        let virtual = VirtualLoop()
        let connector: MemoryConnector
        let changes = Locked<[DeviceChange]>([])
        let manager: DiscoveryManager

        init(
            hosts: [KnownHost], criteria: DiscoveryCriteria = DiscoveryCriteria(),
            authentication: DeviceAuthentication = DeviceAuthentication(), logger: Logger = Logger(label: "test")
        ) {
            self.connector = MemoryConnector(self.virtual)
            let changes = self.changes
            self.manager = DiscoveryManager(
                configuration: .init(isMulticastEnabled: false, knownHosts: hosts, criteria: criteria), eventLoop: self.virtual.loop,
                connector: self.connector, handshakeGate: HandshakeGate(), random: { 0.5 }, authentication: authentication, logger: logger
            ) { change in changes.value += [change] }
        }

        func run() async -> Task<Void, Never> {
            let manager = self.manager
            return await self.virtual.start { await manager.run() }
        }
    }

    @Test("a full registry is warned about once")
    func fullRegistry() async throws {
        let recorder = LogRecorder()
        let world = DiscoveryWorld(hosts: [], logger: recorder.logger(.debug))
        let services = try (0..<DeviceRegistry.deviceLimit + 2).map { index in
            let id = TXTRecord.Entry(key: "id", value: Array("d\(index)".utf8))
            return DiscoveredService(
                instanceName: "D\(index)", hostName: "h.local", port: 8009, text: try TXTRecord(entries: [id]), addresses: [])
        }
        _ = await world.virtual.call { for service in services { await world.manager.handle(.found(service)) } }
        let lines = recorder.lines.filter { $0.hasSuffix("announcement left out") }
        #expect(lines == ["warning announcement left out", "debug announcement left out"])
    }

    private static let host = KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.1"))

    @Test("a manager is passive by default, and can be changed while it runs")
    func passive() async {
        let world = DiscoveryWorld(hosts: [])
        #expect(world.manager.isPassive)
        let task = await world.run()
        for isPassive in [false, true, false] {
            world.manager.setPassive(isPassive)
            #expect(world.manager.isPassive == isPassive)
        }
        #expect(await world.end(task) != nil)
    }

    @Test("a known host is found with its reported id, and then not asked again")
    func knownHost() async throws {
        let world = DiscoveryWorld(hosts: [Self.host])
        let receiver = FakeReceiver()
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        try await world.settle { !world.connector.attempts.isEmpty }
        await world.virtual.advance(.milliseconds(50))
        try await world.settle(.seconds(1)) { !world.changes.value.isEmpty && receiver.openConnections == 0 }
        guard case .found(let device)? = world.changes.value.first else {
            Issue.record("the device should be found")
            return
        }
        #expect(device.id == "aa11")
        #expect(device.friendlyName == "Fake")
        #expect(device.identity == .verified)
        #expect(device.endpoints == [Self.host.endpoint])
        #expect(receiver.openConnections == 0)
        #expect(await world.manager.devices == [device])
        task.cancel()
        await task.value
    }

    @Test("a known host that is off is tried until it answers")
    func late() async throws {
        let world = DiscoveryWorld(hosts: [Self.host])
        let task = await world.run()
        try await world.settle(.minutes(10)) { !world.connector.attempts.isEmpty }
        #expect(world.changes.value.isEmpty)
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver()))
        await world.virtual.advance(.seconds(30))
        try await world.settle { !world.changes.value.isEmpty }
        #expect(world.changes.value.count == 1)
        task.cancel()
        await task.value
    }

    @Test("a known host that does not answer is named once within a minute, with the reason, beside one that does")
    func unreachable() async throws {
        let recorder = LogRecorder()
        let hosts = [
            KnownHost(endpoint: DeviceEndpoint(host: "nohost.invalid")), KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.9")), Self.host,
        ]
        let world = DiscoveryWorld(hosts: hosts, logger: recorder.logger(.info))
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver()))
        let task = await world.run()
        try await world.settle { !world.connector.attempts.isEmpty }
        await world.virtual.advance(.seconds(10))
        try await world.settle { !world.changes.value.isEmpty }
        #expect(recorder.lines.isEmpty)
        await world.virtual.advance(.seconds(50))
        await world.virtual.advance(.minutes(10))
        let lines = recorder.all.sorted { $0.metadata["cast.host"] ?? "" < $1.metadata["cast.host"] ?? "" }
        #expect(recorder.lines == Array(repeating: "warning known host not reachable; discovery keeps trying", count: 2))
        #expect(lines.compactMap { $0.metadata["cast.host"] } == ["10.0.0.9:8009", "nohost.invalid:8009"])
        #expect(lines.map { $0.metadata["error"]?.contains("refused") } == [true, false])
        #expect(lines.last?.metadata["error"]?.contains("no such name") == true, "\(lines)")
        let problems = await world.manager.problems()
        #expect(problems.map(\.place.name) == ["nohost.invalid:8009", "10.0.0.9:8009"])
        // It is no longer a problem once it answers.
        world.connector.route("10.0.0.9", to: .receiver(FakeReceiver { $0.id = "bb22" }))
        await world.virtual.advance(.seconds(40))
        try await world.settle { world.changes.value.count > 1 }
        #expect(await world.manager.problems().map(\.place.name) == ["nohost.invalid:8009"])
        task.cancel()
        await task.value
    }

    @Test("a host whose proof fails is named at once with that reason, also when it is added by hand")
    func notGenuine() async throws {
        let recorder = LogRecorder()
        let world = DiscoveryWorld(hosts: [Self.host], authentication: DeviceAuthentication(mode: .require), logger: recorder.logger(.info))
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver { $0.challengeAnswer = [1, 2, 3] }))
        let task = await world.run()
        try await world.settle { !world.connector.attempts.isEmpty }
        await world.virtual.advance(.seconds(1))
        try await world.settle { !recorder.lines.isEmpty }
        #expect(recorder.lines == ["warning known host not reachable; discovery keeps trying"])
        #expect(await world.manager.hint()?.cause == .notGenuine)
        let manager = world.manager
        let added = Locked<CastError?>(nil)
        let adding = await world.virtual.start {
            do throws(CastError) { _ = try await manager.locate(Self.host.endpoint, within: .minutes(30)) } catch { added.value = error }
        }
        for _ in 0..<100 where added.value == nil { await world.virtual.advance(.seconds(1)) }
        #expect(added.value?.code.isAuthenticationFailure == true, "\(String(describing: added.value))")
        await adding.value
        task.cancel()
        await task.value
    }

    @Test("a host at which another device answers later belongs to that one")
    func otherDevice() async throws {
        let world = DiscoveryWorld(hosts: [Self.host])
        world.connector.route("10.0.0.1", to: .receiver(FakeReceiver()))
        let task = await world.run()
        try await world.settle { !world.connector.attempts.isEmpty }
        await world.virtual.advance(.milliseconds(50))
        try await world.settle { !world.changes.value.isEmpty }
        await world.manager.identified(DeviceIdentity(id: "bb22"), at: Self.host.endpoint)
        #expect(await world.manager.devices.map(\.id).contains("bb22"))
        task.cancel()
        await task.value
    }

    @Test("where a device was that is now at another known host, another one is found, and all that change places")
    func rotation() async throws {
        let hosts = (1...3).map { KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.\($0)")) }
        let receivers = ["aa11", "bb22", "cc33"].map { id in FakeReceiver { $0.id = id } }
        let world = DiscoveryWorld(hosts: hosts)
        func route(_ shift: Int) {
            for (index, host) in hosts.enumerated() {
                world.connector.route(host.endpoint.host, to: .receiver(receivers[(index + shift) % 3]))
            }
        }
        func places() async -> [DeviceEndpoint?] {
            let devices = await world.manager.devices
            return ["aa11", "bb22", "cc33"].map { id in devices.first { $0.id == id }?.endpoints.first }
        }
        route(0)
        let task = await world.run()
        _ = await world.advance(until: { world.changes.value.count >= 3 }, limit: .seconds(10))
        #expect(await places() == hosts.map(\.endpoint))
        // Only the link of the third one comes back: at the first place.
        route(2)
        await world.manager.identified(DeviceIdentity(id: "cc33"), at: hosts[0].endpoint)
        let found = await world.advance(
            until: {
                world.changes.value.contains { change in
                    guard case .addressesChanged(let device) = change else { return false }
                    return device.id == "bb22" && device.endpoints.first == hosts[2].endpoint
                }
            }, limit: .seconds(30))
        #expect(found != nil, "found where the third one was")
        task.cancel()
        await task.value
    }

    @Test("the hint names the cause", arguments: [true, false])
    func hint(hasHosts: Bool) async throws {
        let world = DiscoveryWorld(hosts: hasHosts ? [Self.host] : [])
        let hint = try #require(await world.manager.hint())
        #expect(hint.cause == (hasHosts ? .onlyHosts : .nothingToSearch))
        #expect(!hint.reason.isEmpty && !hint.remedy.isEmpty)
    }

    @Test("a device that reports its id only over HTTP is asked there, one that does not gets its configured id", arguments: [true, false])
    func fallbacks(hasHTTP: Bool) async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual)
        connector.route(
            "10.0.0.1",
            to: .receiver(
                FakeReceiver {
                    $0.answersEureka = false
                    $0.answersDeviceInformation = false
                }))
        let probe = KnownHostProbe(
            host: KnownHost(endpoint: Self.host.endpoint, id: "configured"), eventLoop: virtual.loop, connector: connector,
            handshakeGate: HandshakeGate(), random: { 0.5 }, logger: Logger(label: "test"),
            readByHTTP: { _ in hasHTTP ? DeviceInformation(id: "byhttp") : nil })
        let found = Locked<(DeviceIdentity, Bool)?>(nil)
        let task = await virtual.start { await probe.run { found.value = ($0, $1) } }
        try await virtual.wait { !connector.attempts.isEmpty }
        await virtual.advance(.seconds(5))
        try await virtual.wait { found.value != nil }
        #expect(found.value?.0.id == (hasHTTP ? "byhttp" : "configured"))
        #expect(found.value?.1 == hasHTTP)
        await task.value
    }

    @Test("a known host that reports no id is asked again after a minute")
    func again() async throws {
        let virtual = VirtualLoop()
        let connector = MemoryConnector(virtual)
        connector.route(
            "10.0.0.1",
            to: .receiver(
                FakeReceiver {
                    $0.answersEureka = false
                    $0.answersDeviceInformation = false
                }))
        let questions = Locked(0)
        let probe = KnownHostProbe(
            host: Self.host, eventLoop: virtual.loop, connector: connector, handshakeGate: HandshakeGate(), random: { 0.5 },
            logger: Logger(label: "test"),
            readByHTTP: { _ in
                questions.value += 1
                return questions.value == 1 ? nil : DeviceInformation(id: "byhttp")
            })
        let found = Locked<DeviceIdentity?>(nil)
        let task = await virtual.start { await probe.run { identity, _ in found.value = identity } }
        try await virtual.wait { !connector.attempts.isEmpty }
        await virtual.advance(.seconds(5))
        try await virtual.wait { questions.value == 1 }
        // Lets the probe get from the answer to its pause.
        for _ in 0..<1_000 {
            await virtual.loop.run()
            await Task.yield()
        }
        await virtual.advance(.seconds(59))
        for _ in 0..<1_000 {
            await virtual.loop.run()
            await Task.yield()
        }
        #expect(connector.attempts.count == 1 && found.value == nil)
        await virtual.advance(.seconds(1))
        try await virtual.wait { connector.attempts.count == 2 }
        await virtual.advance(.seconds(5))
        try await virtual.wait { found.value != nil }
        #expect(found.value?.id == "byhttp")
        await task.value
    }

    @Test("cancelling ends discovery in every phase", arguments: [0, 50, 5000, 700_000] as [Int64])
    func cancel(after: Int64) async throws {
        let world = DiscoveryWorld(hosts: [Self.host, KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.2"))])
        world.connector.route(
            "10.0.0.1",
            to: .receiver(
                FakeReceiver {
                    $0.answersEureka = false
                    $0.answersDeviceInformation = false
                }))
        let task = await world.run()
        try await world.settle(.milliseconds(after)) { !world.connector.attempts.isEmpty }
        #expect(await world.end(task) != nil)
    }
}

@Suite struct DeviceInformationHTTPTests {
    private static let good =
        #"HTTP/1.0 200 OK\#r\#nContent-Type: application/json\#r\#n\#r\#n{"name":"TV","device_info":{"ssdp_udn":"AA-11","mac_address":"m"}}"#

    @Test(
        "an answer is read, anything else is ignored",
        arguments: [
            (DeviceInformationHTTPTests.good, "aa11"), ("HTTP/1.1 403 Forbidden\r\n\r\n{}", nil), ("HTTP/1.1 200 OK\r\n\r\nnot json", nil),
            ("", nil),
            ("garbage", nil), ("HTTP/1.1 200 OK\r\n\r\n[]", nil), ("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 70_000), nil),
            (DeviceInformationHTTPTests.good + String(repeating: " ", count: 60_000), "aa11"),
            (DeviceInformationHTTPTests.good + String(repeating: " ", count: 66_000), nil),
        ] as [(String, String?)])
    func read(response: String, id: String?) async throws {
        #expect(try await self.exchange("127.0.0.1", response).information?.id == id)
    }

    @Test("the header Host is the address of the device, also for a host with a name")
    func hostHeader() async throws {
        let request = try await self.exchange("localhost", Self.good).request
        #expect(request.hasPrefix("GET /setup/eureka_info?params=version,name,build_info,device_info HTTP/1.1\r\nHost: 127.0.0.1\r\n"))
    }

    private func exchange(_ host: String, _ response: String) async throws -> (information: DeviceInformation?, request: String) {
        let request = Locked("")
        let group = MultiThreadedEventLoopGroup.singleton
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OneResponse(response: response, request: request))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let information = await DeviceInformation.read(
            from: DeviceEndpoint(host: host), on: group.any(), port: port, within: .seconds(120))
        try await server.close()
        return (information, request.value)
    }

    private final class OneResponse: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let response: String
        private let request: Locked<String>

        init(response: String, request: Locked<String>) { (self.response, self.request) = (response, request) }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let channel = context.channel
            self.request.value += String(buffer: self.unwrapInboundIn(data))
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: self.response))).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
