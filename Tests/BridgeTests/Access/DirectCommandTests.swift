import BridgeCore
import CastReceiverSimulator
import CastTestSupport
import NIOCore
import Synchronization
import Testing

@testable import Bridge

@Suite("Commands beside MQTT", .timeLimit(.minutes(10)))
struct DirectCommandTests {
    /// Sends a command and gives the virtual time until it is answered.
    private func perform(
        _ topic: String, _ payload: String = "", by caller: String = "test", in world: BridgeWorld
    ) async throws -> DirectAnswer {
        let answer = Locked<DirectAnswer?>(nil)
        let bridge = world.bridge
        let task = Task { answer.value = await bridge.perform(topic, payload: Array(payload.utf8), by: caller) }
        _ = await world.advance(until: { answer.value != nil }, limit: .seconds(70))
        task.cancel()
        return try #require(answer.value)
    }

    private final class Answers: Sendable {
        private let state = Mutex<[DirectAnswer]>([])
        var value: [DirectAnswer] { self.state.withLock { $0 } }
        func add(_ answer: DirectAnswer) { self.state.withLock { $0.append(answer) } }
    }

    private func text(_ answer: DirectAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test("are done by the device and answered, and not over MQTT")
    func answered() async throws {
        let world = try await BridgeWorld.settled()
        world.broker.clearJournal()
        let answer = try await self.perform("\(world.slug())/set", #"{"volume":33,"id":"w1"}"#, in: world)
        #expect(answer.code == .done && !answer.isError)
        #expect(self.text(answer).contains(#""id":"w1","device":"\#(world.slug())","cmd":"set","status":"ok","code":"done""#))
        #expect(self.text(answer).hasPrefix(#"{"schema":1,"ts":""#))
        #expect(world.devices[0].received("SET_VOLUME") == 1)
        #expect(world.answers("w1") == [])
        await world.end()
    }

    @Test(
        "one that can't be done is answered with the code of MQTT",
        arguments: [
            ("nobody/cmd/pause", "", AnswerCode.unknownDevice), ("DEVICE/cmd/dance", "", .unknownCommand),
            ("DEVICE/set/volume", "loud", .badPayload), ("DEVICE/cmd/pause", "", .noSession), ("DEVICE/state", "", .unknownCommand),
            ("all/cmd/stop", "", .forbidden), ("bridge/request/dance", "", .unknownCommand), ("client/a/cmd/pause", "", .unknownCommand),
            ("DEVICE/cmd/pause", #"{"expires_at":"2001-01-01T00:00:00Z"}"#, .expired), ("", "", .unknownCommand),
        ])
    func failureCodes(topic: String, payload: String, code: AnswerCode) async throws {
        let world = try await BridgeWorld.settled()
        world.broker.clearJournal()
        let answer = try await self.perform(topic.replacing("DEVICE", with: world.slug()), payload, in: world)
        #expect(answer.code == code && answer.isError)
        #expect(self.text(answer).contains(#""status":"error","code":"\#(code.rawValue)""#))
        #expect(!world.broker.journal.contains { $0.topic.hasSuffix("/error") || $0.topic.hasSuffix("/response") })
        await world.end()
    }

    @Test("those of two callers are two, whatever their ids, and a repeat is one")
    func twoCallers() async throws {
        let world = try await BridgeWorld.settled()
        let volume = #"{"volume":33,"id":7}"#
        let codes = [
            try await self.perform("\(world.slug())/get/state", #"{"id":7}"#, by: "token view", in: world),
            try await self.perform("\(world.slug())/set", volume, by: "token control", in: world),
            try await self.perform("\(world.slug())/set", volume, by: "token control", in: world),
            try await self.perform("\(world.slug())/set", volume, by: "session", in: world),
            try await self.perform("\(world.slug())/set", #"{"muted":true,"id":7}"#, by: "session", in: world),
        ].map(\.code)
        #expect(codes == [.done, .done, .duplicate, .done, .done])
        #expect(world.devices[0].received("SET_VOLUME") == 3)
        await world.end()
    }

    @Test("one to all devices or to the bridge has one answer")
    func oneAnswer() async throws {
        let world = try await BridgeWorld.settled(devices: 3, configure: { $0.commands.isFanOutEnabled = true })
        let answer = try await self.perform("all/set/volume", "20", in: world)
        #expect(answer.code == .done)
        #expect(self.text(answer).contains(#""device":"all""#))
        for device in world.devices { #expect(device.received("SET_VOLUME") == 1) }
        let health = try await self.perform("bridge/request/health_check", in: world)
        #expect(self.text(health).contains(#""data":{"healthy":true}"#))
        await world.end()
    }

    @Test("work without a broker")
    func withoutBroker() async throws {
        let world = try await BridgeWorld.settled()
        try await world.act { world.broker.stop(losingStore: false) }
        await world.advance(.seconds(20))
        #expect(try await self.perform("\(world.slug())/set/volume", "33", in: world).code == .done)
        await world.end()
    }

    @Test("one to a device that is off is answered at once")
    func deviceOff() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(.off) }
        await world.advance(.seconds(20))
        #expect(try await self.perform("\(world.slug())/cmd/pause", in: world).code == .deviceOffline)
        await world.end()
    }

    @Test("are answered at once to a caller that is cancelled, and make room for others")
    func cancelledCaller() async throws {
        let world = try await BridgeWorld.settled(devices: 20)
        try await world.act { for device in world.devices { device.set(.frozen) } }
        let answers = Answers()
        let bridge = world.bridge
        let count = DirectCommands.maximumCount / 2
        for round in 1...2 {
            // One more than there is room for.
            let tasks = (0...count).map { number in
                Task { answers.add(await bridge.perform("\(world.slug(number % 20))/get/state", payload: [], by: "test")) }
            }
            _ = await world.advance(until: { answers.value.count > (round - 1) * (count + 1) }, limit: .seconds(1))
            for task in tasks { task.cancel() }
            // The devices never answer.
            _ = await world.advance(until: { answers.value.count >= round * (count + 1) }, limit: .seconds(1))
            let own = answers.value.dropFirst((round - 1) * (count + 1))
            #expect(own.count { $0.code == .rateLimited } == 1)
            #expect(own.count { self.text($0).contains("the caller was cancelled") } == count)
        }
        await world.end()
    }

    @Test("a caller that has as many waiting as are free is refused, others are not, and the end of the bridge answers all")
    func fairShare()
        async throws
    {
        let world = try await BridgeWorld.settled(devices: 20)
        try await world.act { for device in world.devices { device.set(.frozen) } }
        let answers = Answers()
        let bridge = world.bridge
        let most = DirectCommands.maximumCount / 2
        func send(_ count: Int, by caller: String) -> [Task<Void, Never>] {
            (0..<count).map { number in
                Task {
                    let payload = Array("{\"id\":\"\(caller)\(number)\"}".utf8)
                    answers.add(await bridge.perform("\(world.slug(number % 20))/get/state", payload: payload, by: caller))
                }
            }
        }
        var tasks = send(most + 4, by: "many")
        _ = await world.advance(until: { answers.value.count >= 4 }, limit: .seconds(2))
        #expect(answers.value.map(\.code) == Array(repeating: .rateLimited, count: 4))
        tasks += send(8, by: "few")
        await world.advance(.milliseconds(100))
        #expect(answers.value.count == 4)
        #expect(await world.leave() != nil)
        for task in tasks { await task.value }
        #expect(answers.value.count == most + 12)
        await world.end()
    }
}
