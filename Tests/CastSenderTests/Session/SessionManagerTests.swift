import CastModels
import CastProtocol
import CastTestSupport
import Foundation
import NIOCore
import Testing

@testable import CastSender

@Suite struct SessionManagerTests {
    private static let device = ManagerWorld.device()

    private static func world(
        _ receiver: FakeReceiver?, _ change: (inout CastOptions) -> Void = { _ in }
    ) async -> (ManagerWorld, Task<Void, Never>) {
        let world = ManagerWorld(change)
        if let receiver { world.connector.route("10.0.0.1", to: .receiver(receiver)) }
        return (world, await world.run())
    }

    private static func code<T>(_ result: Result<T, CastError>?) -> CastError.Code? {
        if case .failure(let error)? = result { error.code } else { nil }
    }

    @Test("a session starts, ends without stopping the application, and reports every transition")
    func startAndLeave() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        let session = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        #expect(throws: Never.self) { try session?.get() }
        #expect(await world.reported.take() == ["aa11 will start", "aa11 did start"])
        #expect(receiver.connectionKind(to: "transport-l1") == 0)
        #expect(await world.manager.state(of: "aa11") == .started)
        #expect(await world.manager.session(with: "aa11") === (try session?.get()))
        _ = await world.call { manager throws(CastError) in try await manager.end("aa11") }
        #expect(await world.reported.take() == ["aa11 will end", "aa11 ended"])
        try await world.settle(.seconds(1)) { receiver.openConnections == 0 }
        #expect(receiver.openConnections == 0)
        #expect(receiver.set { $0.application } != nil)
        #expect(await world.manager.state(of: "aa11") == nil)
        await world.end(task)
    }

    @Test("ending can stop the application, by option or by word", arguments: [true, false])
    func stop(byOption: Bool) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver) { $0.stopsApplicationWhenEnding = byOption }
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        let end = await world.call { manager throws(CastError) in try await manager.end("aa11", stopsApplication: byOption ? nil : true) }
        #expect(throws: Never.self) { try end?.get() }
        #expect(receiver.set { $0.application } == nil)
        #expect(await world.reported.take().last == "aa11 ended")
        await world.end(task)
    }

    @Test("a running application is joined, and then counts us as a sender", arguments: [nil, "CC1AD845"] as [String?])
    func join(applicationID: String?) async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application() }
        let (world, task) = await Self.world(receiver)
        let session = await world.call { manager throws(CastError) in try await manager.join(Self.device, running: applicationID) }
        #expect(throws: Never.self) { try session?.get() }
        await world.virtual.advance(.seconds(30))
        #expect(receiver.connectionKind(to: "transport-1") == 0)
        #expect(receiver.set { $0.launches } == 0)
        let record = await world.manager.record(of: "aa11")
        #expect(record?.isOwned == false)
        #expect(record?.sessionID == "session-1")
        await world.end(task)
    }

    @Test("joining a missing application fails and leaves no session behind", arguments: [false, true])
    func joinNothing(isOtherRunning: Bool) async throws {
        let receiver = FakeReceiver { $0.application = isOtherRunning ? FakeReceiver.Application(id: "OTHER") : nil }
        let (world, task) = await Self.world(receiver)
        let session = await world.call { manager throws(CastError) in try await manager.join(Self.device, running: "CC1AD845") }
        #expect(Self.code(session) == .applicationNotRunning)
        #expect(await world.reported.take() == ["aa11 will start", "aa11 failed to start: application not running"])
        try await world.settle(.seconds(1)) { receiver.openConnections == 0 }
        #expect(receiver.openConnections == 0)
        await world.end(task)
    }

    @Test(
        "a failed start reports the reason",
        arguments: [
            (FakeReceiver.Answer.error(type: "LAUNCH_ERROR", reason: "NOT_FOUND"), CastError.Code.applicationNotFound),
            (.error(type: "LAUNCH_ERROR", reason: "CANCELLED"), .launchRequestCancelled), (.nothing, .timeout),
        ])
    func launchFails(answer: FakeReceiver.Answer, code: CastError.Code) async throws {
        let receiver = FakeReceiver { $0.launchAnswers = [answer] }
        let (world, task) = await Self.world(receiver)
        let session = await world.call { manager throws(CastError) in try await manager.start(on: Self.device, launching: "X") }
        #expect(Self.code(session) == code)
        #expect(await world.reported.take() == ["aa11 will start", "aa11 failed to start: \(code)"])
        #expect(await world.manager.state(of: "aa11") == nil)
        await world.end(task)
    }

    @Test("a device that can't be reached fails the start in time with the reason, and isn't tried any longer")
    func unreachable() async throws {
        let (world, task) = await Self.world(nil) { $0.connectTimeout = .seconds(7) }
        let start = world.virtual.now
        let session = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        #expect(Self.code(session) == .networkError)
        #expect(world.virtual.now - start < .seconds(8))
        await world.virtual.advance(.seconds(1))
        let attempts = world.connector.attempts.count
        await world.virtual.advance(.minutes(2))
        #expect(world.connector.attempts.count == attempts)
        await world.end(task)
    }

    @Test("waiting for the viewers' permission is a separate state")
    func permission() async throws {
        let receiver = FakeReceiver { $0.firstLaunches = [.pendingFirst] }
        let (world, task) = await Self.world(receiver)
        let seen = Locked<[SessionState]>([])
        let states = world.manager.sessions
        let watcher = Task {
            for await list in states { if let state = list.first?.state, seen.value.last != state { seen.value += [state] } }
        }
        let loop = world.virtual.loop
        let answer = loop.scheduleTask(in: .seconds(90)) { receiver.sendReceiverStatus() }
        let session = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        answer.cancel()
        #expect(throws: Never.self) { try session?.get() }
        #expect(await world.reported.take() == ["aa11 will start", "aa11 waits", "aa11 did start"])
        #expect(seen.value.contains(.waitingForPermission))
        watcher.cancel()
        await world.end(task)
    }

    @Test("a broken link suspends the session, which resumes by itself over a new one")
    func suspendAndResume() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        let first = try await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }?.get()
        _ = await world.reported.take()
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(10))
        #expect(await world.reported.take() == ["aa11 suspended: networkError"])
        await world.virtual.advance(.seconds(3))
        #expect(await world.reported.take() == ["aa11 will resume", "aa11 did resume"])
        #expect(await world.manager.session(with: "aa11") === first)
        #expect(receiver.connectionKind(to: "transport-l1") == 0)
        #expect(receiver.set { $0.launches } == 1)
        await world.end(task)
    }

    @Test("a session whose application ended meanwhile doesn't resume", arguments: [false, true])
    func endedMeanwhile(isReplaced: Bool) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        _ = await world.reported.take()
        receiver.dropConnections()
        receiver.set { $0.application = isReplaced ? FakeReceiver.Application(sessionID: "another run") : nil }
        await world.virtual.advance(.seconds(3))
        #expect(
            await world.reported.take() == [
                "aa11 suspended: networkError", "aa11 will resume", "aa11 failed to resume: application not running",
            ])
        #expect(await world.manager.state(of: "aa11") == nil)
        await world.end(task)
    }

    @Test(
        "the policy sets how long a suspended session waits",
        arguments: [(ResumePolicy.never, 1), (.within(.seconds(60)), 60), (.always, nil)] as [(ResumePolicy, Int?)])
    func policy(policy: ResumePolicy, seconds: Int?) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver) { $0.resumePolicy = policy }
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        world.connector.route("10.0.0.1", to: .refuse)
        receiver.dropConnections()
        if let seconds {
            await world.virtual.advance(.seconds(Int64(seconds - 1)))
            if policy != .never { #expect(await world.manager.state(of: "aa11") == .suspended(.networkError)) }
            await world.virtual.advance(.seconds(2))
            #expect(await world.manager.state(of: "aa11") == nil)
            let last = await world.reported.take().last
            #expect(last == (policy == .never ? "aa11 ended: network error" : "aa11 failed to resume: timeout"))
        } else {
            await world.virtual.advance(.hours(24))
            #expect(await world.manager.state(of: "aa11") == .suspended(.networkError))
            world.connector.route("10.0.0.1", to: .receiver(receiver))
            await world.virtual.advance(.seconds(30))
            #expect(await world.manager.state(of: "aa11") == .started)
        }
        await world.end(task)
    }

    @Test("a session can be left and taken up again")
    func leave() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        _ = await world.reported.take()
        try await world.manager.suspend("aa11")
        try await world.settle(.minutes(10)) { receiver.openConnections == 0 }
        #expect(receiver.openConnections == 0)
        #expect(await world.manager.state(of: "aa11") == .suspended(.appBackgrounded))
        await #expect(throws: CastError.self) { try await world.manager.suspend("aa11") }
        let session = await world.call { manager throws(CastError) in try await manager.resume("aa11") }
        #expect(throws: Never.self) { try session?.get() }
        #expect(await world.reported.take() == ["aa11 suspended: appBackgrounded", "aa11 will resume", "aa11 did resume"])
        #expect(receiver.connectionKind(to: "transport-l1") == 0)
        await world.end(task)
    }

    @Test("a record outlives the process, if the application does", arguments: [true, false])
    func record(isStillRunning: Bool) async throws {
        let receiver = FakeReceiver()
        let (first, firstTask) = await Self.world(receiver)
        _ = await first.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        let stored = try JSONEncoder().encode(try #require(await first.manager.record(of: "aa11")))
        await first.end(firstTask)
        #expect(await first.reported.take().last == "aa11 suspended: appTerminated")
        if !isStillRunning { receiver.set { $0.application = nil } }

        let (world, task) = await Self.world(receiver)
        let record = try JSONDecoder().decode(SessionRecord.self, from: stored)
        let session = await world.call { manager throws(CastError) in try await manager.resume(from: record) }
        if isStillRunning {
            #expect(throws: Never.self) { try session?.get() }
            #expect(await world.reported.take() == ["aa11 will resume", "aa11 did resume"])
            #expect(receiver.connectionKind(to: "transport-l1") == 0)
            #expect(await world.manager.record(of: "aa11") == record)
            #expect(receiver.set { $0.launches } == 1)
        } else {
            #expect(Self.code(session) == .applicationNotRunning)
            #expect(await world.reported.take() == ["aa11 will resume", "aa11 failed to resume: application not running"])
        }
        await world.end(task)
    }

    @Test("an application that another sender ends or replaces ends the session", arguments: [false, true])
    func endedByOthers(isReplaced: Bool) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await Self.world(receiver)
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        _ = await world.reported.take()
        receiver.set { $0.application = isReplaced ? FakeReceiver.Application(id: "OTHER", sessionID: "other") : nil }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(10))
        #expect(await world.reported.take() == ["aa11 ended: application not running"])
        await world.end(task)
    }

    @Test("one session per device, many devices, and a missing session cannot be ended")
    func manyDevices() async throws {
        let (world, task) = await Self.world(FakeReceiver())
        for index in 2...20 { world.connector.route("10.0.0.\(index)", to: .receiver(FakeReceiver { $0.id = "device\(index)" })) }
        _ = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        let again = await world.call { manager throws(CastError) in try await manager.start(on: Self.device) }
        #expect(Self.code(again) == .duplicateRequest)
        for index in 2...20 {
            let device = ManagerWorld.device("device\(index)", host: "10.0.0.\(index)")
            let session = await world.call { manager throws(CastError) in try await manager.start(on: device) }
            #expect(throws: Never.self) { try session?.get() }
        }
        var lists = world.manager.sessions.makeAsyncIterator()
        let list = await lists.next()
        #expect(list?.count == 20)
        #expect(list?.map(\.device.friendlyName) == list?.map(\.device.friendlyName).sorted())
        let end = await world.call { manager throws(CastError) in try await manager.end("nobody") }
        #expect(Self.code(end) == .sessionIsNotActive)
        await world.end(task)
        #expect(await lists.next()?.count == 20)
    }

    @Test("a start can be given up: by ending it, or by cancelling its task", arguments: [true, false])
    func givenUp(byEnding: Bool) async throws {
        let receiver = FakeReceiver { $0.launchAnswers = [.nothing] }
        let (world, task) = await Self.world(receiver)
        let ended = Locked<CastError.Code?>(nil)
        let manager = world.manager
        let start = Task { () async in
            do throws(CastError) { _ = try await manager.start(on: Self.device) } catch { ended.value = error.code }
        }
        try await world.settle(.seconds(2)) { !world.connector.attempts.isEmpty }
        if byEnding { try await manager.end("aa11") } else { start.cancel() }
        // One that was launched is waited for, so that it can be stopped.
        await world.advance(until: { ended.value != nil })
        #expect(ended.value == .cancelled)
        #expect(await world.reported.take() == ["aa11 will start", "aa11 failed to start: cancelled"])
        await world.end(task)
    }

    @Test("a group whose leader changes continues at its new address")
    func leaderMoves() async throws {
        let receiver = FakeReceiver { $0.id = "bb22" }
        let (world, task) = await Self.world(nil)
        world.connector.route("10.0.0.5:42000", to: .receiver(receiver))
        var group = ManagerWorld.device("bb22")
        group.capabilities = [.multizoneGroup, .audioOut]
        group.endpoints = [DeviceEndpoint(host: "10.0.0.5", port: 42000)]
        let start = group
        _ = await world.call { manager throws(CastError) in try await manager.start(on: start) }
        _ = await world.reported.take()
        world.connector.route("10.0.0.5:42000", to: .refuse)
        world.connector.route("10.0.0.6:43000", to: .receiver(receiver))
        receiver.dropConnections()
        await world.virtual.advance(.seconds(2))
        group.endpoints = [DeviceEndpoint(host: "10.0.0.6", port: 43000)]
        await world.manager.discovered(.addressesChanged(group))
        await world.virtual.advance(.seconds(3))
        #expect(
            await world.reported.take() == [
                "bb22 suspended: networkError", "bb22 will resume", "bb22 did resume", "bb22 leader moved to 10.0.0.6:43000",
            ])
        await world.end(task)
    }

    @Test("a record of a device that has moved since is resumed where discovery sees it")
    func movedRecord() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application() }
        let (world, task) = await Self.world(nil)
        world.connector.route("10.0.0.9", to: .receiver(receiver))
        await world.manager.discovered(.found(ManagerWorld.device(host: "10.0.0.9")))
        let record = SessionRecord(
            deviceID: "aa11", friendlyName: "Device", endpoints: [DeviceEndpoint(host: "10.0.0.1")], applicationID: "CC1AD845",
            sessionID: "session-1")
        let session = await world.call { manager throws(CastError) in try await manager.resume(from: record) }
        #expect(throws: Never.self) { try session?.get() }
        #expect(world.connector.attempts.map(\.address) == ["10.0.0.9"])
        #expect(receiver.connectionKind(to: "transport-1") == 0)
        await world.end(task)
    }
}
