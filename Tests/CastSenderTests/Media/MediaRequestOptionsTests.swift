import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

/// The payload that each request of the client sends, and the arguments that it refuses before anything is sent.
@Suite struct MediaRequestOptionsTests {
    private static let tracks =
        #","tracks":[{"trackId":1,"type":"AUDIO","language":"de"},{"trackId":2,"type":"TEXT","subtype":"SUBTITLES","language":"en","name":"English"},"#
        + #"{"trackId":3,"type":"TEXT","subtype":"CAPTIONS","language":"de-AT","name":"Deutsch"}],"#
        + ##""textTrackStyle":{"foregroundColor":"#FF0000FF","fontScale":1.5}"##

    private static func playing(_ change: @escaping @Sendable (inout FakeReceiver.State) -> Void = { _ in }) -> FakeReceiver {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            state.media = FakeReceiver.Media(time: 100)
            state.media?.mediaFields = Self.tracks
            state.media?.commands = 8207
            state.media?.statusFields = #","activeTrackIds":[1,2]"#
            state.obeys = { entry, media in
                media.rate = entry.body["playbackRate"]?.doubleValue ?? media.rate
                guard let ids = entry.body["activeTrackIds"]?.arrayValue?.compactMap(\.intValue) else { return }
                media.statusFields = #","activeTrackIds":\#(ids)"#
            }
            change(&state)
        }
    }

    private static func call(
        _ world: SupervisorWorld, _ body: nonisolated(nonsending) @escaping @Sendable (RemoteMediaClient) async throws(CastError) -> Void
    ) async throws -> Result<Void, CastError> {
        let client = try await world.session().remoteMediaClient
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await body(client) } }
        return try #require(outcome).value
    }

    private static let data: JSONValue = ["k": [1]]

    typealias Call = @Sendable (RemoteMediaClient) async throws(CastError) -> Void

    /// A call, the request it makes, and members of that.
    static let requests: [(call: Call, type: String, members: [String: JSONValue])] = [
        ({ client async throws(CastError) in try await client.play(customData: data) }, "PLAY", [:]),
        ({ client async throws(CastError) in try await client.pause(customData: data) }, "PAUSE", [:]),
        ({ client async throws(CastError) in try await client.stop(customData: data) }, "STOP", [:]),
        (
            { client async throws(CastError) in try await client.seek(to: .position(20), resumeState: .play, customData: data) }, "SEEK",
            ["currentTime": 20, "resumeState": "PLAYBACK_START"]
        ),
        (
            { client async throws(CastError) in try await client.seek(to: .position(20), resumeState: .pause, customData: data) }, "SEEK",
            ["currentTime": 20, "resumeState": "PLAYBACK_PAUSE"]
        ),
        (
            { client async throws(CastError) in try await client.setStreamVolume(0.25, customData: data) }, "SET_VOLUME",
            ["volume": ["level": 0.25]]
        ),
        (
            { client async throws(CastError) in try await client.setStreamMuted(true, customData: data) }, "SET_VOLUME",
            ["volume": ["muted": true]]
        ),
        (
            { client async throws(CastError) in try await client.setPlaybackRate(1.5, customData: data) }, "SET_PLAYBACK_RATE",
            ["playbackRate": 1.5]
        ),
        ({ client async throws(CastError) in try await client.queueNext(customData: data) }, "QUEUE_UPDATE", ["jump": 1]),
        ({ client async throws(CastError) in try await client.queuePrevious(customData: data) }, "QUEUE_UPDATE", ["jump": -1]),
        ({ client async throws(CastError) in _ = try await client.requestStatus(customData: data) }, "GET_STATUS", [:]),
        (
            { client async throws(CastError) in try await client.setActiveTrackIDs([3, 1], customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [3, 1]]
        ),
        (
            { client async throws(CastError) in try await client.setActiveTrackIDs([], customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": []]
        ),
        (
            { client async throws(CastError) in try await client.selectTrack(.language("de"), customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [1, 3]]
        ),
        (
            { client async throws(CastError) in try await client.selectTrack(.name("english"), customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [1, 2]]
        ),
        (
            { client async throws(CastError) in try await client.selectTrack(.id(1), type: .audio, customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [2, 1]]
        ),
        (
            { client async throws(CastError) in try await client.deselectTracks(customData: data) }, "EDIT_TRACKS_INFO",
            ["activeTrackIds": [1]]
        ),
        (
            { client async throws(CastError) in
                var client = client
                client.defaults.textTrackStyle = {
                    var style = $0
                    (style.fontScale, style.fontStyle) = (3, .bold)
                    return style
                }(TextTrackStyle())
                var style = TextTrackStyle()
                style.edgeType = .dropShadow
                style.backgroundColor = .transparent
                try await client.setTextTrackStyle(style, customData: data)
            }, "EDIT_TRACKS_INFO",
            [
                "textTrackStyle": [
                    "foregroundColor": "#FF0000FF", "backgroundColor": "#00000000", "edgeType": "DROP_SHADOW", "fontScale": 1.5,
                    "fontStyle": "BOLD",
                ]
            ]
        ),
    ]

    @Test("each request contains its arguments and the application's data", arguments: Self.requests.indices)
    func request(index: Int) async throws {
        let (call, type, members) = Self.requests[index]
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        try await Self.call(world) { client async throws(CastError) in try await call(client) }.get()
        let request = try #require(receiver.journal.last { $0.type == type && $0.namespace.hasSuffix("cast.media") })
        #expect(request.body["customData"] == Self.data)
        if type != "GET_STATUS" { #expect(request.body["mediaSessionId"] == 1) }
        for (key, value) in members { #expect(request.body[key] == value, "\(key)") }
        _ = await world.end(task)
    }

    /// A call that doesn't fit, and the argument to blame.
    static let refused: [(call: Call, argument: String)] = [
        ({ client async throws(CastError) in try await client.seek(to: .position(.nan)) }, "position"),
        ({ client async throws(CastError) in try await client.seek(to: .relative(.infinity)) }, "offset"),
        ({ client async throws(CastError) in try await client.setStreamVolume(1.01) }, "level"),
        ({ client async throws(CastError) in try await client.setStreamVolume(-0.1) }, "level"),
        ({ client async throws(CastError) in try await client.setStreamVolume(50) }, "level"),
        ({ client async throws(CastError) in try await client.setStreamVolume(.nan) }, "level"),
        ({ client async throws(CastError) in try await client.setPlaybackRate(0) }, "rate"),
        ({ client async throws(CastError) in try await client.setPlaybackRate(2.5) }, "rate"),
        ({ client async throws(CastError) in try await client.setPlaybackRate(.nan) }, "rate"),
        ({ client async throws(CastError) in try await client.setActiveTrackIDs([1, 9]) }, "trackIDs"),
        ({ client async throws(CastError) in try await client.selectTrack(.language("fr")) }, "language"),
        ({ client async throws(CastError) in try await client.selectTrack(.name("Français")) }, "name"),
        ({ client async throws(CastError) in try await client.selectTrack(.id(1)) }, "trackID"),
        (
            { client async throws(CastError) in
                var style = TextTrackStyle()
                style.fontScale = .nan
                try await client.setTextTrackStyle(style)
            }, "style.fontScale"
        ),
        (
            { client async throws(CastError) in
                try await client.load(MediaLoadRequest(media: MediaInformation(contentID: "a"), startTime: -1))
            }, "startTime"
        ),
        ({ client async throws(CastError) in try await client.load(MediaLoadRequest(media: MediaInformation())) }, "media.contentID"),
    ]

    @Test("invalid values are refused with the argument's name, and nothing is sent")
    func refuses() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        for (call, argument) in Self.refused {
            let outcome = try await Self.call(world) { client async throws(CastError) in try await call(client) }
            guard case .failure(let error) = outcome else {
                Issue.record("\(argument) was let through")
                continue
            }
            #expect(error.code == .invalidRequest)
            #expect(error.argument == argument)
        }
        #expect(receiver.types("cast.media").allSatisfy { $0 == "GET_STATUS" })
        _ = await world.end(task)
    }

    @Test("a load contains every option, and the default style if the media has none")
    func load() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        try await Self.call(world) { client async throws(CastError) in
            var client = client
            client.defaults.textTrackStyle = .standard
            let track = MediaTrack(trackID: 4, type: .text, subtype: .subtitles, language: "de", contentID: "http://h/de.vtt")
            var request = MediaLoadRequest(
                media: MediaInformation(contentID: "http://h/f.mp4", contentType: "video/mp4", tracks: [track]), autoplay: false,
                startTime: 12.5)
            (request.playbackRate, request.activeTrackIDs) = (1.25, [4])
            (request.credentials, request.credentialsType, request.customData) = ("secret", "web", Self.data)
            try await client.load(request)
        }.get()
        let load = try #require(receiver.journal.last { $0.type == "LOAD" }?.body)
        #expect(load["sessionId"] == "session-1")
        #expect(load["autoplay"] == false)
        #expect(load["currentTime"] == 12.5)
        #expect(load["playbackRate"] == 1.25)
        #expect(load["activeTrackIds"] == [4])
        #expect(load["credentials"] == "secret")
        #expect(load["credentialsType"] == "web")
        #expect(load["customData"] == Self.data)
        #expect(load["media"]?["tracks"]?.arrayValue?.first?["trackContentId"] == "http://h/de.vtt")
        #expect(load["media"]?["textTrackStyle"]?["edgeType"] == "OUTLINE")
        _ = await world.end(task)
    }

    @Test("a load carries its ad breaks")
    func ads() async throws {
        let receiver = Self.playing()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        try await Self.call(world) { client async throws(CastError) in
            var clip = AdBreakClip(id: "c")
            (clip.title, clip.contentID, clip.contentType) = ("Ad", "http://h/ad.mp4", "video/mp4")
            (clip.duration, clip.whenSkippable) = (15, 5)
            (clip.posterURL, clip.clickThroughURL, clip.customData) = ("http://h/ad.jpg", "https://shop.example", Self.data)
            let start = AdBreak(id: "s", clipIDs: ["c"], position: 0, duration: 15, isWatched: true)
            let end = AdBreak(id: "e", clipIDs: ["c"], position: -1, isEmbedded: true)
            try await client.load(
                MediaLoadRequest(
                    media: MediaInformation(
                        contentID: "http://h/f.mp4", contentType: "video/mp4", adBreaks: [start, end], adBreakClips: [clip])))
        }.get()
        let media = try #require(receiver.journal.last { $0.type == "LOAD" }?.body["media"])
        #expect(
            media["breaks"] == [
                ["id": "s", "breakClipIds": ["c"], "position": 0, "duration": 15, "isEmbedded": false, "isWatched": true],
                ["id": "e", "breakClipIds": ["c"], "position": -1, "isEmbedded": true, "isWatched": false],
            ])
        #expect(
            media["breakClips"] == [
                [
                    "id": "c", "title": "Ad", "contentId": "http://h/ad.mp4", "contentType": "video/mp4", "duration": 15,
                    "clickThroughUrl": "https://shop.example", "posterUrl": "http://h/ad.jpg", "whenSkippable": 5, "customData": Self.data,
                ]
            ])
        _ = await world.end(task)
    }

    @Test("a newer seek replaces one that is under way; other requests go on beside it")
    func replaced() async throws {
        let receiver = Self.playing { $0.mediaAnswer = .nothing }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let client = try await world.session().remoteMediaClient
        let first = Locked<Result<Void, CastError>?>(nil)
        let volume = Locked<Result<Void, CastError>?>(nil)
        let seek = await world.virtual.start {
            first.value = await result { () async throws(CastError) in try await client.seek(to: .position(10)) }
        }
        let other = await world.virtual.start {
            volume.value = await result { () async throws(CastError) in try await client.setStreamVolume(0.5) }
        }
        await world.virtual.advance(.milliseconds(50))
        #expect(first.value == nil)
        receiver.set { $0.mediaAnswer = .reply }
        try await Self.call(world) { client async throws(CastError) in try await client.seek(to: .position(20)) }.get()
        for _ in 0..<500 where first.value == nil { await world.virtual.advance(.milliseconds(10)) }
        await seek.value
        #expect(LaunchTests.code(try #require(first.value)) == .replaced)
        #expect(volume.value == nil, "another kind isn't replaced")
        for _ in 0..<2000 where volume.value == nil { await world.virtual.advance(.milliseconds(10)) }
        await other.value
        #expect(LaunchTests.code(try #require(volume.value)) == .timeout)
        #expect(receiver.journal.filter { $0.type == "SEEK" }.map { $0.body["currentTime"] } == [10, 20])
        _ = await world.end(task)
    }

    @Test(
        "a receiver that keeps its speed still gets the request, whatever it offers",
        arguments: [(15, "PLAYING"), (8207, "PLAYING"), (8207, "PAUSED"), (8207, "BUFFERING")])
    func keepsRate(commands: Int, state: String) async throws {
        let receiver = Self.playing {
            $0.media?.commands = commands
            $0.media?.state = state
            $0.obeys = { _, _ in }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        let outcome = try await Self.call(world) { client async throws(CastError) in try await client.setPlaybackRate(2) }
        #expect(LaunchTests.code(outcome) == .notApplied)
        _ = await world.end(task)
    }

    @Test(
        "a speed that a status shows is set; one that can't be seen is believed",
        arguments: [("PLAYING", 1.5), ("PAUSED", 1.5), ("PAUSED", 0.0)])
    func setsRate(state: String, reported: Double) async throws {
        let receiver = Self.playing {
            $0.media?.state = state
            $0.obeys = { entry, media in if entry.type == "SET_PLAYBACK_RATE" { media.rate = reported } }
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        try await Self.call(world) { client async throws(CastError) in try await client.setPlaybackRate(1.5) }.get()
        _ = await world.end(task)
    }
}
