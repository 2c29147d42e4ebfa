import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("A device that is slow, or does less than it says", .timeLimit(.minutes(10)))
struct SlowDeviceTests {
    private static func send(_ world: BridgeWorld, _ command: String, id: String, args: String = "", timeout: Int? = nil) async throws {
        let timeout = timeout.map { #""timeout":\#($0),"# } ?? ""
        let args = args.isEmpty ? "" : #","args":\#(args)"#
        try await world.send("cmd", #"{"cmd":"\#(command)",\#(timeout)"id":"\#(id)"\#(args)}"#)
    }

    /// Returns the code of the answer and the virtual time until it came.
    private static func outcome(_ world: BridgeWorld, _ id: String, limit: TimeAmount = .seconds(200)) async -> (
        code: String, time: TimeAmount
    )? {
        guard let time = await world.advance(until: { !world.answers(id).isEmpty }, limit: limit) else { return nil }
        let answer = world.answers(id)[0]
        guard let start = answer.range(of: #""code":""#) else { return nil }
        let rest = answer.utf8[start.upperBound...]
        return (String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self), time)
    }

    @Test("a load that takes 50 s is done, and leaves no error code", arguments: [nil, 120])
    func slowLoad(timeout: Int?) async throws {
        let world = try await BridgeWorld.settled()
        try await Self.send(world, "load", id: "a", args: #"{"url":"http://h/a.mp3?load_time=50"}"#, timeout: timeout)
        let outcome = try #require(await Self.outcome(world, "a"))
        #expect(outcome.code == "done" && outcome.time > .seconds(45))
        await world.advance(.seconds(2))
        #expect(world.held("status/player") == "playing")
        #expect((world.held("status/error_code") ?? "").isEmpty)
        await world.end()
    }

    @Test("a load that plays after its own time limit takes its error code back")
    func lateLoad() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd/load", "http://h/x.mp3?load_time=0")
        await world.advance(.seconds(5))
        try await Self.send(world, "load", id: "a", args: #"{"url":"http://h/a.mp3?load_time=30"}"#, timeout: 10)
        let outcome = try #require(await Self.outcome(world, "a"))
        #expect(outcome.code == "timeout" && outcome.time < .seconds(16))
        #expect(world.held("status/error_code") == "timeout")
        await world.advance(.seconds(30))
        #expect(world.held("status/player") == "playing")
        #expect((world.held("status/error_code") ?? "").isEmpty)
        await world.end()
    }

    @Test("behind an ignored queue_load, stop and quit_app end it, pause waits 2 s", arguments: ["stop", "quit_app", "pause"])
    func ignoredLoad(command: String) async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.send("cmd/load", "http://h/x.mp3?load_time=0")
        await world.advance(.seconds(5))
        try await world.act { try device.perform(.ignore(type: "QUEUE_LOAD", true)) }
        try await Self.send(world, "queue_load", id: "load", args: #"{"items":["http://h/1.mp3","http://h/2.mp3"]}"#)
        await world.advance(.milliseconds(200))
        try await Self.send(world, command, id: "next")
        let outcome = try #require(await Self.outcome(world, "next"))
        #expect(outcome.code == "done" && outcome.time < .milliseconds(2500))
        if command == "pause" {
            #expect(world.held("status/player") == "paused" && world.answers("load").isEmpty)
        } else {
            #expect(world.answers("load").map { $0.contains(#""code":"superseded""#) } == [true])
            #expect(device.truth("player")?.text != "PLAYING")
        }
        await world.end()
    }

    @Test("a kind that an application ignored is known in its next run, and over the next link", arguments: [false, true])
    func remembered(overNextLink: Bool) async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { try device.perform(.ignore(type: "QUEUE_LOAD", true)) }
        let args = #"{"items":["http://h/1.mp3","http://h/2.mp3"]}"#
        try await Self.send(world, "queue_load", id: "first", args: args, timeout: 30)
        #expect(await Self.outcome(world, "first")?.code == "timeout")
        if overNextLink {
            try await world.act { device.dropLinks() }
            #expect(
                await world.advance(until: { world.held("availability") == "online" && device.openConnections > 0 }, limit: .seconds(20))
                    != nil)
        } else {
            try await Self.send(world, "quit_app", id: "quit")
            #expect(await Self.outcome(world, "quit")?.code == "done")
        }
        await world.advance(.seconds(5))
        try await Self.send(world, "queue_load", id: "second", args: args)
        let outcome = try #require(await Self.outcome(world, "second"))
        #expect(outcome.code == "not_supported" && outcome.time < .seconds(8))
        try await world.act { try device.perform(.ignore(type: "QUEUE_LOAD", false)) }
        try await Self.send(world, "queue_load", id: "third", args: args)
        #expect(await Self.outcome(world, "third")?.code == "done")
        await world.end()
    }

    @Test("launch and load agree that a launch without an application is none")
    func acknowledgedOnly() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { try device.perform(.habit(.acknowledgedOnly, true)) }
        for (command, args) in [("launch", #"{"app":"CC1AD845"}"#), ("load", #"{"url":"http://h/a.mp3"}"#)] {
            try await Self.send(world, command, id: command, args: args)
            let outcome = try #require(await Self.outcome(world, command))
            #expect(outcome.code == "no_session" && outcome.time < .seconds(20))
        }
        await world.end()
    }

    @Test("an unknown application is not supported, with the reason of the device")
    func unknownApplication() async throws {
        let world = try await BridgeWorld.settled()
        try await Self.send(world, "launch", id: "a", args: #"{"app":"DEADBEEF"}"#)
        #expect(await Self.outcome(world, "a")?.code == "not_supported")
        #expect(world.answers("a")[0].contains(#""cast_reason":"NOT_FOUND""#))
        await world.end()
    }

    @Test("a toggle in the first second of an application that another sender launched is sent after it, and is right")
    func foreignLaunch() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { try device.perform(.load(RemoteItem(url: "http://h/a.mp3?load_time=0", durationSeconds: 600))) }
        await world.advance(.milliseconds(300))
        let transport = try #require(device.truth("transport_id")?.text)
        try await Self.send(world, "play_pause", id: "a")
        await world.advance(.milliseconds(500))
        #expect(!"\(String(describing: device.truth("connections")))".contains(transport))
        #expect(await Self.outcome(world, "a")?.code == "done")
        #expect(device.truth("player")?.text == "PAUSED")
        await world.end()
    }

    @Test("the heartbeat of old firmware keeps its link")
    func transportHeartbeat() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { try device.perform(.habit(.transportHeartbeat, true)) }
        let links = world.connector.attempts.count
        await world.advance(.seconds(60))
        #expect(world.connector.attempts.count == links)
        #expect(world.held("availability") == "online")
        await world.end()
    }
}
