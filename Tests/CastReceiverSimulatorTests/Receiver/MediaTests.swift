import Testing

@testable import CastReceiverSimulator

@Suite struct MediaTests {
    @Test("a load goes through LOADING, BUFFERING and PLAYING; the answer carries the media")
    func load() throws {
        var probe = Probe()
        probe.launch()
        let answers = probe.askMedia(Probe.load("http://media/film?duration=100"), within: .seconds(1))
        #expect(answers.map(\.type) == ["MEDIA_STATUS"])
        let status = try #require(answers.first?.status)
        #expect(status["media"]?["duration"] == 100)
        #expect(status["media"]?["metadata"]?["title"] == "A title")
        #expect(status["items"]?.elements?.count == 1)
        let reported = probe.broadcasts("MEDIA_STATUS").compactMap(\.status)
        #expect(reported.map { $0["playerState"]?.text } == ["IDLE", "BUFFERING", "PLAYING"])
        #expect(reported.first?["extendedStatus"]?["playerState"] == "LOADING")
        #expect(reported.last?["media"] == nil)
    }

    @Test("media progresses with the clock, finishes at its end, and the session is then over")
    func progress() throws {
        var probe = Probe()
        probe.play()
        probe.pass(.seconds(10))
        let position = try #require(probe.askMedia(["type": "GET_STATUS"]).first?.status?["currentTime"]?.double)
        #expect((10...11.5).contains(position))
        probe.sent = []
        probe.pass(.seconds(100))
        let last = try #require(probe.broadcasts("MEDIA_STATUS").last?.status)
        #expect(last["playerState"] == "IDLE")
        #expect(last["idleReason"] == "FINISHED")
        #expect(probe.askMedia(["type": "GET_STATUS"]).first?.json["status"] == [])
        #expect(probe.askMedia(["type": "PLAY"]).map(\.type) == ["INVALID_PLAYER_STATE"])
    }

    @Test("one big step of time gives the same end as many small ones")
    func bigSteps() {
        var small = Probe()
        small.play()
        small.take(small.model.closed(1, at: small.now))
        var big = small
        for _ in 0..<200 { small.pass(.seconds(1)) }
        big.now += .seconds(200)
        big.take(big.model.advance(to: big.now))
        #expect(big.state["idle_reason"] == "FINISHED")
        #expect(big.state == small.state)
    }

    @Test("a receiver that repeats the media includes it in all statuses")
    func repeatedMedia() throws {
        var settings = ReceiverSettings()
        settings.repeatsMedia = true
        var probe = Probe(settings: settings)
        probe.play()
        _ = probe.askMedia(["type": "PAUSE"])
        let reported = try #require(probe.broadcasts("MEDIA_STATUS").first?.status)
        #expect(reported["playerState"] == "PAUSED")
        #expect(reported["media"]?["metadata"]?["title"] == "A title")
    }

    @Test("pause and play keep the position; a paused item does not move")
    func pause() throws {
        var probe = Probe()
        probe.play()
        probe.pass(.seconds(5))
        let paused = try #require(probe.askMedia(["type": "PAUSE"]).first?.status)
        #expect(paused["playerState"] == "PAUSED")
        #expect(paused["media"] == nil)
        #expect(probe.broadcasts("MEDIA_STATUS").count == 1)
        probe.pass(.seconds(50))
        let resumed = try #require(probe.askMedia(["type": "PLAY"]).first?.status)
        #expect(resumed["playerState"] == "PLAYING")
        let (before, after) = (try #require(paused["currentTime"]?.double), try #require(resumed["currentTime"]?.double))
        #expect(abs(before - after) < 0.01)
    }

    @Test(
        "a seek keeps the state unless it has a resumeState",
        arguments: [
            (true, nil, "PLAYING"), (false, nil, "PAUSED"), (true, "PLAYBACK_PAUSE", "PAUSED"), (false, "PLAYBACK_START", "PLAYING"),
        ] as [(Bool, String?, String)])
    func seek(playing: Bool, resumeState: String?, expected: String) throws {
        var probe = Probe()
        probe.play()
        if !playing { _ = probe.askMedia(["type": "PAUSE"]) }
        let answer = try #require(
            probe.askMedia(.members(["type": "SEEK", "currentTime": 42, "resumeState": resumeState.map(JSON.string)]), within: .seconds(1))
                .first?.status)
        #expect(answer["currentTime"] == 42)
        #expect(answer["playerState"]?.text == (expected == "PLAYING" ? "BUFFERING" : "PAUSED"))
        #expect(probe.state["player"]?.text == expected)
    }

