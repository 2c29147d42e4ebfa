import BridgeCore
import CastReceiverSimulator
import CastSender
import MQTTClient
import NIOCore
import Synchronization
import Testing

@testable import Bridge

@Suite("The picture of what plays", .timeLimit(.minutes(10)))
struct ArtworkImageTests {
    /// Has pictures by address, and hands them out when the test says so.
    private final class Pictures: ImageSource {
        private struct State {
            var pictures: [String: CachedImage] = [:]
            var asked: [String] = []
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var asked: [String] { self.state.withLock { $0.asked } }

        func add(_ url: String, _ text: String) {
            self.state.withLock { $0.pictures[url] = CachedImage(url: url, format: .jpeg, bytes: Array(text.utf8)) }
        }

        func hold() { self.state.withLock { $0.isHeld = true } }

        func release() {
            let waiting = self.state.withLock { state in
                defer { (state.isHeld, state.waiting) = (false, []) }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func image(at url: String) async throws(CastError) -> CachedImage {
            await withCheckedContinuation { continuation in
                let isHeld = self.state.withLock { state in
                    state.asked.append(url)
                    if state.isHeld { state.waiting.append(continuation) }
                    return state.isHeld
                }
                if !isHeld { continuation.resume() }
            }
            guard let image = self.state.withLock({ $0.pictures[url] }) else { throw CastError(.networkError, detail: "unreachable") }
            return image
        }
    }

    private func play(_ number: Int, _ world: World, image: String) async throws {
        let device = world.devices[0]
        let metadata = JSON.members(["images": [["url": .string(image)]]])
        try await world.act {
            try device.perform(
                .load(RemoteItem(url: "http://h/\(number)", title: "Item \(number)", metadata: metadata, durationSeconds: 600)))
        }
        await world.advance(.seconds(3))
    }

    /// A world in which pictures are published.
    /// - Parameters:
    ///   - retained: the picture that the broker holds of an earlier run.
    ///   - playing: the address of the picture of what plays from the start.
    private func world(_ pictures: Pictures, retained: String? = nil, playing: String? = nil) async throws -> World {
        let slug = World.slug(try FleetPlan(devices: 1, groups: 0, addressBase: "10.0.0.1", port: 8009, seed: 7).devices[0])
        let topic = "cast2mqtt/\(slug)/artwork/image"
        let world = try World(
            remembered: retained == nil ? [:] : [slug: [topic]], images: pictures, configure: { $0.artwork.publishesImages = true })
        if let retained {
            world.broker.set { $0.retained[topic] = MQTTMessage(topic: topic, text: retained, retain: true) }
        }
        if let playing { try await self.play(0, world, image: playing) }
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        await world.advance(.seconds(5))
        return world
    }

    @Test func `is fetched when its address changes, and published as it is`() async throws {
        let pictures = Pictures()
        for name in ["a", "b"] { pictures.add("http://h/\(name).jpg", "picture \(name)") }
        let world = try await self.world(pictures)
        try await self.play(1, world, image: "http://h/a.jpg")
        #expect(world.held("artwork/image") == "picture a")
        try await self.play(2, world, image: "http://h/a.jpg")
        #expect(pictures.asked.filter { $0 == "http://h/a.jpg" }.count == 1)
        try await self.play(3, world, image: "http://h/b.jpg")
        #expect(world.held("artwork/image") == "picture b")
        // One that can't be had leaves none, rather than a wrong one.
        try await self.play(4, world, image: "http://h/missing.jpg")
        #expect(world.held("artwork/image") == nil)
        #expect(world.broker.entries(world.topic("artwork/image")).map(\.text) == ["", "picture a", "picture b", ""])
        #expect(await world.treeIsAsWanted())
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test func `of what played before does not replace that of what plays`() async throws {
        let pictures = Pictures()
        for name in ["a", "b"] { pictures.add("http://h/\(name).jpg", "picture \(name)") }
        let world = try await self.world(pictures)
        pictures.hold()
        try await self.play(1, world, image: "http://h/a.jpg")
        try await self.play(2, world, image: "http://h/b.jpg")
        #expect(world.held("artwork/image") == nil)
        pictures.release()
        await world.advance(.seconds(1))
        #expect(world.broker.entries(world.topic("artwork/image")).map(\.text).last == "picture b")
        #expect(!world.broker.entries(world.topic("artwork/image")).map(\.text).contains("picture a"))
        await world.end()
    }

    @Test(
        "of an earlier run stands until it is known what plays, and is not repeated",
        arguments: [("picture a", "http://h/a.jpg", []), ("picture b", "http://h/a.jpg", ["picture a"]), ("picture a", "http://h/x", [""])])
    func restart(retained: String, playing: String, expected: [String]) async throws {
        let pictures = Pictures()
        pictures.add("http://h/a.jpg", "picture a")
        pictures.hold()
        let world = try await self.world(pictures, retained: retained, playing: playing)
        #expect(world.broker.entries(world.topic("artwork/image")).isEmpty && world.held("artwork/image") == retained)
        pictures.release()
        await world.advance(.seconds(2))
        #expect(world.broker.entries(world.topic("artwork/image")).map(\.text) == expected)
        #expect(await world.treeIsAsWanted())
        #expect(world.broker.violations == [])
        await world.end()
    }

    @Test func `is not fetched and not published unless it is wanted`() async throws {
        let pictures = Pictures()
        let world = try World(images: pictures)
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        try await self.play(1, world, image: "http://h/a.jpg")
        #expect(world.held("artwork/image") == nil)
        #expect(pictures.asked == [])
        await world.end()
    }
}
