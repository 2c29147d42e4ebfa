import Testing

@testable import CastReceiverSimulator

@Suite struct LiveAndTracksTests {
    static func live(_ query: String, start: Double? = nil) -> Probe {
        var probe = Probe()
        probe.launch()
        var load = Probe.load("http://a/live?\(query)", streamType: "LIVE")
        load["currentTime"] = start.map(JSON.number)
        _ = probe.askMedia(load, within: .seconds(1))
        return probe
    }

    @Test("a live stream with a window starts at the live edge; its range moves with the time")
    func window() {
        var probe = Self.live("live_window=60")
        let first = AdBreakTests.status(&probe)
        probe.pass(.seconds(30))
        let second = AdBreakTests.status(&probe)
        for (status, elapsed) in [(first, 1.0), (second, 31.0)] {
            let range = status["liveSeekableRange"]
            #expect(abs((range?["start"]?.double ?? 0) - elapsed) < 0.5 && abs((range?["end"]?.double ?? 0) - elapsed - 60) < 0.5)
            #expect(range?["isMovingWindow"] == true && range?["isLiveDone"] == false)
            #expect(abs((status["currentTime"]?.double ?? 0) - elapsed - 60) < 0.5)
        }
        #expect(second["media"]?["duration"] == nil && (second["supportedMediaCommands"]?.int ?? 0) & 3 == 3)
    }

    @Test("a seek is limited to the window, and media that was paused for too long continues at its start")
    func seekAndPause() {
        var probe = Self.live("live_window=60")
        let atStart = probe.askMedia(["type": "SEEK", "currentTime": 0], within: .seconds(1)).first?.status
        #expect(atStart?["currentTime"] == atStart?["liveSeekableRange"]?["start"])
        _ = probe.askMedia(["type": "SEEK", "currentTime": 1e9], within: .seconds(1))
        _ = probe.askMedia(["type": "PAUSE"])
        let paused = probe.state["position"]?.double ?? 0
        probe.pass(.seconds(200))
        #expect(probe.state["position"]?.double == paused)
        let resumed = probe.askMedia(["type": "PLAY"]).first?.status
        #expect(resumed?["currentTime"] == resumed?["liveSeekableRange"]?["start"])
        #expect(probe.askMedia(["type": "SET_PLAYBACK_RATE", "playbackRate": 2]).map { $0.json["reason"]?.text } == ["NOT_SUPPORTED"])
    }

    @Test("when the broadcast is over the range stands still, and playback finishes at its end")
    func done() {
        var probe = Self.live("live_window=60&live_ends=10", start: 20)
        probe.sent = []
        probe.pass(.seconds(20))
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["liveSeekableRange"]?["isLiveDone"] == true)
        #expect(AdBreakTests.status(&probe)["liveSeekableRange"]?["end"] == 70)
        #expect(probe.state["player"] == "PLAYING")
        probe.pass(.seconds(31))
        #expect(probe.state["idle_reason"] == "FINISHED")
    }

    @Test(
        "a broadcast finishes once at whatever rate it was loaded and however soon it plays and ends", .timeLimit(.minutes(5)),
        arguments: [(2, 100, 20), (0.5, 100, 20), (2, 0, 20), (1, 0, 0), (2, 0, 0)] as [(Double, Int, Int)])
    func doneAtTheEdge(rate: Double, buffering: Int, ends: Int) {
        var settings = ReceiverSettings()
        settings.bufferingTime = .milliseconds(buffering) ... .milliseconds(buffering)
        var probe = Probe(settings: settings)
        probe.launch()
        let load = Probe.load("http://a/l?live_window=60&live_ends=\(ends)", ["playbackRate": .number(rate)], streamType: "LIVE")
        _ = probe.askMedia(load, within: .seconds(1))
        #expect((AdBreakTests.status(&probe)["playbackRate"]?.double ?? 1) == 1, "live has no rates")
        probe.sent = []
        probe.pass(.seconds(30))
        #expect(probe.state["idle_reason"] == "FINISHED")
        #expect(probe.broadcasts("MEDIA_STATUS").count <= 2)
    }

    @Test("an item that repeats without taking any time fails instead of going on for ever", .timeLimit(.minutes(5)))
    func timeless() {
        var settings = ReceiverSettings()
        (settings.loadingTime, settings.bufferingTime) = (.zero ... .zero, .zero ... .zero)
        var probe = Probe(settings: settings)
        probe.launch()
        var item = QueueTests.item("x")
        item["startTime"] = 10
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": [item], "repeatMode": "REPEAT_SINGLE"], within: .seconds(1))
        #expect(probe.state["idle_reason"] == "ERROR")
    }

    @Test("the picture is reported where the URL describes one")
    func video() {
        var probe = Probe()
        probe.play("http://media/film?video=3840x2160&hdr=dv")
        #expect(AdBreakTests.status(&probe)["videoInfo"] == ["width": 3840, "height": 2160, "hdrType": "dv"])
    }

    static func tracks() -> Probe {
        var load = Probe.load("http://a/b")
        load["media"]?["tracks"] = [
            ["trackId": 1, "type": "TEXT", "subtype": "SUBTITLES", "language": "en"],
            ["trackId": 2, "type": "TEXT", "subtype": "SUBTITLES", "language": "de-AT"],
            ["trackId": 3, "type": "AUDIO", "language": "en"], ["trackId": 4, "type": "AUDIO", "language": "fr"],
        ]
        load["activeTrackIds"] = [3]
        var probe = Probe()
        probe.launch()
        _ = probe.askMedia(load, within: .seconds(1))
        return probe
    }

    @Test(
        "tracks are chosen by id, by language, or switched off and on",
        arguments: [
            (["type": "EDIT_TRACKS_INFO", "activeTrackIds": [1, 4]], [1, 4]),
            (["type": "EDIT_TRACKS_INFO", "language": "de"], [3, 2]),
            (["type": "EDIT_TRACKS_INFO", "language": "de", "activeTrackIds": [1]], [3, 2]),
            (["type": "EDIT_TRACKS_INFO", "enableTextTracks": true], [3, 1]),
            (["type": "EDIT_TRACKS_INFO", "activeTrackIds": [1, 3], "enableTextTracks": false], [3]),
            (["type": "EDIT_AUDIO_TRACKS", "language": "fr-CA"], [4]), (["type": "EDIT_TRACKS_INFO", "activeTrackIds": []], []),
        ] as [(JSON, [Int])])
    func choose(request: JSON, expected: [Int]) {
        var probe = Self.tracks()
        #expect(probe.askMedia(request).first?.status?["activeTrackIds"]?.elements?.compactMap(\.int) == expected)
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["activeTrackIds"]?.elements?.compactMap(\.int) == expected)
    }

    @Test("a style changes what it names and leaves the rest")
    func style() {
        var probe = Self.tracks()
        _ = probe.askMedia(["type": "EDIT_TRACKS_INFO", "textTrackStyle": ["fontScale": 1.5, "edgeType": "OUTLINE"]])
        let status = probe.askMedia(["type": "EDIT_TRACKS_INFO", "textTrackStyle": ["foregroundColor": "#FF00ff80"]]).first?.status
        #expect(status?["media"]?["textTrackStyle"] == ["fontScale": 1.5, "edgeType": "OUTLINE", "foregroundColor": "#FF00ff80"])
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["media"]?["textTrackStyle"]?["fontScale"] == 1.5)
    }
}
