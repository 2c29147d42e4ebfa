import Testing

@testable import CastReceiverSimulator

/// Ways in which real receivers word their status, and messages distorted by script.
@Suite struct HabitTests {
    static func probe(_ habit: Habit) -> Probe {
        var settings = ReceiverSettings()
        settings.habits = [habit]
        return Probe(settings: settings)
    }

    @Test("a receiver may list the replaced session beside the present one")
    func formerSession() {
        var probe = Self.probe(.formerSession)
        probe.play()
        _ = probe.askMedia(Probe.load("http://a/2"), within: .seconds(1))
        let list = probe.broadcasts("MEDIA_STATUS").last?.json["status"]?.elements
        #expect(list?.map { $0["mediaSessionId"]?.int } == [2, 1])
        #expect(list?.last?["idleReason"] == "INTERRUPTED")
        _ = probe.ask(["type": "STOP"])
        probe.play()
        #expect(probe.askMedia(["type": "GET_STATUS"]).first?.json["status"]?.elements?.count == 1)
    }

    @Test("a receiver may send its media status flat, with LOADING at the top, or with loose media")
    func wording() {
        var flat = Self.probe(.flatMediaStatus)
        flat.play()
        let status = flat.askMedia(["type": "GET_STATUS"]).first?.json
        #expect(status?["playerState"] == "PLAYING" && status?["status"] == nil && status?["media"] != nil)
        var loading = Self.probe(.loadingState)
        loading.launch()
        _ = loading.askMedia(Probe.load("http://a/b"), within: .seconds(1))
        #expect(loading.broadcasts("MEDIA_STATUS").first?.status?["playerState"] == "LOADING")
        var loose = Self.probe(.looseMedia)
        loose.play()
        let media = loose.askMedia(["type": "GET_STATUS"]).first?.status?["media"]
        #expect(media?["streamType"] == "buffered" && media?["duration"] == .null)
    }

    @Test(
        "a receiver reports a shuffle while there is one, always or never",
        arguments: [nil, Habit.queueDataAlways, .queueDataWithoutShuffle])
    func shuffle(habit: Habit?) {
        var probe = habit.map(Self.probe) ?? Probe()
        probe.launch()
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": QueueTests.items], within: .seconds(1))
        for isShuffled in [true, false] {
            _ = probe.askMedia(["type": "QUEUE_UPDATE", "shuffle": .bool(isShuffled)])
            let reported = probe.broadcasts("MEDIA_STATUS").last?.status?["queueData"]?["shuffle"]
            switch habit {
            case nil: #expect(reported == (isShuffled ? true : nil))
            case .queueDataAlways: #expect(reported == .bool(isShuffled))
            default: #expect(reported == nil)
            }
        }
    }

    @Test("each item of a queue may be a session of its own")
    func sessionPerItem() {
        var probe = Self.probe(.sessionPerItem)
        probe.launch()
        _ = probe.askMedia(["type": "QUEUE_LOAD", "items": QueueTests.items], within: .seconds(1))
        probe.pass(.seconds(11))
        #expect(probe.state["media_session_id"] == 2 && probe.state["title"] == "b")
        _ = probe.askMedia(["type": "QUEUE_UPDATE", "jump": 1], within: .seconds(1))
        #expect(probe.state["media_session_id"] == 3)
    }

