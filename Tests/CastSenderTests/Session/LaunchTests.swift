import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct LaunchTests {
    typealias Answer = FakeReceiver.Answer

    private static func launch(_ world: SupervisorWorld, _ application: String = "CC1AD845") async throws
        -> VirtualLoop.Outcome<Result<ReceiverApplication, CastError>>
    {
        let session = try await world.session()
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await session.launch(application) } }
        return try #require(outcome)
    }

    @Test(
        "a launch is recognised in whatever form it is answered",
        arguments: [
            [Answer.reply], [.broadcast], [.launchStatus], [.reply, .broadcast, .launchStatus], [.launchStatus, .broadcast, .reply],
            [.broadcast, .launchStatus, .reply], [.reply, .reply], [.launchStatus, .launchStatus], [.broadcast, .broadcast],
            [.pendingFirst, .reply],
        ])
    func forms(answers: [Answer]) async throws {
        let receiver = FakeReceiver { $0.launchAnswers = answers }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        #expect(throws: Never.self) { try outcome.value.get() }
        // By an answer, not by a time-out. What leaves the loop for a moment lets virtual time pass, so more than that can't be said.
        #expect(outcome.duration < .seconds(1))
        await world.virtual.advance(.milliseconds(100))
        #expect(receiver.types("cast.receiver").filter { $0 == "LAUNCH" }.count == 1)
        #expect(receiver.connectionKind(to: "transport-l1") == 0, "what we launch we hold open")
        #expect(world.log.connections.last == .strong)

        // Nothing of it leaks into the next one.
        let next = try await Self.launch(world, "OTHER")
        #expect(throws: Never.self) { try next.value.get() }
        #expect(receiver.set { $0.launches } == 2)
        _ = await world.end(task)
    }

    @Test("an unanswered launch times out and the next one works; a late answer is ignored")
    func silence() async throws {
        let receiver = FakeReceiver { $0.firstLaunches = [.nothing] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        #expect(Self.code(outcome.value) == .timeout)
        #expect(outcome.duration >= .seconds(59) && outcome.duration <= .seconds(61))
        receiver.sendToAll(
            "urn:x-cast:com.google.cast.receiver", from: "receiver-0", to: "sender-0",
            #"{"type":"LAUNCH_ERROR","requestId":500000005,"reason":"NOT_FOUND"}"#)
        let next = try await Self.launch(world)
        #expect(throws: Never.self) { try next.value.get() }
        _ = await world.end(task)
    }

    @Test("a question to the people gives them two minutes")
    func pending() async throws {
        let receiver = FakeReceiver { $0.firstLaunches = [.pendingFirst] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        // The fake starts the application at once without a status, so only the timeout ends the request.
        #expect(Self.code(outcome.value) == .timeout)
        #expect(outcome.duration >= .seconds(119) && outcome.duration <= .seconds(121))
        _ = await world.end(task)
    }

    @Test("a cancelled launch is tried again twice", arguments: [0, 1, 2, 3])
    func cancelled(times: Int) async throws {
        let receiver = FakeReceiver {
            $0.firstLaunches = Array(repeating: .error(type: "LAUNCH_ERROR", reason: "CANCELLED"), count: times)
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        #expect(receiver.set { $0.launches } == min(times, 2) + 1)
        if times < 3 {
            #expect(throws: Never.self) { try outcome.value.get() }
        } else {
            guard case .failure(let error) = outcome.value else {
                Issue.record("the third cancellation ends it")
                return
            }
            #expect(error.code == .launchRequestCancelled)
            #expect(error.reason == "CANCELLED")
        }
        _ = await world.end(task)
    }

    @Test(
        "a refusal is reported with the receiver's reason",
        arguments: [
            ("LAUNCH_ERROR", "NOT_FOUND", CastError.Code.applicationNotFound), ("LAUNCH_ERROR", "NOT_ALLOWED", .notAllowed),
            ("LAUNCH_ERROR", "TIMEOUT", .timeout), ("INVALID_REQUEST", "INVALID_COMMAND", .unsupportedFeature),
        ])
    func refused(type: String, reason: String, code: CastError.Code) async throws {
        let receiver = FakeReceiver { $0.launchAnswers = [.error(type: type, reason: reason)] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        #expect(Self.code(outcome.value) == code)
        #expect(receiver.set { $0.launches } == 1)
        _ = await world.end(task)
    }

    @Test("a receiver that starts another application gets no load for it", arguments: [[Answer.reply], [.launchStatus]], [false, true])
    func otherApplication(answers: [Answer], isLoad: Bool) async throws {
        let receiver = FakeReceiver { ($0.launchAnswers, $0.launchedInstead) = (answers, "CC1AD845") }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world, "233637DE")
        #expect(Self.code(outcome.value) == .applicationNotRunning)
        #expect(outcome.duration < .seconds(1))
        if isLoad {
            let session = try await world.session()
            let request = MediaLoadRequest(media: MediaInformation(contentID: "abc"))
            let load = await world.virtual.call {
                await result { () async throws(CastError) in try await session.remoteMediaClient.load(request, in: "233637DE") }
            }
            #expect(Self.code(try #require(load).value) == .applicationNotRunning)
        }
        #expect(!receiver.types("cast.media").contains("LOAD"))
        _ = await world.end(task)
    }

    @Test("a launch of an application that runs reaches the device, and the application remains another sender's")
    func join() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application() }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.launch(world)
        #expect(try outcome.value.get().sessionID == "session-1")
        #expect(receiver.types("cast.receiver").contains("LAUNCH") && receiver.set { $0.launches } == 0)
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        _ = await world.end(task)
    }

    @Test("an application without namespaces yet is waited for before it is connected to")
    func namespaces() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application(namespaces: []) }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        #expect(world.log.readyTimes.count == 1)
        #expect(receiver.connectionKind(to: "transport-1") == nil)
        receiver.set { $0.application?.namespaces = ["urn:x-cast:com.google.cast.media"] }
        receiver.sendReceiverStatus()
        await world.virtual.advance(.milliseconds(50))
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        #expect(receiver.types("cast.media") == ["GET_STATUS"])
        _ = await world.end(task)
    }

    @Test("a link that breaks ends the launch as broken, not as never sent")
    func linkBreaks() async throws {
        let receiver = FakeReceiver { $0.launchAnswers = [.nothing] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let loop = world.virtual.loop
        loop.scheduleTask(in: .seconds(3)) { receiver.dropConnections() }
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await session.launch("X") } }
        #expect(Self.code(try #require(outcome).value) == .networkError)
        let later = await world.virtual.call { await result { () async throws(CastError) in try await session.launch("X") } }
        #expect(Self.code(try #require(later).value) == .sessionSuspended)
        #expect(receiver.set { $0.launches } == 1)
        _ = await world.end(task)
    }

    @Test("what was quit before people allowed it is stopped once it starts, unless nothing may be sent by then", arguments: [true, false])
    func unwanted(mayStop: Bool) async throws {
        let receiver = FakeReceiver { $0.firstLaunches = [.pendingFirst] }
        let isAllowed = Locked(true)
        let world = SupervisorWorld(allowsRequests: { isAllowed.value })
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        await world.virtual.advance(.seconds(1))
        let session = try await world.session()
        let launched = Locked<CastError.Code?>(nil)
        let launch = Task { launched.value = Self.code(await result { () async throws(CastError) in try await session.launch("X") }) }
        #expect(await world.advance(until: { receiver.types("cast.receiver").contains("LAUNCH") }) != nil)
        await world.virtual.advance(.seconds(1))
        let quit = await world.virtual.call { await result { () async throws(CastError) in try await session.stopApplication() } }
        #expect(throws: Never.self) { try quit?.value.get() }
        #expect(await world.advance(until: { launched.value == .replaced }) != nil)
        await launch.value
        isAllowed.value = mayStop
        receiver.sendReceiverStatus()
        await world.virtual.advance(.seconds(1))
        #expect(receiver.types("cast.receiver").contains("STOP") == mayStop)
        #expect((receiver.set { $0.application } == nil) == mayStop)
        _ = await world.end(task)
    }

    @Test("ownership outlives the link")
    func ownership() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        _ = try await Self.launch(world)
        await world.virtual.advance(.seconds(1))
        receiver.dropConnections()
        await world.virtual.advance(.seconds(3))
        #expect(world.log.readyTimes.count == 2)
        #expect(receiver.connectionKind(to: "transport-l1") == 0)
        _ = await world.end(task)
    }

    static func code<T>(_ result: Result<T, CastError>) -> CastError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }
}
