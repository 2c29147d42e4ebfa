import CastModels
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

    @Test("can't be given back from a file that has no content", arguments: [["load": [:]], ["load": 5], ["lost": "other"]] as [JSONValue])
    func damage(json: JSONValue) { #expect(PlaybackSnapshot(json: json).loss != nil) }
}
