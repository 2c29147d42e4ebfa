import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Commands while a link breaks", .timeLimit(.minutes(10)))
struct CommandLossTests {
    private static func code(_ answer: String?) -> String? {
        guard let answer, let start = answer.range(of: #""code":""#)?.upperBound else { return nil }
        return String(answer[start...].prefix { $0 != "\"" })
    }

    @Test("the link breaks after the device has received the request: one answer, and not device_offline")
    func afterSending() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        device.dropLinks(after: "SET_VOLUME")
        try await world.send("cmd", #"{"cmd":"set","id":"c1","args":{"volume":33}}"#)
        try await world.virtual.wait { device.received("SET_VOLUME") == 1 }
        device.dropLinks(after: nil)
        await world.advance(.seconds(70))
        let answers = world.answers("c1")
        #expect(answers.count == 1)
        #expect(Self.code(answers.first) == "cast_error", "\(answers)")
        #expect(device.received("SET_VOLUME") == 1, "it is not sent again on the next link")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a command into a silent link is answered once, as an error that does not promise that nothing happened")
    func intoSilence() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(.frozen) }
        try await world.send("cmd", #"{"cmd":"set","id":"c1","args":{"volume":33}}"#)
        try await world.virtual.wait { device.received("SET_VOLUME") == 1 }
        await world.advance(.seconds(90))
        let answers = world.answers("c1")
        #expect(answers.count == 1)
        #expect(["cast_error", "timeout"].contains(Self.code(answers.first)), "\(answers)")
        await world.end()
    }

    @Test("a failed command is in the log at debug, with its code and reason")
    func logged() async throws {
        let world = try await BridgeWorld.settled(logLevel: .debug)
        try await world.send("set/volume", "loud")
        await world.advance(.seconds(1))
        let line = try #require(world.log.all.first { $0.message == "command failed" })
        #expect(line.level == .debug && line.metadata["command"] == "set/volume" && line.metadata["error"] == "bad_payload")
        #expect(line.metadata["detail"]?.contains("volume") == true, "\(line)")
        await world.end()
    }

    @Test("a device that is known to be offline: device_offline at once, and nothing is kept for later")
    func offline() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { device.set(.off) }
        await world.advance(.seconds(20))
        #expect(world.held("availability") == "offline")
        try await world.send("cmd", #"{"cmd":"set","id":"c1","args":{"volume":33}}"#)
        await world.advance(.milliseconds(200))
        #expect(world.answers("c1").map { Self.code($0) } == ["device_offline"])
        let event = try #require(world.broker.entries(world.topic("event")).last?.text)
        #expect(event.contains(#""event_type":"command_failed""#) && event.contains(#""cmd":"set","code":"device_offline""#))
        try await world.act { device.set(.on) }
        await world.advance(.seconds(60))
        #expect(world.areAllAvailable)
        #expect(world.answers("c1").count == 1)
        #expect(device.received("SET_VOLUME") == 0)
        await world.end()
    }

    @Test("many commands while links break at chance: one answer each, done only what the device did", arguments: [1, 2, 3])
    func storm(seed: UInt64) async throws {
        let world = try await BridgeWorld.settled(devices: 4)
        var chance = seed
        func next(_ bound: UInt64) -> UInt64 {
            chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (chance >> 33) % bound
        }
        for number in 0..<200 {
            let index = Int(next(4))
            switch next(12) {
            case 0:
                let device = world.devices[index]
                try await world.act { device.dropLinks() }
            case 1:
                let device = world.devices[index]
                try await world.act { device.set(.frozen) }
            case 2, 3:
                for device in world.devices { try await world.act { device.set(.on) } }
            default: break
            }
            try await world.send("cmd", #"{"cmd":"set","id":"s\#(number)","args":{"volume":\#(next(100))}}"#, index)
            await world.advance(.milliseconds(Int64(next(1500))), step: .milliseconds(100))
        }
        for device in world.devices { try await world.act { device.set(.on) } }
        await world.advance(.seconds(120), step: .milliseconds(100))
        let codes = (0..<200).map { number in world.answers("s\(number)").map { Self.code($0) ?? "?" } }
        #expect(codes.allSatisfy { $0.count == 1 }, "\(codes.enumerated().filter { $0.element.count != 1 })")
        let known = ["done", "superseded", "device_offline", "cast_error", "timeout", "rate_limited"]
        #expect(codes.joined().allSatisfy { known.contains($0) }, "\(Set(codes.joined()))")
        let sent = world.devices.map { $0.received("SET_VOLUME") }.reduce(0, +)
        let executed = codes.joined().count { $0 == "done" || $0 == "cast_error" || $0 == "timeout" }
        #expect(sent <= executed, "nothing is sent for a command that is answered as not done")
        #expect(codes.joined().count { $0 == "done" } <= sent)
        #expect(world.areAllAvailable)
        #expect(await world.treeIsAsWanted())
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a load that takes too long ends before the next one begins, and takes nothing from it")
    func lateLoad() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd", #"{"cmd":"load","id":"l1","timeout":2,"args":{"url":"http://h/slow.mp4?load_time=30"}}"#)
        await world.advance(.milliseconds(500))
        try await world.send("cmd", #"{"cmd":"load","id":"l2","args":{"url":"http://h/next.mp4?load_time=20"}}"#)
        await world.advance(.seconds(10))
        #expect(world.held("status/player") == "loading")
        #expect(world.answers("l1").map { Self.code($0) } == ["timeout"])
        await world.advance(.seconds(40))
        #expect(world.answers("l2").map { Self.code($0) } == ["done"])
        #expect(world.held("status/player") == "playing")
        let failures = world.broker.entries(world.topic("event")).filter { $0.text.contains("load_failed") }
        #expect(failures.count == 1)
        let players = world.broker.entries(world.topic("status/player")).map(\.text)
        #expect(players.drop { $0 != "loading" }.filter { !["loading", "buffering"].contains($0) } == ["playing"])
        #expect(await world.look { $0.context.counters.castTimeouts } == 1)
        await world.end()
    }

    @Test("a command that waited too long to begin was left unanswered by no device")
    func notBegun() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        device.setAnswerDelay(.seconds(8))
        try await world.send("cmd", #"{"cmd":"launch","id":"c1","args":{"app":"CC1AD845"}}"#)
        try await world.send("cmd", #"{"cmd":"play","id":"c2","timeout":2}"#)
        await world.advance(.seconds(30))
        #expect(world.answers("c2").map { Self.code($0) } == ["timeout"])
        #expect(await world.look { $0.context.counters.castTimeouts } == 0)
        await world.end()
    }

    @Test("inserting into a missing queue is a load like any other")
    func enqueueOnIdle() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd", #"{"cmd":"load","id":"l1","args":{"url":"http://h/first.mp4?load_time=35","enqueue":"add"}}"#)
        await world.advance(.seconds(5))
        #expect(world.held("status/player") == "loading")
        await world.advance(.seconds(70))
        #expect(world.answers("l1").map { Self.code($0) } == ["done"], "it had more than the half minute of a queue's commands")
        #expect(world.held("status/player") == "playing")
        await world.end()
    }

    @Test("a receiver that ignores QUEUE_LOAD: the next one is answered not_supported within 3 s, and a volume between them is set at once")
    func ignoredType() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.play("http://h/one", duration: 3000)
        try await world.act { try device.perform(.ignore(type: "QUEUE_LOAD", true)) }
        func answer(_ id: String, _ limit: TimeAmount) async -> String? {
            _ = await world.advance(until: { !world.answers(id).isEmpty }, limit: limit)
            return Self.code(world.answers(id).first)
        }
        for (number, (limit, code)) in [(TimeAmount.seconds(60), "timeout"), (.seconds(3), "not_supported")].enumerated() {
            try await world.send("cmd", #"{"cmd":"queue_load","id":"q\#(number)","args":{"items":[{"url":"http://h/a.mp3"}]}}"#)
            try await world.send("cmd", #"{"cmd":"set","id":"v\#(number)","args":{"volume":\#(33 + number)}}"#)
            #expect(await answer("v\(number)", .milliseconds(500)) == "done")
            #expect(world.answers("q\(number)").isEmpty, "it waits meanwhile")
            #expect(await answer("q\(number)", limit) == code)
        }
        #expect(device.received("QUEUE_LOAD") == 2, "it is sent again, because a receiver may ignore a request in one state only")
        await world.advance(.seconds(60))
        #expect(world.answers("q1").count == 1)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("the link to the broker breaks while a command runs: it is done once and answered at most once")
    func brokerLost() async throws {
        let world = try await BridgeWorld.settled()
        let (broker, device) = (world.broker, world.devices[0])
        device.setAnswerDelay(.seconds(2))
        try await world.send("cmd", #"{"cmd":"set","id":"c1","args":{"volume":33}}"#)
        try await world.virtual.wait { device.received("SET_VOLUME") == 1 }
        try await world.act { broker.cut() }
        await world.advance(.seconds(20))
        #expect(broker.isOnline)
        #expect(world.answers("c1").count <= 1)
        #expect(world.answers("c1").allSatisfy { Self.code($0) == "done" })
        #expect(device.received("SET_VOLUME") == 1)
        #expect(world.held("status/volume") == "33", "the device did it and said so")
        try await world.send("cmd", #"{"cmd":"set","id":"c2","args":{"volume":44}}"#)
        await world.advance(.seconds(5))
        #expect(world.answers("c2").count == 1)
        #expect(broker.violations == [])
        await world.end()
    }
}
