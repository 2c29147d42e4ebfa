import CastModels
import CastSender
import CastTestSupport
import Logging
import NIOCore
import Synchronization

/// One device under supervision, in memory and in virtual time.
struct SupervisorWorld: World {
    let virtual: VirtualLoop
    let connector: MemoryConnector
    let log = LinkEventLog()
    let supervisor: DeviceSupervisor

    /// - Parameter random: what the supervisor takes for chance.
    init(
        virtual: VirtualLoop = VirtualLoop(), connector: MemoryConnector? = nil, device: Device.ID? = "aa11",
        endpoints: [DeviceEndpoint] = [DeviceEndpoint(host: "10.0.0.1")], gate: HandshakeGate = HandshakeGate(), isVerified: Bool = true,
        random: @escaping @Sendable () -> Double = { 0.5 }, followsQueue: Bool = false,
        allowsRequests: @escaping @Sendable () -> Bool = { true }
    ) {
        self.virtual = virtual
        self.connector = connector ?? MemoryConnector(virtual)
        let (log, loop) = (self.log, virtual.loop)
        self.supervisor = DeviceSupervisor(
            device: device, endpoints: endpoints, eventLoop: virtual.loop, connector: self.connector, handshakeGate: gate,
            isVerified: isVerified, random: random, followsQueue: followsQueue, allowsRequests: allowsRequests,
            logger: Logger(label: "test"),
            onEvent: { log.add($0, at: loop.now) })
    }

    /// A world with one receiver that is connected and read.
    static func connected(
        to receiver: FakeReceiver, in virtual: VirtualLoop = VirtualLoop(), followsQueue: Bool = false
    ) async -> (SupervisorWorld, Task<Void, Never>) {
        let world = SupervisorWorld(virtual: virtual, followsQueue: followsQueue)
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        return (world, task)
    }

    func run() async -> Task<Void, Never> {
        let supervisor = self.supervisor
        return await self.virtual.start { await supervisor.run() }
    }

    func session() async throws -> CastSession {
        let supervisor = self.supervisor
        guard let session = await supervisor.session else { throw CastError(.deviceNotConnected) }
        return session
    }
}
