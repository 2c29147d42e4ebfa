import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("Options of the context that apply to sessions") struct CastOptionsTests {
    @Test("media defaults apply to the media that sessions load")
    func mediaDefaults() async throws {
        let receiver = FakeReceiver()
        let world = ManagerWorld {
            var style = TextTrackStyle()
            style.fontScale = 1.5
            $0.mediaDefaults.textTrackStyle = style
        }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        let loaded = await world.call { manager throws(CastError) in
            let session = try await manager.start(on: ManagerWorld.device())
            var media = MediaInformation(contentID: "http://h/film.mp4", contentType: "video/mp4")
            media.tracks = [MediaTrack(trackID: 1, type: .text)]
            try await session.remoteMediaClient.load(MediaLoadRequest(media: media))
        }
        #expect(throws: Never.self) { try loaded?.get() }
        let load = receiver.journal.first { $0.type == "LOAD" }
        #expect(load?.body["media"]?["textTrackStyle"]?["fontScale"] == 1.5)
        await world.end(task)
    }

    @Test("the reason why a device is refused is reported with each attempt, and by the failed start")
    func failedProof() async throws {
        let receiver = FakeReceiver { $0.challengeAnswer = [0xFF, 0xFF] }
        let world = ManagerWorld {
            $0.authentication = DeviceAuthentication(mode: .require)
            $0.connectTimeout = .seconds(7)
        }
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        let session = await world.call { manager throws(CastError) in try await manager.start(on: ManagerWorld.device()) }
        guard case .failure(let error)? = session else {
            Issue.record("the start should fail")
            return
        }
        #expect(error.code == .authenticationMessageUnreadable)
        let reported = await world.reported.take()
        #expect(reported.first == "aa11 will start" && reported.last == "aa11 failed to start: \(error.code)")
        #expect(reported.count == 2 + world.connector.attempts.count)
        #expect(reported.dropFirst().dropLast().allSatisfy { $0 == "aa11 not proven: \(error.code)" })
        await world.end(task)
    }
}
