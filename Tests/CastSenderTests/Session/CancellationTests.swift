import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("Changes of a cancelled call on a device are cleaned up") struct CancellationTests {
    private static let (source, target) = (ManagerWorld.device(), ManagerWorld.device("bb22", host: "10.0.0.2"))

    private static func world(_ receivers: FakeReceiver...) async -> (ManagerWorld, Task<Void, Never>) {
        let world = ManagerWorld()
        for (index, receiver) in receivers.enumerated() { world.connector.route("10.0.0.\(index + 1)", to: .receiver(receiver)) }
        return (world, await world.run())
    }

    /// Begins a call, cancels it once `moment` has come, and gives its end.
    private static func cancel(
        _ world: ManagerWorld, when moment: () -> Bool, _ body: @escaping @Sendable (SessionManager) async throws(CastError) -> Void
    ) async -> Result<Void, CastError>? {
        let outcome = Locked<Result<Void, CastError>?>(nil)
        let manager = world.manager
        let call = Task {
            do throws(CastError) { outcome.value = .success(try await body(manager)) } catch { outcome.value = .failure(error) }
        }
        #expect(await world.advance(until: moment) != nil)
        call.cancel()
        #expect(await world.advance(until: { outcome.value != nil }) != nil)
        await call.value
        return outcome.value
    }

    private static func code(_ result: Result<Void, CastError>?) -> CastError.Code? {
        if case .failure(let error)? = result { error.code } else { nil }
    }

    @Test("a transfer: the target is stopped, and the source continues")
    func transfer() async throws {
        let (from, to) = (FakeReceiver(), FakeReceiver { ($0.id, $0.loadAnswer) = ("bb22", .nothing) })
        let (world, task) = await Self.world(from, to)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.source) }
        from.set { $0.media = FakeReceiver.Media() }
        from.sendMediaStatus()
        await world.virtual.advance(.milliseconds(20))
        let result = await Self.cancel(world, when: { to.types("cast.media").contains("LOAD") }) { manager throws(CastError) in
            try await manager.transfer(from: "aa11", to: Self.target)
        }
        #expect(Self.code(result) == .cancelled)
        #expect(to.set { $0.application } == nil)
        #expect(await world.manager.state(of: "bb22") == nil)
        #expect(from.set { $0.application } != nil)
        #expect(await world.manager.state(of: "aa11") == .started)
        #expect(await world.end(task) != nil)
    }

    @Test("a start: its application is stopped as soon as it is reported", arguments: [false, true])
    func start(wasRunningBefore: Bool) async throws {
        let receiver = FakeReceiver { if wasRunningBefore { $0.application = FakeReceiver.Application(id: "OTHER") } }
        let (world, task) = await Self.world(receiver)
        receiver.set { $0.delay = .milliseconds(400) }
        let result = await Self.cancel(world, when: { receiver.types("cast.receiver").contains("LAUNCH") }) { manager throws(CastError) in
            try await manager.start(on: Self.source)
        }
        #expect(Self.code(result) == .cancelled)
        #expect(receiver.set { $0.launches } == 1)
        #expect(receiver.set { $0.application } == nil)
        #expect(await world.manager.state(of: "aa11") == nil)
        #expect(await world.end(task) != nil)
    }

    @Test("a start that joined, or was cancelled before it launched, stops nothing")
    func join() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application(id: "OTHER") }
        let (world, task) = await Self.world(receiver)
        receiver.set { $0.delay = .milliseconds(400) }
        let result = await Self.cancel(world, when: { receiver.openConnections == 1 }) { manager throws(CastError) in
            try await manager.start(on: Self.source)
        }
        #expect(Self.code(result) == .cancelled)
        #expect(!receiver.types("cast.receiver").contains("LAUNCH") && !receiver.types("cast.receiver").contains("STOP"))
        #expect(receiver.set { $0.application } != nil)
        #expect(await world.end(task) != nil)
    }

    @Test("an end: the application is still stopped")
    func ending() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.source) }
        let result = await Self.cancel(world, when: { true }) { manager throws(CastError) in
            while !Task.isCancelled { await Task.yield() }
            try await manager.end("aa11", stopsApplication: true)
        }
        #expect(throws: Never.self) { try result?.get() }
        #expect(receiver.set { $0.application } == nil)
        #expect(await world.manager.state(of: "aa11") == nil)
        #expect(await world.end(task) != nil)
    }
}
