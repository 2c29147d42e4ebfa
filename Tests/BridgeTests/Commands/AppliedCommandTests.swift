import BridgeCore
import CastReceiverSimulator
import CastSender
import NIOCore
import Testing

@testable import Bridge

@Suite("The answer to a command", .timeLimit(.minutes(10)))
struct AppliedCommandTests {
    /// Sends a command and returns the code of its answer with the time that it took.
    private static func code(_ world: BridgeWorld, _ topic: String, _ payload: String, id: String) async throws -> (String?, TimeAmount) {
        try await world.send(topic, payload)
        let time = await world.advance(until: { !world.answers(id).isEmpty }, limit: .seconds(20))
        let answer = try world.answers(id).first.map { try JSONParser.parse($0) }
        return (answer?["code"]?.stringValue, time ?? .seconds(20))
    }

    private static func queued(_ count: Int = 3, habits: [Habit] = []) async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        for habit in habits { try await world.act { try device.perform(.habit(habit, true)) } }
        let items = (1...count).map { #"{"url":"http://media/\#($0).mp3","duration":600}"# }.joined(separator: ",")
        try await world.send("cmd/queue_load", #"{"items":[\#(items)]}"#)
        await world.advance(.seconds(8))
        #expect(world.held("status/player") == "playing")
        return world
    }

    /// The type that the device answers without doing it, the topic and the payload.
    static let pretended: [(String, String, String)] = [
        ("SET_VOLUME", "set", #"{"volume":12,"id":"x"}"#), ("SET_VOLUME", "set", #"{"muted":true,"id":"x"}"#),
        ("SEEK", "set", #"{"position":300,"id":"x"}"#), ("PAUSE", "cmd/pause", #"{"id":"x"}"#), ("STOP", "cmd/stop", #"{"id":"x"}"#),
        ("STOP", "cmd/quit_app", #"{"id":"x"}"#), ("SET_PLAYBACK_RATE", "set", #"{"rate":1.5,"id":"x"}"#),
        ("QUEUE_UPDATE", "set", #"{"repeat":"all","id":"x"}"#), ("QUEUE_UPDATE", "cmd/next", #"{"id":"x"}"#),
        ("QUEUE_REMOVE", "cmd/queue_remove", #"{"items":[3],"id":"x"}"#),
        ("QUEUE_INSERT", "cmd/queue_insert", #"{"url":"http://media/9.mp3","id":"x"}"#),
        ("SET_VOLUME", "set", #"{"stream_volume":0.3,"id":"x"}"#),
    ]

    @Test("is not_applied after 2 s when the device answers and does nothing", arguments: pretended)
    func ignored(type: String, topic: String, payload: String) async throws {
        let world = try await Self.queued()
        let device = world.devices[0]
        try await world.act { try device.perform(.pretend(type: type, true)) }
        let (code, time) = try await Self.code(world, topic, payload, id: "x")
        #expect(code == "not_applied")
        #expect(time < .milliseconds(2300), "\(time)")
        try await world.act { try device.perform(.pretend(type: type, false)) }
        let (second, soon) = try await Self.code(world, topic, payload.replacing(#""id":"x""#, with: #""id":"y""#), id: "y")
        #expect(second == "done", "once the device obeys")
        #expect(soon < .milliseconds(500), "\(soon)")
        await world.end()
    }

    @Test(
        "is done as soon as a broadcast without a request's id shows the outcome",
        arguments: [
            ("set", #"{"position":300,"id":"x"}"#), ("set", #"{"position":"+60","id":"x"}"#), ("cmd/pause", #"{"id":"x"}"#),
            ("set", #"{"rate":1.5,"id":"x"}"#), ("set", #"{"repeat":"all","id":"x"}"#), ("cmd/next", #"{"id":"x"}"#),
            ("set", #"{"stream_volume":0.3,"id":"x"}"#), ("cmd/stop", #"{"id":"x"}"#),
            ("cmd/queue_remove", #"{"items":[3],"id":"x"}"#), ("cmd/queue_jump", #"{"item":3,"id":"x"}"#),
            ("cmd/queue_insert", #"{"url":"http://media/9.mp3","id":"x"}"#), ("cmd/queue_move", #"{"item":3,"to":0,"id":"x"}"#),
        ])
    func broadcast(topic: String, payload: String) async throws {
        for habits in [[Habit.outcomeBroadcast], [.outcomeBroadcast, .noQueueChange]] {
            let world = try await Self.queued(habits: habits)
            let (code, time) = try await Self.code(world, topic, payload, id: "x")
            #expect(code == "done")
            #expect(time < .milliseconds(2500), "\(time)")
            await world.end()
        }
    }

    @Test("says so when the queue to clear is unknown, and nothing is sent")
    func unlisted() async throws {
        let world = try await Self.queued(habits: [.emptyQueueIDs])
        let (code, _) = try await Self.code(world, "cmd/queue_clear", #"{"keep_current":true,"id":"x"}"#, id: "x")
        #expect(code == "not_supported")
        #expect(world.devices[0].received("QUEUE_REMOVE") == 0)
        #expect(world.devices[0].truth("queue_length")?.int == 3)
        await world.end()
    }

    @Test("to get/queue has what the device has, also after edits that it did not report")
    func queue() async throws {
        let world = try await Self.queued(9, habits: [.noQueueChange])
        let device = world.devices[0]
        let transport = device.truth("transport_id")?.text ?? ""
        let session = device.truth("media_session_id")?.int ?? 0
        try await world.act {
            device.deliver([
                ("urn:x-cast:com.google.cast.tp.connection", "receiver-0", #"{"type":"CONNECT"}"#),
                ("urn:x-cast:com.google.cast.tp.connection", transport, #"{"type":"CONNECT"}"#),
                (
                    "urn:x-cast:com.google.cast.media", transport,
                    #"{"type":"QUEUE_REMOVE","requestId":5,"mediaSessionId":\#(session),"itemIds":[8,9]}"#
                ),
            ])
        }
        await world.advance(.seconds(2))
        try await world.send("get/queue", #"{"ids":true,"count":0,"id":"x"}"#)
        await world.advance(.seconds(2))
        let answer = try JSONParser.parse(try #require(world.answers("x").first))
        #expect(answer["data"]?["ids"]?.arrayValue?.count == 7)
        await world.end()
    }

    @Test("to skip_ad agrees with can, also where the device reports no break")
    func ad() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { try device.perform(.habit(.adWithoutBreak, true)) }
        let breaks = #""breaks":[{"id":"b","position":0,"clips":["a"]}],"break_clips":[{"id":"a","duration":60,"skippable_after":0}]"#
        try await world.send("cmd/load", #"{"url":"http://media/film.mp4",\#(breaks)}"#)
        await world.advance(.seconds(5))
        #expect(device.truth("ad_clip") != nil)
        let state = try #require(world.held("state"))
        #expect(state.contains(#""skip_ad""#) && state.contains(#""ad":{"playing":true,"skippable":true"#), "\(state)")
        let (code, _) = try await Self.code(world, "cmd/skip_ad", #"{"id":"x"}"#, id: "x")
        #expect(code == "done")
        #expect(device.truth("ad_clip") == nil)
        await world.end()
    }

    @Test("is not_supported for the live edge of a film, and nothing is sent")
    func liveEdge() async throws {
        let world = try await Self.queued()
        let (code, _) = try await Self.code(world, "set", #"{"position":"live","id":"x"}"#, id: "x")
        #expect(code == "not_supported")
        #expect(world.devices[0].received("SEEK") == 0)
        await world.end()
    }

    @Test("to a group's volume on a device that its link shows to be none comes at once, and the volume behind it too")
    func noGroup() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd/group_volume", #"{"volume":30,"id":"x"}"#)
        let (code, time) = try await Self.code(world, "set", #"{"volume":12,"id":"y"}"#, id: "y")
        #expect(code == "done")
        #expect(time < .milliseconds(500))
        #expect(world.answers("x").first?.contains(#""code":"not_supported""#) == true)
        #expect(world.devices[0].received("GET_STATUS") > 0)
        await world.end()
    }

    @Test("to all devices is done when one has a fixed volume, and not_supported when all have")
    func fixedVolume() async throws {
        let world = try await BridgeWorld.settled(devices: 2) { $0.commands.isFanOutEnabled = true }
        let broker = world.broker
        for (count, expected) in [(1, "done"), (2, "not_supported")] {
            for device in world.devices.prefix(count) {
                try await world.act { try device.perform(.volumeControl("fixed")) }
            }
            await world.advance(.seconds(1))
            try await world.act { broker.publish("cast2mqtt/all/set", #"{"volume":\#(10 + count),"id":"a\#(count)"}"#) }
            await world.advance(.seconds(4))
            let answer = broker.journal.last { $0.text.contains(#""id":"a\#(count)""#) }?.text
            #expect(answer?.contains(#""code":"\#(expected)""#) == true, "\(answer ?? "")")
        }
        await world.end()
    }
}
