import Testing

@testable import CastReceiverSimulator

@Suite struct AdBreakTests {
    /// 100 s with a pre-roll of two clips, a mid-roll at 30 that can be skipped after 5 s, and a post-roll.
    static func probe(embedded: Bool = false, start: Double? = nil) -> Probe {
        var load = Probe.load("http://media/film?duration=100")
        load["currentTime"] = start.map(JSON.number)
        load["media"]?["breakClips"] = [
            ["id": "one", "duration": 10], ["id": "two", "duration": 20, "whenSkippable": 5], ["id": "three"],
        ]
        load["media"]?["breaks"] = [
            ["id": "pre", "position": 0, "breakClipIds": ["one", "three"]],
            ["id": "mid", "position": 30, "breakClipIds": ["two"], "isEmbedded": .bool(embedded)],
            ["id": "post", "position": -1, "breakClipIds": ["one"]],
        ]
        var probe = Probe()
        probe.launch()
        _ = probe.askMedia(load, within: .milliseconds(600))
        return probe
    }

    static func status(_ probe: inout Probe) -> JSON { probe.askMedia(["type": "GET_STATUS"]).first?.status ?? .null }

    @Test("breaks before, within and after the item play at their time and are marked as watched")
    func walk() {
        var probe = Self.probe()
        var clips: [String] = []
        for _ in 0..<1_700 where probe.state["player"] != "IDLE" {
            let clip = probe.state["ad_clip"]?.text ?? "-"
            if clips.last != clip { clips.append(clip) }
            probe.pass(.milliseconds(100))
        }
        #expect(clips == ["one", "three", "-", "two", "-", "one"])
        #expect(probe.state["idle_reason"] == "FINISHED")
        // 100 s of film and 10 + 15 + 20 + 10 s of advertising.
        #expect((155...157).contains(probe.now.inSeconds - 1))
        let watched = probe.broadcasts("MEDIA_STATUS").compactMap { $0.status?["media"]?["breaks"]?.elements }.last
        #expect(watched?.prefix(2).map { $0["isWatched"] } == [true, true])
    }

    @Test("within a break the position of the item stands still, and only what is allowed is offered")
    func status() {
        var probe = Self.probe()
        probe.pass(.seconds(12))
        let status = Self.status(&probe)
        #expect(status["breakStatus"]?["breakId"] == "pre" && status["breakStatus"]?["breakClipId"] == "three")
        #expect(status["currentTime"] == 0 && status["playerState"] == "PLAYING")
        let (whole, clip) = (status["breakStatus"]?["currentBreakTime"]?.double, status["breakStatus"]?["currentBreakClipTime"]?.double)
        #expect(abs((whole ?? 0) - (clip ?? 0) - 10) < 0.01)
        #expect(status["breakStatus"]?["whenSkippable"] == nil)
        #expect(status["supportedMediaCommands"] == 13)
        #expect(probe.askMedia(["type": "SEEK", "currentTime": 50]).map(\.type) == ["INVALID_PLAYER_STATE"])
        #expect(probe.askMedia(["type": "SKIP_AD"]).map { $0.json["reason"]?.text } == ["NOT_SUPPORTED"])
    }

    @Test("a clip can be skipped when its time has come, not before; the change is reported")
    func skip() {
        var probe = Self.probe(start: 29)
        // The pre-roll lies before the start, but the last break passed is the one that plays.
        probe.pass(.seconds(30))
        while probe.state["ad_clip"] != "two" { probe.pass(.milliseconds(100)) }
        #expect(probe.askMedia(["type": "SKIP_AD"]).map { $0.json["reason"]?.text } == ["NOT_SUPPORTED"])
        probe.sent = []
        probe.pass(.seconds(5))
        #expect(probe.broadcasts("MEDIA_STATUS").last?.status?["supportedMediaCommands"] == .integer(13 | 512))
        let skipped = probe.askMedia(["type": "SKIP_AD"]).first?.status
        #expect(skipped?["breakStatus"] == nil)
        #expect((29.9...30.1).contains(skipped?["currentTime"]?.double ?? 0))
        #expect(probe.askMedia(["type": "SKIP_AD"]).map(\.type) == ["INVALID_PLAYER_STATE"])
    }

    @Test("pause stops a break where it is")
    func pause() {
        var probe = Self.probe()
        probe.pass(.seconds(3))
        #expect(probe.askMedia(["type": "PAUSE"]).first?.status?["playerState"] == "PAUSED")
        let before = Self.status(&probe)["breakStatus"]
        probe.pass(.seconds(60))
        #expect(Self.status(&probe)["breakStatus"] == before)
        #expect(probe.askMedia(["type": "PLAY"]).first?.status?["playerState"] == "PLAYING")
        probe.pass(.seconds(30))
        #expect(probe.state["ad_clip"] == nil && probe.state["player"] == "PLAYING")
    }

    @Test("the position advances through a break that is part of the stream", arguments: [(false, 30.0), (true, 50.0)])
    func embedded(isEmbedded: Bool, after: Double) {
        var probe = Self.probe(embedded: isEmbedded)
        while probe.state["ad_clip"] != "two" { probe.pass(.milliseconds(100)) }
        while probe.state["ad_clip"] == "two" { probe.pass(.milliseconds(100)) }
        #expect(abs((probe.state["position"]?.double ?? 0) - after) < 0.2)
    }

    @Test("a seek over breaks plays the last one of them first")
    func seekOver() {
        var probe = Self.probe()
        while probe.state["ad_clip"] != nil { probe.pass(.milliseconds(100)) }
        _ = probe.askMedia(["type": "SEEK", "currentTime": 80], within: .seconds(1))
        #expect(probe.state["ad_clip"] == "two")
        probe.pass(.seconds(20))
        #expect((80...81).contains(probe.state["position"]?.double ?? 0))
    }
}
