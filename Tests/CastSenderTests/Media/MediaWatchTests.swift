import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct MediaWatchTests {
    private static func playing() -> FakeReceiver {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            state.media = FakeReceiver.Media(time: 100)
            state.media?.mediaFields =
                #","metadata":{"metadataType":1,"title":"T","images":[{"url":"http://h/p","width":200,"height":200}]}"#
        }
    }

    private static func events(_ sequence: EventSequence<MediaEvent>) async -> [MediaEvent] {
        var events: [MediaEvent] = []
        for await element in sequence {
            if case .event(let event) = element { events.append(event) }
        }
        return events
    }

    @Test("every listener gets the newest status and each event once; the gap between two items isn't shown")
    func watch() async throws {
        let receiver = Self.playing()
        receiver.set { $0.media?.statusFields = #","currentItemId":1,"items":[{"itemId":1},{"itemId":2}]"# }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let client = try await world.session().remoteMediaClient
        let (events, others, statuses) = (await client.events, await client.events, await client.mediaStatuses)
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"PAUSED","currentTime":110,"currentItemId":1}"#)
        await world.virtual.advance(.milliseconds(10))
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"PLAYING","currentTime":110,"currentItemId":1}"#)
        await world.virtual.advance(.milliseconds(10))
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED"}"#)
        await world.virtual.advance(.seconds(1))
        receiver.sendMediaStatus(
            #"{"mediaSessionId":1,"playerState":"PLAYING","currentTime":0,"currentItemId":2,"media":{"contentId":"next"},"items":[{"itemId":1},{"itemId":2}]}"#
        )
        await world.virtual.advance(.seconds(10))
        var iterator = statuses.makeAsyncIterator()
        #expect(await iterator.next()??.currentItemID == 2, "the newest wins")
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"ERROR"}"#)
        receiver.sendToAll(
            "urn:x-cast:com.google.cast.media", from: "transport-1", to: "*", #"{"type":"ERROR","requestId":0,"detailedErrorCode":104}"#)
        await world.virtual.advance(.milliseconds(10))
        #expect(await iterator.next()??.playerState == .idle)
        _ = await world.end(task)
        let reported = await Self.events(events)
        #expect(
            reported.prefix(6) == [
                .playerStateChanged(from: .playing, to: .paused), .playerStateChanged(from: .paused, to: .playing),
                .mediaChanged(MediaInformation(contentID: "next")), .currentItemChanged(itemID: 2), .queueChanged,
                .sessionEnded(mediaSessionID: 1, reason: .error),
            ])
        #expect(reported.contains(.failed(CastError(.mediaError, detail: "ERROR", detailedErrorCode: 104))))
        #expect(await Self.events(others) == reported)
        #expect(await iterator.next() == nil, "it ends with the session")
    }

    @Test("an end that lasts is shown after 3 s")
    func end() async throws {
        let receiver = Self.playing()
        receiver.set { $0.media?.statusFields = #","currentItemId":1,"items":[{"itemId":1},{"itemId":2}]"# }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let client = try await world.session().remoteMediaClient
        let statuses = await client.mediaStatuses
        #expect(await statuses.newest()??.playerState == .playing)
        receiver.sendMediaStatus(#"{"mediaSessionId":1,"playerState":"IDLE","idleReason":"FINISHED"}"#)
        let started = world.virtual.now
        // Asked for after each step: a reader beside the loop may be late on a busy machine.
        var shown: NIODeadline?
        for _ in 0..<100 where shown == nil {
            await world.virtual.advance(.milliseconds(100))
            if await statuses.newest()??.playerState == .idle { shown = world.virtual.now }
        }
        let time = try #require(shown)
        #expect(time - started >= .milliseconds(2900) && time - started <= .milliseconds(3500))
        _ = await world.end(task)
    }

    @Test("positions and pictures are those of the current media, and the picker is the user's")
    func present() async throws {
        struct LastPicker: ImagePicker {
            func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? { MediaImage(url: "\(hints.purpose)") }
        }
        let (world, task) = await SupervisorWorld.connected(to: Self.playing())
        var client = try await world.session().remoteMediaClient
        let before = try #require(await client.approximateStreamPosition)
        await world.virtual.advance(.seconds(30))
        #expect(abs(try #require(await client.approximateStreamPosition) - before - 30) < 0.01)
        #expect(await client.approximateLiveSeekableRange == nil)
        #expect(await client.image(ImageHints(.thumbnail))?.url == "http://h/p")
        client.defaults.imagePicker = LastPicker()
        #expect(await client.image(ImageHints(.background))?.url == "background")
        _ = await world.end(task)
    }
}

extension StateSequence {
    /// The value it has now.
    fileprivate func newest() async -> Value? {
        var iterator = self.makeAsyncIterator()
        return await iterator.next()
    }
}