    @Test("a receiver may acknowledge a launch and a load, and do neither")
    func acknowledgedOnly() throws {
        var probe = Self.probe(.acknowledgedOnly)
        let launch = probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(5))
        #expect(launch.contains { $0.json["type"] == "RECEIVER_STATUS" })
        #expect(probe.state["app_id"] != "CC1AD845")
        probe.take(try probe.model.perform(.habit(.acknowledgedOnly, false), at: probe.now))
        probe.play()
        probe.take(try probe.model.perform(.habit(.acknowledgedOnly, true), at: probe.now))
        let title = probe.state["content_id"]
        let load = probe.askMedia(Probe.load("http://a/other"), within: .seconds(5))
        #expect(load.map { $0.json["type"] } == ["MEDIA_STATUS"])
        #expect(probe.state["content_id"] == title)
    }

    @Test("a receiver may launch another application than the one that was asked for")
    func otherApplication() {
        var probe = Self.probe(.otherApplication)
        _ = probe.ask(["type": "LAUNCH", "appId": .string(ReceiverApp.orchardRadio.id)], within: .seconds(5))
        #expect(probe.state["app_id"] == "CC1AD845")
    }

    @Test("a receiver may report no media session whatever plays")
    func emptyStatus() {
        var probe = Self.probe(.emptyStatus)
        probe.play()
        #expect(probe.state["player"] == "PLAYING")
        #expect(probe.askMedia(["type": "GET_STATUS"]).first?.json["status"] == [])
        #expect(probe.broadcasts("MEDIA_STATUS").allSatisfy { $0.json["status"] == [] })
    }

    @Test("requests of a type are ignored until that ends; others are answered")
    func ignoredType() throws {
        var probe = Probe()
        probe.launch()
        probe.take(try probe.model.perform(.ignore(type: "QUEUE_LOAD", true), at: probe.now))
        let items: JSON = ["type": "QUEUE_LOAD", "items": QueueTests.items]
        #expect(probe.askMedia(items, within: .seconds(5)).count == 0)
        #expect(probe.state["player"] == "NONE")
        #expect(probe.askMedia(["type": "GET_STATUS"]).count > 0)
        probe.take(try probe.model.perform(.ignore(type: "QUEUE_LOAD", false), at: probe.now))
        #expect(probe.askMedia(items, within: .seconds(5)).count > 0)
        let line = #"{"device":"sim-001","do":"ignore","type":"PLAY"}"#
        #expect(try ControlRequest(line: line) == .device("sim-001", .remote(.ignore(type: "PLAY", true))))
    }

    @Test("requests of a type are answered without effect until that ends")
    func pretendedType() throws {
        var probe = Probe()
        probe.play()
        probe.take(try probe.model.perform(.pretend(type: "PAUSE", true), at: probe.now))
        let pause: JSON = ["type": "PAUSE", "mediaSessionId": probe.state["media_session_id"] ?? .null]
        #expect(probe.askMedia(pause).first?.status?["playerState"] == "PLAYING")
        probe.take(try probe.model.perform(.pretend(type: "SET_VOLUME", true), at: probe.now))
        let level = probe.state["volume"]
        #expect(probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.125]]).first?.json["type"] == "RECEIVER_STATUS")
        #expect(probe.state["volume"] == level)
        probe.take(try probe.model.perform(.pretend(type: "PAUSE", false), at: probe.now))
        #expect(probe.askMedia(pause).first?.status?["playerState"] == "PAUSED")
        let line = #"{"device":"sim-001","do":"pretend","type":"PLAY"}"#
        #expect(try ControlRequest(line: line) == .device("sim-001", .remote(.pretend(type: "PLAY", true))))
    }

    @Test("the outcome of a media request is only broadcast, without a request id")
    func outcomeBroadcast() {
        var probe = Self.probe(.outcomeBroadcast)
        probe.play()
        let pause: JSON = ["type": "PAUSE", "mediaSessionId": probe.state["media_session_id"] ?? .null]
        #expect(probe.askMedia(pause).isEmpty)
        #expect(probe.state["player"] == "PAUSED")
        #expect(probe.broadcasts("MEDIA_STATUS").last?.json["requestId"] == nil)
        #expect(probe.askMedia(["type": "GET_STATUS"]).count == 1)
    }

    @Test("messages of one type lose and change members by script, until it is undone")
    func distortion() throws {
        var probe = Probe()
        probe.play()
        let distortion = Distortion(
            type: "MEDIA_STATUS",
            changes: ["status.0.playerState": "DANCING", "status.0.media.duration": .null, "status.7.x": 1, "odd": [1]],
            removals: ["status.0.mediaSessionId", "no.where"])
        probe.take(try probe.model.perform(.distort(distortion), at: probe.now))
        var reported = try #require(probe.askMedia(["type": "GET_STATUS"]).first)
        #expect(reported.status?["playerState"] == "DANCING" && reported.status?["media"]?["duration"] == .null)
        #expect(reported.status?["mediaSessionId"] == nil && reported.json["odd"] == [1])
        #expect(probe.ask(["type": "GET_STATUS"]).first?.json["odd"] == nil)
        probe.take(try probe.model.perform(.undistort, at: probe.now))
        reported = try #require(probe.askMedia(["type": "GET_STATUS"]).first)
        #expect(reported.status?["playerState"] == "PLAYING")
    }

    @Test("a device takes 64 distortions")
    func distortionLimit() throws {
        var probe = Probe()
        let distortion = Distortion(type: "MEDIA_STATUS", changes: ["odd": [1]], removals: [])
        for _ in 0..<Distortion.maximumCount { _ = try probe.model.perform(.distort(distortion), at: probe.now) }
        #expect { _ = try probe.model.perform(.distort(distortion), at: probe.now) } throws: {
            ($0 as? SimulatorError)?.code == .wrongState
        }
    }

    @Test("any message can be sent, by the application or by the platform")
    func sendMessage() throws {
        var probe = Probe()
        probe.play()
        for (namespace, source) in [(Probe.media, probe.transport), ("urn:x-cast:anything", "receiver-0")] {
            probe.sent = []
            probe.take(try probe.model.perform(.sendMessage(namespace: namespace, ["type": "NEWS"]), at: probe.now))
            #expect(probe.sent.map(\.source) == [source] && probe.sent.map(\.namespace) == [namespace])
            #expect(probe.sent.map(\.json) == [["type": "NEWS"]] && probe.sent.map(\.destination) == ["*"])
        }
    }

    @Test("habits and sabotages come and go while it runs")
    func switching() throws {
        var probe = Probe()
        probe.take(try probe.model.perform(.sabotage(.launchUnanswered, true), at: probe.now))
        #expect(probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(2)).isEmpty)
        probe.take(try probe.model.perform(.sabotage(.launchUnanswered, false), at: probe.now))
        probe.take(try probe.model.perform(.habit(.launchStatusOnly, true), at: probe.now))
        #expect(probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(2)).map(\.type) == ["LAUNCH_STATUS"])
        probe.take(try probe.model.perform(.habit(.launchStatusOnly, false), at: probe.now))
        #expect(probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(2)).map(\.type) == ["RECEIVER_STATUS"])
    }

    @Test("a stored session continues on another device with position, tracks, rate and queue", arguments: [false, true])
    func transfer(isPaused: Bool) throws {
        var source = Probe()
        source.launch()
        _ = source.askMedia(
            ["type": "QUEUE_LOAD", "items": QueueTests.items, "startIndex": 2, "repeatMode": "REPEAT_ALL"], within: .seconds(1))
        _ = source.askMedia(["type": "SET_PLAYBACK_RATE", "playbackRate": 0.5])
        source.pass(.seconds(2))
        if isPaused { _ = source.askMedia(["type": "PAUSE"]) }
        let stored = try #require(source.askMedia(["type": "STORE_SESSION"]).first)
        #expect(stored.type == "SESSION_STATE")
        let position = try #require(source.state["position"]?.double)
        var target = Probe(seed: 2)
        target.launch()
        let answers = target.askMedia(
            ["type": "RESUME_SESSION", "sessionState": try #require(stored.json["sessionState"])], within: .milliseconds(600))
        #expect(answers.map(\.type) == ["MEDIA_STATUS"])
        #expect(target.state["title"] == "c" && target.state["queue_length"] == 5 && target.state["repeat_mode"] == "REPEAT_ALL")
        #expect(target.state["rate"] == 0.5 && abs((target.state["position"]?.double ?? 0) - position) < 0.4)
        #expect(target.state["player"] == (isPaused ? "PAUSED" : "PLAYING"))
    }

    @Test("an application that cannot be transferred refuses, and its commands show it")
    func transferRefused() {
        for (application, mask) in [(ReceiverApp.defaultMediaReceiver, 262_144), (.orchardRadio, 0)] {
            var probe = Probe()
            probe.launch(application.id)
            let status = probe.askMedia(Probe.load("http://a/b"), within: .seconds(1)).first?.status
            #expect((status?["supportedMediaCommands"]?.int ?? 0) & 262_144 == mask)
            let answer = probe.askMedia(["type": "STORE_SESSION"]).first
            #expect(answer?.type == (mask == 0 ? "INVALID_REQUEST" : "SESSION_STATE"))
        }
    }
}
