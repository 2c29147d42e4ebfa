import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("What changes on the broker", .timeLimit(.minutes(3)))
struct TrafficTests {
    @Test("Five statuses a second of one item for an hour are fewer than ten retained messages")
    func chatter() async throws {
        let world = try await World.settled()
        try await world.play("http://h/long", duration: 7200)
        let device = world.devices[0]
        let session = try #require(device.truth("media_session_id")?.int)
        await world.advance(.seconds(10))
        let position = try #require(device.truth("position")?.double)
        world.broker.clearJournal()
        for number in 1...(3600 * 5) {
            let time = position + Double(number) * 0.2 + Double(number % 7) * 0.1 - 0.3
            try await world.act {
                device.broadcast(
                    #"{"type":"MEDIA_STATUS","requestId":0,"status":[{"mediaSessionId":\#(session),"playerState":"PLAYING","#
                        + #""currentTime":\#(time),"playbackRate":1,"supportedMediaCommands":15}]}"#)
            }
            await world.virtual.loop.advanceTime(by: .milliseconds(200))
        }
        await world.advance(.seconds(1))
        let retained = world.broker.journal.filter { $0.isRetained && !$0.topic.hasSuffix("bridge/health") }
        #expect(retained.count < 10, "\(retained.map(\.topic))")
        let healths = world.broker.entries("cast2mqtt/bridge/health").count
        #expect((59...61).contains(healths))
        #expect(world.held("status/player") == "playing")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("The position ticks every ten seconds, not retained, while something plays and only then")
    func ticks() async throws {
        let world = try await World.settled()
        try await world.play("http://h/long", duration: 7200)
        await world.advance(.seconds(5))
        world.broker.clearJournal()
        await world.advance(.seconds(100))
        let ticks = world.broker.entries(world.topic("status/position"))
        #expect(ticks.count == 10)
        #expect(ticks.allSatisfy { !$0.isRetained && $0.qos == .atMostOnce })
        for (former, next) in zip(ticks, ticks.dropFirst()) { #expect(next.at - former.at == .seconds(10)) }
        let values = ticks.compactMap { Double($0.text) }
        for (former, next) in zip(values, values.dropFirst()) { #expect(abs(next - former - 10) < 0.01) }

        let device = world.devices[0]
        try await world.act { try device.perform(.pause) }
        await world.advance(.seconds(1))
        world.broker.clearJournal()
        await world.advance(.seconds(100))
        #expect(world.broker.entries(world.topic("status/position")).count == 0)
        await world.end()
    }

    @Test("The next item of a queue is at most four documents", arguments: [TopicMapper.Split.none, .basic])
    func nextItem(split: TopicMapper.Split) async throws {
        let world = try await World.settled(split: split)
        try await world.play("http://h/before", duration: 3000)
        let device = world.devices[0]
        let transport = try #require(device.truth("transport_id")?.text)
        try await world.act {
            device.tell([
                ("urn:x-cast:com.google.cast.tp.connection", "receiver-0", #"{"type":"CONNECT"}"#),
                ("urn:x-cast:com.google.cast.tp.connection", transport, #"{"type":"CONNECT","connType":2}"#),
                (
                    "urn:x-cast:com.google.cast.media", transport,
                    #"{"type":"QUEUE_LOAD","requestId":1,"items":["#
                        + (1...3).map {
                            #"{"media":{"contentId":"http://h/item\#($0)","contentType":"audio/mpeg","duration":20,"metadata":{"metadataType":3,"title":"Item \#($0)"}}}"#
                        }.joined(separator: ",") + "]}"
                ),
            ])
        }
        await world.advance(.seconds(5))
        #expect(world.held("media")?.contains("http://h/item1") == true)
        world.broker.clearJournal()
        await world.advance(.seconds(20))
        #expect(world.held("media")?.contains("http://h/item2") == true)

        let retained = world.broker.journal.filter { $0.isRetained && !$0.topic.contains("/bridge/") }
        let documents = retained.filter { !$0.topic.contains("/status/") }
        #expect(documents.count <= 4, "\(documents.map(\.topic))")
        let plain = Dictionary(grouping: retained.filter { $0.topic.contains("/status/") }, by: \.topic)
        #expect(split == .basic || plain.isEmpty)
        if split == .basic {
            #expect(plain[world.topic("status/title")]?.map(\.text) == ["Item 2"])
            #expect(plain[world.topic("status/content_id")]?.map(\.text) == ["http://h/item2"])
            #expect(plain[world.topic("status/volume")] == nil)
        }
        #expect(world.broker.violations == [])
        await world.end()
    }
}
