import CastModels
import CastSender
import Logging
import NIOCore
import Synchronization

/// What a supervisor told, and when.
final class EventLog: Sendable {
    private let entries = Mutex<[(at: NIODeadline, event: CastLinkEvent)]>([])

    func add(_ event: CastLinkEvent, at now: NIODeadline) { self.entries.withLock { $0.append((now, event)) } }

    var all: [(at: NIODeadline, event: CastLinkEvent)] { self.entries.withLock { $0 } }
    var events: [CastLinkEvent] { self.all.map(\.event) }

    func times(where matches: (CastLinkEvent) -> Bool) -> [NIODeadline] { self.all.filter { matches($0.event) }.map(\.at) }

    var readyTimes: [NIODeadline] { self.times { if case .ready = $0 { true } else { false } } }

    var lossTimes: [NIODeadline] { self.times { if case .disconnected = $0 { true } else { false } } }

    var lastMedia: MediaStatus? {
        for event in self.events.reversed() {
            switch event {
            case .mediaStatus(let status), .ready(_, let status): return status
            default: continue
            }
        }
        return nil
    }

    var connections: [ApplicationConnection.Kind] {
        self.events.compactMap { if case .applicationConnection(let connection) = $0 { connection.kind } else { nil } }
    }

    func clear() { self.entries.withLock { $0 = [] } }
}

/// One device under supervision, in memory and in virtual time.
struct World: Sendable {
    let virtual: VirtualLoop
    let connector: MemoryConnector
    let log = EventLog()
    let supervisor: DeviceSupervisor
    private let ended = Locked<NIODeadline?>(nil)

    /// - Parameter random: what the supervisor takes for chance.
    init(
        virtual: VirtualLoop = VirtualLoop(), connector: MemoryConnector? = nil, device: Device.ID? = "aa11",
        endpoints: [DeviceEndpoint] = [DeviceEndpoint(host: "10.0.0.1")], gate: HandshakeGate = HandshakeGate(),
        random: @escaping @Sendable () -> Double = { 0.5 }, followsQueue: Bool = false
    ) {
        self.virtual = virtual
        self.connector = connector ?? MemoryConnector(virtual)
        let (log, loop) = (self.log, virtual.loop)
        self.supervisor = DeviceSupervisor(
            device: device, endpoints: endpoints, eventLoop: virtual.loop, connector: self.connector, handshakeGate: gate, random: random,
            followsQueue: followsQueue, logger: Logger(label: "test"), onEvent: { log.add($0, at: loop.now) })
    }

    /// A world with one receiver that is connected and read.
    static func connected(to receiver: FakeReceiver, followsQueue: Bool = false) async -> (World, Task<Void, Never>) {
        let world = World(followsQueue: followsQueue)
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        return (world, task)
    }

    func run() async -> Task<Void, Never> {
        let (supervisor, ended, loop) = (self.supervisor, self.ended, self.virtual.loop)
        return await self.virtual.start {
            await supervisor.run()
            ended.value = loop.now
        }
    }

    /// Ends the supervision and gives the virtual time that took; `nil` when it isn't over after 5 s of it.
    func end(_ task: Task<Void, Never>) async -> TimeAmount? {
        let start = self.virtual.now
        task.cancel()
        await self.virtual.loop.run()
        for _ in 0..<5000 where self.ended.value == nil { await self.virtual.advance(.milliseconds(1)) }
        return self.ended.value.map { $0 - start }
    }

    func session() async throws -> CastSession {
        let supervisor = self.supervisor
        guard let session = await supervisor.session else { throw CastError(.deviceNotConnected) }
        return session
    }
}