    @Test("a relative seek wins over an absolute one; both ends clamp")
    func seekRange() throws {
        var probe = Probe()
        probe.play()
        _ = probe.askMedia(["type": "PAUSE"])
        #expect(probe.askMedia(["type": "SEEK", "currentTime": 1_000]).first?.status?["currentTime"] == 100)
        #expect(probe.askMedia(["type": "SEEK", "currentTime": 0, "relativeTime": -30]).first?.status?["currentTime"] == 70)
        #expect(probe.askMedia(["type": "SEEK", "relativeTime": -300]).first?.status?["currentTime"] == 0)
        #expect(probe.askMedia(["type": "SEEK"]).map { $0.json["reason"]?.text } == ["INVALID_PARAMS"])
    }

    @Test("the rate changes the speed from the present position on, and is clamped")
    func rate() throws {
        var probe = Probe()
        probe.play()
        _ = probe.askMedia(["type": "SEEK", "currentTime": 10], within: .seconds(1))
        let before = try #require(probe.state["position"]?.double)
        _ = probe.askMedia(["type": "SET_PLAYBACK_RATE", "playbackRate": 5], within: .milliseconds(50))
        probe.pass(.seconds(10))
        let moved = try #require(probe.state["position"]?.double) - before
        #expect((20...20.2).contains(moved))
        #expect(probe.askMedia(["type": "SET_PLAYBACK_RATE", "playbackRate": 0]).map { $0.json["reason"]?.text } == ["INVALID_PARAMS"])
    }

    @Test("autoplay false ends in PAUSED at the start position")
    func autoplay() {
        var probe = Probe()
        probe.launch()
        _ = probe.askMedia(Probe.load("http://a/b?duration=100", ["autoplay": false, "currentTime": 12]), within: .seconds(1))
        #expect(probe.state["player"] == "PAUSED")
        #expect(probe.state["position"]?.int == 12)
    }

