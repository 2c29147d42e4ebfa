import CastModels
import CastProtocol
import CastTestSupport
import EventLoopTiming
import NIOCore
import Testing

@testable import CastSender

@Suite struct DeviceRequestTests {
    private static func volume(_ level: String, control: String = "attenuation", step: String = "0.05") -> String {
        #"{"type":"RECEIVER_STATUS","requestId":0,"status":{"volume":{"level":\#(level),"muted":false,"controlType":"\#(control)","stepInterval":\#(step)}}}"#
    }

    private static func send(_ receiver: FakeReceiver, _ world: SupervisorWorld, _ text: String) async {
        receiver.sendToAll(CastNamespace.receiver, from: "receiver-0", to: "*", text)
        await world.virtual.advance(.milliseconds(10))
    }

    @Test(
        "steps go by the device's own interval and stay within 0 to 1",
        arguments: [
            (level: "0.5", step: "0.02", steps: 1, wanted: 0.52), ("0.5", "0.02", -3, 0.44), ("0.5", "0", 2, 0.6), ("0.99", "0.05", 1, 1),
            ("0.01", "0.05", -4, 0),
        ] as [(level: String, step: String, steps: Int, wanted: Double)])
    func steps(level: String, step: String, steps: Int, wanted: Double) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await Self.send(receiver, world, Self.volume(level, step: step))
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.changeDeviceVolume(bySteps: steps) }
        }
        #expect(throws: Never.self) { try outcome?.value.get() }
        let sent = receiver.journal.last { $0.type == "SET_VOLUME" }?.body["volume"]?["level"]?.doubleValue
        #expect(abs(try #require(sent) - wanted) < 1e-9)
        _ = await world.end(task)
    }

    @Test(
        "what doesn't fit is refused before anything is sent",
        arguments: [
            (0.5, "fixed", CastError.Code.unsupportedFeature), (.nan, "attenuation", .invalidRequest), (1.01, "master", .invalidRequest),
            (-0.01, "master", .invalidRequest), (.infinity, "master", .invalidRequest),
        ])
    func refused(level: Double, control: String, code: CastError.Code) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await Self.send(receiver, world, Self.volume("0.3", control: control))
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setDeviceVolume(level: level) }
        }
        #expect(LaunchTests.code(try #require(outcome).value) == code)
        #expect(!receiver.types("cast.receiver").contains("SET_VOLUME"))
        _ = await world.end(task)
    }

    @Test("one request too many that waits for a condition fails at once")
    func waitLimit() async throws {
        let (world, task) = await SupervisorWorld.connected(to: FakeReceiver())
        let session = try await world.session()
        let waiting = (0..<ConditionWaiters.limit).map { _ in Task { try? await session.wait(.seconds(60)) { _ in false } } }
        await world.virtual.advance(.milliseconds(10))
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in _ = try await session.wait(.seconds(60)) { _ in false } }
        }
        #expect(LaunchTests.code(try #require(outcome).value) == .sendBufferFull)
        _ = await world.end(task)
        for waiter in waiting { _ = await waiter.value }
    }

    @Test("an answer with the wanted status leaves no timer behind")
    func alarmOfAnswered() async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.setDeviceVolume(level: 0.2) }
        }
        #expect(LaunchTests.code(try #require(outcome).value) == nil)
        let loop = world.virtual.loop
        #expect(try await loop.executeInContext { session.assumeIsolated { $0.connection.deadline?.time } } == nil)
        _ = await world.end(task)
    }

    @Test("a newer level takes the place of an unanswered one; mute doesn't")
    func replaced() async throws {
        let receiver = FakeReceiver { $0.volumeAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcomes = Locked<[String: Optional<CastError.Code>]>([:])
        let loop = world.virtual.loop
        let answer = loop.scheduleTask(in: .seconds(1)) { receiver.sendReceiverStatus() }
        _ = await world.virtual.call {
            await withTaskGroup(of: (String, Optional<CastError.Code>).self) { group in
                for (name, delay) in [("first", 0), ("mute", 50), ("second", 100)] {
                    group.addTask {
                        await sleep(.milliseconds(Int64(delay)), on: loop)
                        let end = await result { () async throws(CastError) in
                            if name == "mute" {
                                try await session.setDeviceMuted(true)
                            } else {
                                try await session.setDeviceVolume(level: name == "first" ? 0.1 : 0.2)
                            }
                        }
                        return (name, LaunchTests.code(end))
                    }
                }
                for await (name, code) in group { outcomes.value[name] = .some(code) }
            }
        }
        answer.cancel()
        #expect(outcomes.value["first"] == .some(.replaced))
        #expect(outcomes.value["second"] == .some(nil))
        #expect(outcomes.value["mute"] == .some(nil))
        _ = await world.end(task)
    }

    @Test("the device reports which applications it can run")
    func availability() async throws {
        let receiver = FakeReceiver {
            $0.script = { entry in
                guard entry.type == "GET_APP_AVAILABILITY" else { return nil }
                let id = entry.body["requestId"]?.intValue ?? 0
                return [
                    (
                        "",
                        #"{"responseType":"GET_APP_AVAILABILITY","requestId":\#(id),"availability":{"A":"APP_AVAILABLE","B":"APP_UNAVAILABLE","C":"APP_MAYBE"}}"#
                    )
                ]
            }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.applicationAvailability(["A", "B", "C", "D"]) }
        }
        let answer = try #require(outcome).value.get()
        #expect(answer == ["A": .available, "B": .unavailable, "C": ApplicationAvailability(rawValue: "APP_MAYBE")])
        #expect(receiver.journal.last { $0.type == "GET_APP_AVAILABILITY" }?.body["appId"] == ["A", "B", "C", "D"])
        let none = await world.virtual.call {
            await result { () async throws(CastError) in try await session.applicationAvailability([]) }
        }
        #expect(LaunchTests.code(try #require(none).value) == .invalidRequest)
        _ = await world.end(task)
    }

    @Test("a session reports its events and its newest states to every reader")
    func observation() async throws {
        let receiver = FakeReceiver { $0.firstLaunches = [.pendingFirst] }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        var events = await session.events.makeAsyncIterator()
        var receivers = await session.receiverStatuses.makeAsyncIterator()
        var media = await session.mediaStatuses.makeAsyncIterator()
        #expect(await receivers.next()??.application == nil)
        #expect(await media.next() == .some(nil))
        let loop = world.virtual.loop
        let allowed = loop.scheduleTask(in: .seconds(70)) { receiver.sendReceiverStatus() }
        let launched = await world.virtual.call { await result { () async throws(CastError) in try await session.launch("X") } }
        allowed.cancel()
        #expect(throws: Never.self) { try launched?.value.get() }
        #expect(await events.next() == .event(.application(ApplicationSession(.launching))))
        #expect(await events.next() == .event(.application(ApplicationSession(.waitingForPermission))))
        #expect(await receivers.next()??.application?.applicationID == "X")
        receiver.set { $0.media = FakeReceiver.Media() }
        receiver.sendMediaStatus()
        await world.virtual.advance(.milliseconds(10))
        #expect(await media.next()??.mediaSessionID == 1)
        receiver.dropConnections()
        await world.virtual.advance(.milliseconds(10))
        _ = await world.end(task)
        var all: [EventSequence<CastLinkEvent>.Element] = []
        while let event = await events.next() { all.append(event) }
        #expect(all.contains(.event(.disconnected(CastError(.networkError, detail: "the device closed the link")))))
        #expect(await media.next() == nil)
    }

    @Test(
        "launch options go out as receivers expect them",
        arguments: [
            (LaunchOptions(), #"{"appId":"X","language":"en-US","supportedAppTypes":["WEB","ANDROID_TV"]}"#),
            (LaunchOptions(languageCode: nil, androidReceiverCompatible: false), #"{"appId":"X","supportedAppTypes":["WEB"]}"#),
            (
                LaunchOptions(languageCode: "de", credentials: "token", credentialsType: "web", appParams: ["k": 1]),
                #"{"appId":"X","language":"de","supportedAppTypes":["WEB","ANDROID_TV"],"appParams":{"k":1,"launchCheckerParams":{"credentialsData":{"credentials":"token","credentialsType":"web"}}}}"#
            ),
        ])
    func launchOptions(options: LaunchOptions, json: String) throws {
        let text = try ReceiverRequest.launch(.init(applicationID: "X", options: options)).text(requestID: 1)
        var object = try #require(try JSONParser.parse(text).objectValue)
        object["type"] = nil
        object["requestId"] = nil
        #expect(try JSONValue.object(object) == JSONParser.parse(json))
    }

    @Test("a running application is stopped first when it is to be launched again")
    func relaunch() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application(id: "X") }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.launch("X", options: LaunchOptions(relaunchIfRunning: true)) }
        }
        #expect(try outcome?.value.get().sessionID == "launched-1")
        #expect(receiver.types("cast.receiver").filter { $0 == "STOP" || $0 == "LAUNCH" } == ["STOP", "LAUNCH"])
        _ = await world.end(task)
    }

    @Test("joining makes the application count us; nothing to join is an error")
    func join() async throws {
        let receiver = FakeReceiver { $0.application = FakeReceiver.Application() }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let session = try await world.session()
        await #expect(throws: CastError.self) { try await session.join("OTHER") }
        #expect(receiver.connectionKind(to: "transport-1") == 2)
        let joined = await world.virtual.call { await result { () async throws(CastError) in try await session.join() } }
        #expect(try joined?.value.get().sessionID == "session-1")
        await world.virtual.advance(.seconds(20))
        #expect(receiver.connectionKind(to: "transport-1") == 0)
        #expect(world.log.connections.last == .strong)
        _ = await world.end(task)
    }
}
