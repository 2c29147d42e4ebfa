import BridgeCore
import CastReceiverSimulator
import CastSender
import Synchronization
import Testing

@testable import Bridge

@Suite("Pictures for readers beside MQTT", .timeLimit(.minutes(10)))
struct DirectArtworkTests {
    /// Has a picture for each address, and notes which were asked for.
    private final class Pictures: ImageSource {
        private let state = Mutex<(format: ImageFormat, failure: CastError.Code?, asked: [String])>((.jpeg, nil, []))

        var asked: [String] { self.state.withLock { $0.asked } }

        func answer(_ format: ImageFormat, failure: CastError.Code? = nil) {
            self.state.withLock { ($0.format, $0.failure) = (format, failure) }
        }

        func image(at url: String) async throws(CastError) -> CachedImage {
            let (format, failure) = self.state.withLock { state in
                state.asked.append(url)
                return (state.format, state.failure)
            }
            if let failure { throw CastError(failure, detail: "no picture") }
            return CachedImage(url: url, format: format, bytes: Array(url.utf8))
        }
    }

    private func playing(_ images: JSON, _ pictures: Pictures?) async throws -> BridgeWorld {
        let world = try BridgeWorld(images: pictures)
        try await world.start()
        _ = await world.advance(until: { world.broker.isOnline && world.areAllAvailable }, limit: .seconds(10))
        let device = world.devices[0]
        try await world.act {
            try device.perform(
                .load(RemoteItem(url: "http://h/1", title: "One", metadata: JSON.members(["images": images]), durationSeconds: 600)))
        }
        await world.advance(.seconds(3))
        return world
    }

    private func picture(_ url: String) -> Result<ArtworkPicture, ArtworkFailure> {
        .success(ArtworkPicture(contentType: "image/jpeg", bytes: Array(url.utf8)))
    }

    @Test("are chosen by the width of their place, although none are published")
    func width() async throws {
        let pictures = Pictures()
        let images: JSON = [
            ["url": "http://h/large", "width": 1000, "height": 1000], ["url": "http://h/small", "width": 100, "height": 100],
        ]
        let world = try await self.playing(images, pictures)
        #expect(pictures.asked == [], "nothing is fetched without a reader")
        let (bridge, slug) = (world.bridge, world.slug())
        #expect(await bridge.artwork(of: slug, item: nil, width: 90) == self.picture("http://h/small"))
        #expect(await bridge.artwork(of: slug, item: nil, width: 600) == self.picture("http://h/large"))
        #expect(await bridge.artwork(of: slug, item: nil, width: nil) == self.picture("http://h/large"))
        #expect(await bridge.artwork(of: slug, item: 1, width: 90) == self.picture("http://h/small"))
        #expect(await bridge.artwork(of: slug, item: 99, width: nil) == .failure(.noArtwork))
        #expect(await bridge.artwork(of: "nobody", item: nil, width: nil) == .failure(.unknownDevice))
        #expect(world.held("artwork/image") == nil)
        await world.end()
    }

    @Test("of what was played before are those it was loaded with")
    func recent() async throws {
        let world = try await self.playing([], Pictures())
        try await world.send("cmd/load", #"{"url":"http://h/a.mp3?duration=60","title":"A","image":"http://h/a.jpg"}"#)
        await world.advance(.seconds(3))
        let at = await world.look { $0.commands.memory.recents.entries.first?.at.text } ?? ""
        #expect(await world.bridge.picture(of: .recent(at)) == self.picture("http://h/a.jpg"))
        #expect(await world.bridge.picture(of: .recent("2020-01-01T00:00:00.000Z")) == .failure(.noArtwork))
        await world.end()
    }

    @Test("of an ad are its own while it plays")
    func ad() async throws {
        let world = try await self.playing([], Pictures())
        try await world.send(
            "cmd/load",
            #"{"url":"http://h/f.mp4?duration=600","image":"http://h/f.jpg","breaks":[{"id":"x","position":0,"clips":["c"]}],"#
                + #""break_clips":[{"id":"c","url":"http://h/c.mp4","duration":15,"poster":"http://h/c.jpg"}]}"#)
        await world.advance(.seconds(5))
        #expect(await world.bridge.artwork(of: world.slug(), item: nil, width: 90) == self.picture("http://h/c.jpg"))
        #expect(await world.bridge.artwork(of: world.slug(), item: 1, width: 90) == self.picture("http://h/f.jpg"))
        await world.advance(.seconds(20))
        #expect(await world.bridge.artwork(of: world.slug(), item: nil, width: 90) == self.picture("http://h/f.jpg"))
        await world.end()
    }

    @Test(
        "a picture that can't be shown is none",
        arguments: [
            (CastError.Code?.none, ImageFormat.bmp, ArtworkFailure.notFetched), (.networkError, .jpeg, .notFetched),
            (.notAllowed, .jpeg, .notFetched), (.sendBufferFull, .jpeg, .rateLimited),
        ])
    func unusable(code: CastError.Code?, format: ImageFormat, failure: ArtworkFailure) async throws {
        let pictures = Pictures()
        pictures.answer(format, failure: code)
        let world = try await self.playing([["url": "http://h/a"]], pictures)
        #expect(await world.bridge.artwork(of: world.slug(), item: nil, width: nil) == .failure(failure))
        await world.end()
    }

    @Test("are fetched from web addresses alone", arguments: ["file:///etc/passwd", "", "data:image/png;base64,AA", "/h/a"])
    func webAddresses(url: String) async throws {
        let pictures = Pictures()
        let world = try await self.playing([["url": .string(url)]], pictures)
        #expect(await world.bridge.artwork(of: world.slug(), item: nil, width: nil) == .failure(.noArtwork))
        #expect(pictures.asked == [])
        await world.end()
    }
}
