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
    /// Has pictures by address, and delivers them when the test releases them.
    private final class Pictures: ImageSource {
        private struct State {
            var pictures: [String: CachedImage] = [:]
            var asked: [String] = []
            var failure = CastError.Code.networkError
            var isHeld = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var asked: [String] { self.state.withLock { $0.asked } }
        var isHeld: Bool { self.state.withLock { $0.isHeld } }

        func add(_ url: String, _ text: String) {
            self.state.withLock { $0.pictures[url] = CachedImage(url: url, format: .jpeg, bytes: Array(text.utf8)) }
        }

        /// Fetches of unknown pictures fail with this code.
        func fail(with code: CastError.Code) { self.state.withLock { $0.failure = code } }

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
            let (image, failure) = self.state.withLock { ($0.pictures[url], $0.failure) }
            guard let image else { throw CastError(failure, detail: "no picture") }
            return image
        }
    }

    private func play(_ number: Int, _ world: BridgeWorld, image: String) async throws {
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
    ///   - limit: the size of the largest picture that is published.
    private func world(_ pictures: Pictures, retained: String? = nil, playing: String? = nil, limit: Int? = nil) async throws -> BridgeWorld
    {
        let slug = BridgeWorld.slug(try FleetPlan(devices: 1, groups: 0, addressBase: "10.0.0.1", port: 8009, seed: 7).devices[0])
        let topic = "cast2mqtt/\(slug)/artwork/image"
        let world = try BridgeWorld(
            remembered: retained == nil ? [:] : [slug: [topic]], images: pictures
        ) {
            $0.artwork.publishesImages = true
            $0.artwork.imageByteLimit = limit ?? $0.artwork.imageByteLimit
        }
        world.waitsForFetches.value = !pictures.isHeld
        if let retained {
            world.broker.set { $0.retained[topic] = MQTTMessage(topic: topic, text: retained, retain: true) }
        }
        if let playing { try await self.play(0, world, image: playing) }
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        await world.advance(.seconds(5))
        return world
    }

    @Test("is fetched when its address changes, and published as it is")
    func fetched() async throws {
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

    @Test("one of what played before does not replace that of what plays")
    func latePicture() async throws {
        let pictures = Pictures()
        for name in ["a", "b"] { pictures.add("http://h/\(name).jpg", "picture \(name)") }
        let world = try await self.world(pictures)
        pictures.hold()
        world.waitsForFetches.value = false
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

    @Test(
        "is fetched again after a failure that may pass, with pauses that grow to half an hour",
        arguments: [.networkError, .timeout, .sendBufferFull, .messageTooBig, .invalidRequest] as [CastError.Code])
    func retries(code: CastError.Code) async throws {
        let pictures = Pictures()
        pictures.fail(with: code)
        let world = try await self.world(pictures)
        try await self.play(1, world, image: "http://h/a.jpg")
        let mayPass = [.networkError, .timeout, .sendBufferFull].contains(code)
        func asked() -> Int { pictures.asked.count { $0 == "http://h/a.jpg" } }
        #expect(asked() == 1)
        await world.advance(.seconds(27), step: .seconds(1))
        #expect(asked() == 1)
        await world.advance(.seconds(2), step: .seconds(1))
        #expect(asked() == (mayPass ? 2 : 1))
        await world.advance(.seconds(58), step: .seconds(1))
        #expect(asked() == (mayPass ? 2 : 1))
        await world.advance(.seconds(4), step: .seconds(1))
        #expect(asked() == (mayPass ? 3 : 1))
        pictures.add("http://h/a.jpg", "picture a")
        await world.advance(.seconds(122), step: .seconds(1))
        #expect(world.held("artwork/image") == (mayPass ? "picture a" : nil))
        #expect(asked() == (mayPass ? 4 : 1))
        // Neither a picture that is there nor one that is not wanted any more is fetched again.
        try await self.play(2, world, image: "http://h/missing.jpg")
        try await self.play(3, world, image: "http://h/a.jpg")
        await world.advance(.seconds(250), step: .seconds(1))
        #expect(pictures.asked.count { $0 == "http://h/missing.jpg" } == 1)
        #expect(asked() == (mayPass ? 5 : 2))
        #expect(world.held("artwork/image") == "picture a")
        await world.end()
    }

    @Test("is published up to the largest size, and a larger one is not fetched again")
    func largestSize() async throws {
        let pictures = Pictures()
        for size in [1_024, 1_025] { pictures.add("http://h/\(size).jpg", String(repeating: "x", count: size)) }
        let world = try await self.world(pictures, limit: 1_024)
        try await self.play(1, world, image: "http://h/1024.jpg")
        #expect(world.held("artwork/image")?.utf8.count == 1_024)
        try await self.play(2, world, image: "http://h/1025.jpg")
        await world.advance(.seconds(120), step: .seconds(1))
        #expect(world.held("artwork/image") == nil)
        #expect(world.broker.entries(world.topic("artwork/image")).map(\.text.utf8.count) == [0, 1_024, 0])
        #expect(pictures.asked.count { $0 == "http://h/1025.jpg" } == 1)
        await world.end()
    }

    @Test("is left out of a snapshot, which is text")
    func snapshot() async throws {
        let pictures = Pictures()
        pictures.add("http://h/a.jpg", "picture a")
        let world = try await self.world(pictures)
        try await self.play(1, world, image: "http://h/a.jpg")
        try await world.request("snapshot")
        await world.advance(.seconds(1))
        let answer = try #require(world.answers(to: "snapshot").first)
        #expect(answer.contains(world.topic("status/artwork")) && !answer.contains(world.topic("artwork/image")))
        await world.end()
    }

    @Test("is not fetched and not published unless it is wanted")
    func unwanted() async throws {
        let pictures = Pictures()
        let world = try BridgeWorld(images: pictures)
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        try await self.play(1, world, image: "http://h/a.jpg")
        #expect(world.held("artwork/image") == nil)
        #expect(pictures.asked == [])
        await world.end()
    }
}
