import BridgeCore
import CastReceiverSimulator
import MQTTClient
import NIOCore
import Testing

@testable import Bridge

@Suite("Requests to the bridge", .timeLimit(.minutes(10)))
struct RequestTests {
    @Test("topics/clean reports how many topics the broker refused to clear, and which ones")
    func refusedClearing() async throws {
        let world = try BridgeWorld { $0.topicOptions.cleansOnStart = false }
        let broker = world.broker
        let left = [
            "cast2mqtt/gone/info": #"{"schema":1,"slug":"gone","instance":"test"}"#, "cast2mqtt/gone/availability": "online",
            "cast2mqtt/gone/state": "{}",
        ]
        broker.set { state in
            for (topic, text) in left { state.retained[topic] = MQTTMessage(topic: topic, text: text, qos: .atLeastOnce, retain: true) }
            state.refusals["cast2mqtt/gone/state"] = .notAuthorized
        }
        try await world.start()
        #expect(await world.advance(until: { broker.isOnline && world.areAllAvailable }, limit: .seconds(10)) != nil)
        try await world.request("topics/clean", #"{"apply":true}"#)
        #expect(await world.advance(until: { world.answers(to: "topics/clean").count == 1 }, limit: .seconds(60)) != nil)
        let answer = try #require(world.answers(to: "topics/clean").first)
        #expect(answer.contains(#""code":"done""#) && answer.contains(#""found":3"#), "\(answer)")
        #expect(answer.contains(#""cleared":false"#) && answer.contains(#""refused":1"#), "\(answer)")
        #expect(broker.tree.keys.filter { $0.hasPrefix("cast2mqtt/gone/") } == ["cast2mqtt/gone/state"])
        broker.set { $0.refusals = [:] }
        try await world.request("topics/clean", #"{"apply":true}"#)
        #expect(await world.advance(until: { world.answers(to: "topics/clean").count == 2 }, limit: .seconds(60)) != nil)
        // Without its info the owner of the rest is unknown.
        #expect(world.answers(to: "topics/clean").last?.contains(#""found":0,"topics":[],"cleared":false,"refused":0"#) == true)
        await world.end()
    }

    @Test("snapshots beyond a few are refused for a while, since each is as large as everything together")
    func snapshots() async throws {
        let world = try await BridgeWorld.settled()
        for _ in 0..<10 { try await world.request("snapshot") }
        await world.advance(.seconds(1))
        let answers = world.answers(to: "snapshot")
        #expect(answers.count == 10)
        #expect(answers.count { $0.contains(#""code":"done""#) } == 4)
        #expect(answers.count { $0.contains(#""code":"rate_limited""#) } == 6)
        await world.advance(.seconds(10))
        try await world.request("snapshot")
        await world.advance(.seconds(1))
        #expect(world.answers(to: "snapshot").last?.contains(#""code":"done""#) == true)
        await world.end()
    }

    @Test("searches beyond a few are refused for a while, since each asks the network and every device that is offline")
    func searches() async throws {
        let world = try await BridgeWorld.settled()
        for _ in 0..<10 { try await world.request("discover") }
        await world.advance(.seconds(1))
        let answers = world.answers(to: "discover")
        #expect(answers.count { $0.contains(#""code":"done""#) } == 4)
        #expect(answers.count { $0.contains(#""code":"rate_limited""#) } == 6)
        await world.advance(.seconds(10))
        try await world.request("discover")
        await world.advance(.seconds(1))
        #expect(world.answers(to: "discover").last?.contains(#""code":"done""#) == true)
        await world.end()
    }

    @Test("a change of options or of the log is published on bridge/event, once, and only when a value differs")
    func configChanged() async throws {
        let world = try await BridgeWorld.settled()
        for _ in 0..<2 { try await world.request("device/options", #"{"device":"sim-001","area":"Attic"}"#) }
        try await world.request("log_level")
        await world.advance(.seconds(1))
        let reported = world.bridgeEvents("config_changed")
        #expect(reported.count == 1)
        #expect(
            reported.first?.contains(#""slug":"sim-001""#) == true && reported.first?.contains(#""options":{"area":"Attic"}"#) == true,
            "\(reported)")
        try await world.request("device/options", #"{"device":"sim-001","area":null}"#)
        await world.advance(.seconds(1))
        #expect(world.bridgeEvents("config_changed").count == 2)
        await world.end()
    }

    @Test("an address of Home Assistant's media sources is refused where its users see it: answer, error and event")
    func mediaSource() async throws {
        let world = try await BridgeWorld.settled()
        // As the printed media player sends it.
        try await world.send("cmd/load", #"{"url":"media-source://tts/x","content_type":"music"}"#)
        await world.advance(.seconds(1))
        let (response, error) = (world.broker.entries(world.topic("response")), world.broker.entries(world.topic("error")))
        #expect(response.count == 1 && response.first?.text.contains(#""code":"bad_payload""#) == true, "\(response)")
        #expect(error.count == 1 && error.first?.text.contains(#""code":"bad_payload""#) == true, "\(error)")
        let events = world.broker.entries(world.topic("event")).map(\.text).filter { $0.contains(#""event_type":"command_failed""#) }
        #expect(events.count == 1 && events.first?.contains(#""cmd":"cmd/load","code":"bad_payload""#) == true, "\(events)")
        #expect(world.devices[0].received("LOAD") == 0 && world.devices[0].received("LAUNCH") == 0)
        await world.end()
    }

    @Test("strict refuses next and previous as long as the device does not announce them", arguments: [true, false])
    func strict(isStrict: Bool) async throws {
        let world = try await BridgeWorld.settled { $0.commands.isStrict = isStrict }
        try await world.play("http://h/only", duration: 600)
        let device = world.devices[0]
        #expect(world.held("state")?.contains(#""next""#) == false, "\(world.held("state") ?? "")")
        for verb in ["next", "previous"] {
            try await world.send("cmd", #"{"cmd":"\#(verb)","id":"\#(verb)"}"#)
            #expect(await world.advance(until: { world.answers(verb).count == 1 }, limit: .seconds(30)) != nil)
            #expect(world.answers(verb).first?.contains(#""code":"not_supported""#) == isStrict, "\(world.answers(verb))")
        }
        #expect((device.received("QUEUE_UPDATE") == 0) == isStrict)
        await world.end()
    }
}
