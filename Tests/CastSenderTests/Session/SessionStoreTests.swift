import CastModels
import CastTestSupport
import Foundation
import NIOCore
import Synchronization
import Testing

@testable import CastSender

@Suite struct SessionStoreTests {
    /// A store in memory that counts.
    private final class MemoryStore: SessionStore {
        let records: Mutex<[SessionRecord]>
        let saves = Locked(0)
        let isBroken: Bool

        init(_ records: [SessionRecord] = [], isBroken: Bool = false) {
            self.records = Mutex(records)
            self.isBroken = isBroken
        }

        var ids: [Device.ID] { self.records.withLock { $0.map(\.deviceID) } }

        func load() async throws -> [SessionRecord] {
            if self.isBroken { throw CastError(.invalidRequest, detail: "no list") }
            return self.records.withLock { $0 }
        }

        func save(_ records: [SessionRecord]) async throws {
            self.saves.value += 1
            if self.isBroken { throw CastError(.unknown, detail: "full") }
            self.records.withLock { $0 = records }
        }
    }

    private static let device = ManagerWorld.device()
    private static let record = SessionRecord(
        deviceID: "aa11", friendlyName: "Device aa11", endpoints: [DeviceEndpoint(host: "10.0.0.1")], applicationID: "CC1AD845",
        sessionID: "session-1", isOwned: true)

    private static func world(
        _ store: any SessionStore, _ receiver: FakeReceiver?, policy: ResumePolicy = .within(.seconds(60))
    ) async -> (ManagerWorld, Task<Void, Never>) {
        let world = ManagerWorld {
            $0.sessionStore = store
            $0.resumePolicy = policy
        }
        if let receiver { world.connector.route("10.0.0.1", to: .receiver(receiver)) }
        return (world, await world.run())
    }

    @Test("a session is stored while it lasts, also over the end of the program")
    func saved() async throws {
        let (store, receiver) = (MemoryStore(), FakeReceiver())
        var (world, task) = await Self.world(store, receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        try await world.settle { store.ids == ["aa11"] }
        #expect(store.ids == ["aa11"])
        await world.end(task)
        #expect(store.ids == ["aa11"], "another run resumes it")
        (world, task) = await Self.world(store, receiver)
        #expect(await world.reported(within: .seconds(120)) { $0.last == "aa11 did resume" } == ["aa11 will resume", "aa11 did resume"])
        let owned = await world.manager.record(of: "aa11")?.isOwned
        #expect(owned == true)
        _ = await world.call { manager throws(CastError) in try await manager.end("aa11") }
        try await world.settle { store.ids.isEmpty }
        #expect(store.ids == [])
        await world.end(task)
    }

    @Test("a session that began just before the end is stored")
    func late() async {
        let (store, receiver) = (MemoryStore(), FakeReceiver())
        let (world, task) = await Self.world(store, receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        await world.end(task)
        #expect(store.ids == ["aa11"])
    }

    @Test("a stored session is not resumed when its application has ended, when its device stays offline, or when the policy forbids it")
    func notResumed() async throws {
        for isReachable in [true, false] {
            let store = MemoryStore([Self.record])
            let (world, task) = await Self.world(store, isReachable ? FakeReceiver() : nil)
            let code = isReachable ? "application not running" : "timeout"
            let last = "aa11 failed to resume: \(code)"
            #expect(await world.reported(within: .seconds(120)) { $0.last == last } == ["aa11 will resume", last])
            try await world.settle { store.ids.isEmpty }
            #expect(store.ids == [])
            await world.end(task)
        }
        let store = MemoryStore([Self.record])
        let (world, task) = await Self.world(store, FakeReceiver { $0.application = FakeReceiver.Application() }, policy: .never)
        #expect(await world.reported(within: .seconds(2)) { _ in false } == [])
        await world.end(task)
        #expect(store.ids == ["aa11"], "left alone")
    }

    @Test("a session is resumed when its device is online again within the policy's time")
    func later() async {
        let (store, receiver) = (MemoryStore([Self.record]), FakeReceiver { $0.application = FakeReceiver.Application() })
        let (world, task) = await Self.world(store, nil)
        _ = await world.reported(within: .seconds(40)) { _ in false }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        #expect(await world.reported(within: .seconds(120)) { $0.last == "aa11 did resume" }.last == "aa11 did resume")
        #expect(store.ids == ["aa11"])
        await world.end(task)
    }

    @Test("a store that fails changes nothing about sessions")
    func broken() async throws {
        let (store, receiver) = (MemoryStore(isBroken: true), FakeReceiver())
        let (world, task) = await Self.world(store, receiver)
        let session = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        #expect(throws: Never.self) { try session?.get() }
        try await world.settle { store.saves.value > 0 }
        #expect(store.saves.value > 0)
        await world.end(task)
    }

    @Test("a file keeps its records, is readable by its owner only, and is not treated as empty when it is damaged")
    func file() async throws {
        let path = NSTemporaryDirectory() + "sessions-\(UUID().uuidString).json"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = SessionFile(path: path)
        #expect(try await file.load() == [])
        try await file.save([Self.record])
        #expect(try await file.load() == [Self.record])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        try await file.save([])
        #expect(try await file.load() == [])
        for text in ["", "{}", #"[{"deviceID":1}]"#, String(repeating: " ", count: SessionFile.sizeLimit + 1)] {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            await #expect(throws: CastError.self, "\(text.prefix(20))") { try await file.load() }
        }
        await #expect(throws: CastError.self) { try await SessionFile(path: path + "/none").save([]) }
        await #expect(throws: CastError.self) { try await SessionFile(path: NSTemporaryDirectory()).load() }
    }
}