    @Test("a URL below /missing fails to load, ?error_at breaks while playing")
    func failures() {
        var probe = Probe()
        probe.launch()
        #expect(probe.askMedia(Probe.load("http://a/missing/b"), within: .seconds(1)).map(\.type) == ["LOAD_FAILED"])
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["idleReason"] == "ERROR")
        _ = probe.askMedia(Probe.load("http://a/b?error_at=3&duration=60"), within: .seconds(1))
        probe.sent = []
        probe.pass(.seconds(5))
        #expect(probe.broadcasts("ERROR").count == 1)
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["idleReason"] == "ERROR")
    }

    @Test("a second load cancels the first; a load over something that plays interrupts it")
    func doubleLoad() {
        var probe = Probe()
        probe.launch()
        probe.send(
            ["type": "LOAD", "requestId": 901, "media": ["contentId": "http://a/1?load_time=5", "contentType": "video/mp4"]], Probe.media,
            to: probe.transport)
        probe.pass(.milliseconds(60))
        _ = probe.askMedia(Probe.load("http://a/2"), within: .seconds(1))
        #expect(probe.sent.first { !$0.isBroadcast }?.json == ["type": "LOAD_CANCELLED", "requestId": 901])
        _ = probe.askMedia(Probe.load("http://a/3"), within: .seconds(1))
        let reported = probe.broadcasts("MEDIA_STATUS").compactMap(\.status)
        #expect(reported.first?["idleReason"] == "INTERRUPTED")
        #expect(reported.first?["mediaSessionId"] == 2)
        #expect(reported.last?["mediaSessionId"] == 3)
    }

    @Test("requests while loading are refused, STOP cancels the load")
    func whileLoading() {
        var probe = Probe()
        probe.launch()
        probe.send(
            ["type": "LOAD", "requestId": 901, "media": ["contentId": "http://a/1?load_time=5", "contentType": "video/mp4"]], Probe.media,
            to: probe.transport)
        probe.pass(.milliseconds(60))
        #expect(probe.askMedia(["type": "SEEK", "currentTime": 3]).map(\.type) == ["INVALID_PLAYER_STATE"])
        _ = probe.askMedia(["type": "STOP"])
        #expect(probe.sent.contains { $0.json == ["type": "LOAD_CANCELLED", "requestId": 901] })
        #expect(probe.state["idle_reason"] == "CANCELLED")
    }

    @Test(
        "requests that fit nothing are refused with the reason",
        arguments: [
            (["type": "PAUSE", "mediaSessionId": 77], "INVALID_MEDIA_SESSION_ID"), (["type": "WHISTLE"], "INVALID_COMMAND"),
            (["type": "QUEUE_NEXT"], "INVALID_COMMAND"), (["type": "LOAD"], "INVALID_PARAMS"),
            (["type": "LOAD", "media": ["contentId": ""]], "INVALID_PARAMS"),
            (["type": "SET_VOLUME"], "INVALID_PARAMS"), (["type": "EDIT_TRACKS_INFO", "activeTrackIds": [9]], "INVALID_PARAMS"),
            (["type": "QUEUE_UPDATE", "jump": 1], "END_OF_QUEUE"), (["type": "SKIP_AD", "mediaSessionId": 7], "INVALID_MEDIA_SESSION_ID"),
            (["type": "QUEUE_REMOVE", "itemIds": [9]], "INVALID_PARAMS"), (["type": "QUEUE_REORDER", "itemIds": [9]], "INVALID_PARAMS"),
            (["type": "QUEUE_INSERT", "items": [["media": ["contentId": "x"]]], "currentItemIndex": 1], "INVALID_PARAMS"),
            (["type": "QUEUE_GET_ITEM_RANGE", "itemId": 9, "nextCount": 1], "INVALID_PARAMS"),
            (["type": "EDIT_TRACKS_INFO", "language": "sv"], "LANGUAGE_NOT_SUPPORTED"),
            (["type": "EDIT_TRACKS_INFO", "textTrackStyle": ["foregroundColor": "red"]], "INVALID_PARAMS"),
            (["type": "EDIT_TRACKS_INFO", "textTrackStyle": ["edgeType": "SHARP"]], "INVALID_PARAMS"),
            (["type": "RESUME_SESSION", "sessionState": [:]], "INVALID_PARAMS"),
            (["type": "QUEUE_UPDATE", "currentItemId": 9], "INVALID_PARAMS"),
            (["type": "QUEUE_UPDATE", "repeatMode": "SOMETIMES"], "INVALID_PARAMS"),
            (["type": "QUEUE_INSERT", "items": [["itemId": 3, "media": ["contentId": "x"]]]], "INVALID_PARAMS"),
            (["type": "QUEUE_LOAD", "items": []], "INVALID_PARAMS"),
        ] as [(JSON, String)])
    func refusals(request: JSON, reason: String) {
        var probe = Probe()
        probe.play()
        let answers = probe.askMedia(request)
        #expect(answers.map(\.type) == ["INVALID_REQUEST"])
        #expect(answers.map { $0.json["reason"]?.text } == [reason])
        #expect(probe.state["player"] == "PLAYING")
    }

    @Test("live streams have no duration and cannot be paused or positioned")
    func live() throws {
        var probe = Probe()
        probe.launch()
        let status = try #require(probe.askMedia(Probe.load("http://a/live", streamType: "LIVE"), within: .seconds(1)).first?.status)
        #expect(status["media"]?["duration"] == nil)
        #expect(status["supportedMediaCommands"]?.int.map { $0 & 3 } == 0)
        #expect(probe.askMedia(["type": "PAUSE"]).map { $0.json["reason"]?.text } == ["NOT_SUPPORTED"])
        probe.pass(.seconds(100_000))
        #expect(probe.state["player"] == "PLAYING")
    }

    @Test("GET_STATUS options leave out metadata and queue")
    func options() throws {
        var probe = Probe()
        probe.play()
        let full = try #require(probe.askMedia(["type": "GET_STATUS"]).first?.status)
        #expect(full["media"] != nil && full["items"] != nil)
        let bare = try #require(probe.askMedia(["type": "GET_STATUS", "options": 3]).first?.status)
        #expect(bare["media"] == nil && bare["items"] == nil)
    }

    @Test("stream volume, tracks and text style are the session's own")
    func sessionSettings() throws {
        var probe = Probe()
        probe.launch()
        var load = Probe.load("http://a/b")
        load["media"]?["tracks"] = [["trackId": 1, "type": "TEXT"], ["trackId": 2, "type": "AUDIO"]]
        load["activeTrackIds"] = [1]
        #expect(probe.askMedia(load, within: .seconds(1)).first?.status?["activeTrackIds"] == [1])
        let deviceVolume = probe.state["volume"]
        #expect(probe.askMedia(["type": "SET_VOLUME", "volume": ["muted": true]]).first?.status?["volume"]?["muted"] == true)
        #expect(probe.state["volume"] == deviceVolume && probe.state["muted"] == false)
        let edited = probe.askMedia(["type": "EDIT_TRACKS_INFO", "activeTrackIds": [2], "textTrackStyle": ["fontScale": 2]]).first?.status
        #expect(edited?["activeTrackIds"] == [2])
        #expect(edited?["media"]?["textTrackStyle"] == ["fontScale": 2])
    }

    @Test("a stream type that is null counts as missing", arguments: [.null, 7] as [JSON])
    func nullStreamType(type: JSON) {
        var probe = Probe()
        probe.launch()
        var load = Probe.load("http://a/b")
        load["media"]?["streamType"] = type
        #expect(probe.askMedia(load, within: .seconds(1)).first?.status?["media"]?["streamType"] == "BUFFERED")
    }

    @Test("several senders are in step: each learns what the other did", arguments: [0, 1, 2])
    func severalSenders(connectionType: Int) throws {
        var probe = Probe()
        probe.play()
        probe.open(socket: 2)
        probe.connect(from: "other", socket: 2)
        probe.connect(to: probe.transport, from: "other", type: connectionType, socket: 2)
        _ = probe.askMedia(["type": "PAUSE"])
        let reported = try #require(probe.broadcasts("MEDIA_STATUS").first { $0.socket == 2 })
        #expect(reported.json["requestId"] == 0)
        #expect(reported.status?["playerState"] == "PAUSED")
        #expect(probe.askMedia(["type": "PLAY"], socket: 2, source: "other").first?.status?["playerState"] == "PLAYING")
        #expect(probe.broadcasts("MEDIA_STATUS").contains { $0.socket == 1 })
    }

    @Test("what another sender loads and does reaches the connected ones")
    func remote() throws {
        var probe = Probe()
        probe.take(try probe.model.perform(.load(RemoteItem(url: "http://a/song", title: "Elsewhere", durationSeconds: 60)), at: probe.now))
        probe.pass(.milliseconds(1))
        #expect(probe.broadcasts("RECEIVER_STATUS").last?.status?["applications"]?.elements?.first?["appId"] == "CC1AD845")
        probe.connect(to: probe.transport, type: 2)
        probe.pass(.seconds(2))
        #expect(probe.state["player"] == "PLAYING")
        #expect(probe.state["title"] == "Elsewhere")
        for (action, expected) in [(RemoteAction.pause, "PAUSED"), (.resume, "PLAYING"), (.seek(30), "BUFFERING"), (.stopMedia, "IDLE")] {
            probe.sent = []
            probe.take(try probe.model.perform(action, at: probe.now))
            #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["playerState"]?.text == expected)
        }
        #expect(throws: SimulatorError.self) { try probe.model.perform(.pause, at: probe.now) }
        probe.take(try probe.model.perform(.quit, at: probe.now))
        #expect(probe.state["app"] == nil)
        #expect(throws: SimulatorError.self) { try probe.model.perform(.quit, at: probe.now) }
    }

    @Test("a namespace of the application echoes")
    func echo() {
        var probe = Probe()
        probe.launch(ReceiverApp.orchardRadio.id)
        probe.send(["hello": 1], "urn:x-cast:org.example.echo", to: probe.transport)
        probe.pass(.milliseconds(60))
        #expect(probe.sent.last?.json == ["hello": 1])
    }
}
