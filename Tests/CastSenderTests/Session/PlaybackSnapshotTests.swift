import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("A snapshot of what plays") struct PlaybackSnapshotTests {
    private static func snapshot(_ content: PlaybackSnapshot.Content) -> PlaybackSnapshot {
        var snapshot = PlaybackSnapshot()
        (snapshot.applicationID, snapshot.sessionID, snapshot.mediaSessionID, snapshot.isShuffled) = ("CC1AD845", "a-b", 7, true)
        (snapshot.streamVolume, snapshot.volume) = (DeviceVolume(level: 0.4, isMuted: false), DeviceVolume(level: 0.25, isMuted: true))
        snapshot.content = content
        return snapshot
    }

    private static var load: MediaLoadRequest {
        var media = MediaInformation(contentID: "http://h/film.mp4", contentType: "video/mp4")
        media.tracks = [MediaTrack(trackID: 1, type: .text)]
        var request = MediaLoadRequest(media: media, autoplay: false, startTime: 61.5)
        (request.playbackRate, request.activeTrackIDs) = (1.5, [1])
        var queue = MediaQueueData()
        queue.items = [MediaQueueItem(media: media), MediaQueueItem(media: MediaInformation(contentID: "http://h/2.mp4"))]
        (queue.startIndex, queue.repeatMode) = (1, .all)
        request.queueData = queue
        return request
    }

    @Test(
        "is the same after it was on disk",
        arguments: [.nothing, .load(Self.load), .stored(["loadRequestData": ["media": ["contentId": "x"]]]), .lost(.noPlayer)]
            as [PlaybackSnapshot.Content])
    func file(content: PlaybackSnapshot.Content) throws {
        let snapshot = Self.snapshot(content)
        let bytes = JSONWriter.bytes(of: snapshot.json)
        #expect(PlaybackSnapshot(json: try JSONParser.parse(bytes)) == snapshot)
        #expect(PlaybackSnapshot(json: PlaybackSnapshot().json) == PlaybackSnapshot())
    }

    @Test(
        "an item that loads for long in a media session of its own is waited for, and one that nothing follows is not",
        arguments: [(true, 8, 12), (true, nil, 30), (false, nil, 5)] as [(Bool, Int64?, Int64)])
    func following(isFollowed: Bool, loadsFor: Int64?, latest: Int64) async throws {
        let receiver = FakeReceiver()
        let world = ManagerWorld()
        world.connector.route("10.0.0.1", to: .receiver(receiver))
        let task = await world.run()
        let started = await world.call { manager throws(CastError) in try await manager.start(on: ManagerWorld.device()) }
        let session = try #require(started).get()
        func item(_ session: Int, _ name: String) -> String {
            #"{"mediaSessionId":\#(session),"playerState":"PLAYING","currentTime":0,"playbackRate":1,"supportedMediaCommands":15,"#
                + #""media":{"contentId":"http://h/\#(name)","contentType":"audio/wav","duration":5}}"#
        }
        receiver.sendMediaStatus(item(1, "gong"))
        await world.virtual.advance(.milliseconds(100))
        let (begun, ended) = (world.virtual.now, Locked<CastSession.PlaybackEnding?>(nil))
        let waiting = Task { ended.value = try? await session.ending(of: 1, isFollowed: isFollowed, within: .seconds(30)) }
        await world.virtual.advance(.milliseconds(100))
        receiver.sendMediaStatus("")
        if let loadsFor {
            await world.virtual.advance(.seconds(loadsFor))
            #expect(ended.value == nil)
            receiver.sendMediaStatus(item(2, "bell"))
        }
        await world.advance(until: { ended.value != nil }, limit: .seconds(60), step: .milliseconds(100))
        #expect(ended.value == .takenOver && world.virtual.now - begun <= .seconds(latest + 1))
        #expect(await session.mediaStatus?.mediaSessionID == (loadsFor == nil ? nil : 2))
        waiting.cancel()
        await world.end(task)
    }

    @Test("can't be given back from a file that has no content", arguments: [["load": [:]], ["load": 5], ["lost": "other"]] as [JSONValue])
    func damage(json: JSONValue) { #expect(PlaybackSnapshot(json: json).loss != nil) }
}
