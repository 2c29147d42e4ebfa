import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Ends of items on the broker", .timeLimit(.minutes(10)))
struct ItemEndTests {
    private func events(_ type: String, _ world: BridgeWorld) -> [String] {
        world.broker.entries(world.topic("event")).map(\.text).filter { $0.contains(#""event_type":"\#(type)""#) }
    }

    /// A device that plays a queue of three items of 20 s, in one media session or in three.
    private func queue(_ habits: [Habit] = []) async throws -> BridgeWorld {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        try await world.act { for habit in habits { try device.perform(.habit(habit, true)) } }
        let items = (1...3).map { #"{"url":"http://h/\#($0).mp4?duration=20","metadata":{"type":"generic","title":"Item \#($0)"}}"# }
        try await world.send("cmd/queue_load", "[\(items.joined(separator: ","))]")
        await world.advance(.seconds(6))
        #expect(world.held("status/title") == "Item 1")
        world.broker.clearJournal()
        return world
    }

    @Test("an item of a queue that ends by itself is finished, one that somebody leaves is skipped", arguments: [[], [Habit.loadingState]])
    func queue(habits: [Habit]) async throws {
        let world = try await self.queue(habits)
        try await world.send("cmd/next", "")
        await world.advance(.seconds(8))
        #expect(self.events("media_changed", world).map { $0.contains(#""previous_reason":"skipped""#) } == [true])
        await world.advance(.seconds(20))
        let changes = self.events("media_changed", world)
        #expect(changes.map { $0.contains(#""previous_reason":"finished""#) } == [false, true])
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("an error of the player is in the event of the end, with its code and the item")
    func broken() async throws {
        let world = try await BridgeWorld.settled()
        try await world.send("cmd/load", "http://h/a.mp4?duration=60&error_at=10&error_code=905")
        await world.advance(.seconds(20))
        let ended = self.events("media_ended", world)
        #expect(ended.count == 1 && ended[0].contains(#""reason":"error""#) && ended[0].contains(#""detailed_error_code":905,"item":1"#))
        await world.end()
    }

    @Test("an item of a queue that can't be played is reported with its code and number")
    func unplayable() async throws {
        let world = try await self.queue()
        let device = world.devices[0]
        try await world.act {
            try device.perform(
                .sendMessage(namespace: "urn:x-cast:com.google.cast.media", ["type": "ERROR", "detailedErrorCode": 104, "itemId": 15]))
        }
        await world.advance(.seconds(1))
        let failed = self.events("load_failed", world)
        #expect(failed.count == 1 && failed[0].contains(#""code":"load_failed","detailed_error_code":104,"item":15"#))
        #expect(world.held("status/player") == "playing")
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test("a picture whose address lacks the scheme and has blanks is a complete address in every topic")
    func picture() async throws {
        let world = try await BridgeWorld.settled(split: .full)
        let device = world.devices[0]
        let metadata: JSON = ["metadataType": 0, "images": [["url": "//img.example/a b.png"]]]
        let film = RemoteItem(url: "http://h/a", title: "A", metadata: metadata, durationSeconds: 60)
        try await world.act { try device.perform(.load(film)) }
        await world.advance(.seconds(3))
        for topic in ["status/artwork", "status/image"] { #expect(world.held(topic) == "https://img.example/a%20b.png") }
        #expect(world.held("media")?.contains(#""images":[{"url":"https://img.example/a%20b.png""#) == true)
        await world.end()
    }

    @Test("live media that was loaded as buffered is live in every topic")
    func live() async throws {
        let world = try await BridgeWorld.settled(split: .full)
        let device = world.devices[0]
        try await world.act {
            try device.perform(
                .distort(
                    Distortion(
                        type: "MEDIA_STATUS",
                        changes: [
                            "status.0.media.duration": -1, "status.0.media.streamType": "BUFFERED",
                            "status.0.liveSeekableRange": ["start": 0, "end": 7185, "isLiveDone": false],
                        ])))
        }
        try await world.play("http://h/live", duration: 600)
        #expect(world.held("status/live") == "ON" && world.held("status/duration") == nil)
        #expect(world.held("media")?.contains(#""live_range":{"start":0"#) == true)
        #expect(world.held("state")?.contains(#""live":true,"duration":null"#) == true)
        await world.end()
    }
}
