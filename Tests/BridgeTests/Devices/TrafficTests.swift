import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Changes on the broker", .timeLimit(.minutes(10)))
struct TrafficTests {
    @Test("five statuses a second of one item for an hour are fewer than ten retained messages")
    func chatter() async throws {
        let world = try await BridgeWorld.settled()
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

    @Test("a device whose volume never rests has each document published four times a second, and what it is at last")
    func restless() async throws {
        let world = try await BridgeWorld.settled(split: .basic)
        let device = world.devices[0]
        world.broker.clearJournal()
        for number in 1...100 {
            try await world.act { try device.perform(.volume(.init(level: Double(number) / 200))) }
            await world.advance(.milliseconds(20))
        }
        let entries = world.broker.entries(world.topic("state"))
        #expect((8...9).contains(entries.count))
        for (index, entry) in entries.enumerated() where index >= 4 { #expect(entry.at - entries[index - 4].at >= .milliseconds(990)) }
        let volumes = world.broker.entries(world.topic("status/volume")).count
        #expect((5...entries.count).contains(volumes))
        await world.advance(.seconds(1))
        #expect(world.held("status/volume") == "50")
        #expect(world.held("state")?.contains("\"percent\":50,") == true)

        // After a rest the next change goes at once.
        await world.advance(.seconds(2))
        let before = world.virtual.now
        try await world.act { try device.perform(.volume(.init(level: 0.9))) }
        let delay = await world.advance(until: { world.held("status/volume") == "90" }, limit: .seconds(1), step: .milliseconds(1))
        #expect((delay ?? .seconds(9)) < .milliseconds(20), "since \(before)")
        await world.end()
    }

    @Test("the queue is read without keeping the application open, and published at most every two seconds")
    func queue() async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/before", duration: 3000)
        try await self.load(120, of: 60, on: world)
        let queue = try #require(world.held("queue"))
        #expect(queue.contains("\"index\":0,\"length\":120,\"complete\":false"))
        for number in [1, 2, 35, 50] { #expect(queue.contains("\"title\":\"Item \(number)\"")) }
        #expect(!queue.contains("\"title\":\"Item 51\""))
        #expect(world.held("state")?.contains("\"queue\":{\"index\":0,\"length\":120,") == true)
        #expect(world.held("app")?.contains("\"connection\":\"invisible\"") == true)
        #expect(world.devices[0].received("QUEUE_GET_ITEM_IDS") == 1)
        world.broker.clearJournal()
        await world.advance(.seconds(130))
        #expect(world.held("queue")?.contains("\"index\":2,") == true)
        let entries = world.broker.entries(world.topic("queue"))
        for (former, next) in zip(entries, entries.dropFirst()) { #expect(next.at - former.at >= .seconds(2)) }
        #expect(entries.count <= 4)
        #expect(await world.treeIsAsWanted())
        await world.end()
    }

    /// Another sender loads a queue.
    private func load(_ count: Int, of seconds: Int, on world: BridgeWorld) async throws {
        let device = world.devices[0]
        let transport = try #require(device.truth("transport_id")?.text)
        try await world.act {
            device.deliver([
                ("urn:x-cast:com.google.cast.tp.connection", "receiver-0", #"{"type":"CONNECT"}"#),
                ("urn:x-cast:com.google.cast.tp.connection", transport, #"{"type":"CONNECT","connType":2}"#),
                (
                    "urn:x-cast:com.google.cast.media", transport,
                    #"{"type":"QUEUE_LOAD","requestId":1,"items":["#
                        + (1...count).map {
                            #"{"media":{"contentId":"http://h/item\#($0)","contentType":"audio/mpeg","duration":\#(seconds),"metadata":{"metadataType":3,"title":"Item \#($0)"}}}"#
                        }.joined(separator: ",") + "]}"
                ),
            ])
        }
        await world.advance(.seconds(5))
    }

    @Test("one track, from load to finished, is at most twelve documents")
    func oneTrack() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        world.broker.clearJournal()
        try await world.send("cmd/load", #"{"url":"http://h/track.mp3","metadata":{"type":"music","title":"Track"}}"#)
        await world.advance(.seconds(5))
        #expect(world.held("media")?.contains("\"title\":\"Track\"") == true)
        let device = world.devices[0]
        let length = try #require(device.truth("duration")?.double)
        await world.advance(.milliseconds(Int64(length * 1000)), step: .milliseconds(200))
        await world.advance(.seconds(10))
        #expect(world.held("state")?.contains("\"idle_reason\":\"finished\"") == true)
        let documents = world.broker.journal.filter { $0.isRetained && !$0.topic.contains("/bridge/") }
        #expect(documents.count <= 12, "\(documents.map(\.topic))")
        await world.end()
    }

    @Test("where it is wanted, a device that plays is asked for its position every ten seconds, and else never", arguments: [true, false])
    func probe(isWanted: Bool) async throws {
        let world = try BridgeWorld { $0.status.probesPosition = isWanted }
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        try await world.play("http://h/long", duration: 7200)
        await world.advance(.seconds(1))
        let device = world.devices[0]
        let before = device.received("GET_STATUS")
        await world.advance(.seconds(100))
        #expect(isWanted ? (9...10).contains(device.received("GET_STATUS") - before) : device.received("GET_STATUS") == before)
        try await world.act { try device.perform(.pause) }
        await world.advance(.seconds(1))
        let paused = device.received("GET_STATUS")
        await world.advance(.seconds(60))
        #expect(device.received("GET_STATUS") == paused)
        await world.end()
    }

    @Test("the position ticks every ten seconds, not retained, while something plays and only then")
    func ticks() async throws {
        let world = try await BridgeWorld.settled()
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

    @Test("a seek back to the last anchor is published, because the ticks since then differ")
    func sameAnchor() async throws {
        let world = try await BridgeWorld.settled()
        try await world.play("http://h/long", duration: 7200)
        let device = world.devices[0]
        for _ in 1...2 {
            try await world.act {
                try device.perform(.pause)
                try device.perform(.seek(100))
                try device.perform(.resume)
            }
            await world.advance(.seconds(25))
            let entries = world.broker.entries(world.topic("status/position"))
            #expect(entries.last.map { !$0.isRetained && Double($0.text) ?? 0 > 115 } == true)
        }
        let anchors = world.broker.entries(world.topic("status/position")).filter { $0.isRetained && $0.text == "100" }
        #expect(anchors.count == 2)
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("the next item of a queue is at most four documents", arguments: [StatusOptions.Split.none, .basic])
    func nextItem(split: StatusOptions.Split) async throws {
        let world = try await BridgeWorld.settled(split: split)
        try await world.play("http://h/before", duration: 3000)
        try await self.load(3, of: 20, on: world)
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
