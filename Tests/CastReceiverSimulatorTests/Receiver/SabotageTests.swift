import Testing

@testable import CastReceiverSimulator

/// Every sabotage breaks the behaviour that it names; with the same steps the sound receiver does not.
@Suite struct SabotageTests {
    static func both(_ sabotage: Sabotage, _ steps: (inout Probe) -> Bool) -> [Bool] {
        var sound = Probe()
        var broken = Probe.sabotaged(sabotage)
        return [steps(&sound), steps(&broken)]
    }

    @Test("no-pong neither answers nor sends PING")
    func noPong() {
        #expect(
            Self.both(.noPong) { probe in
                probe.sent = []
                probe.send(["type": "PING"], Probe.heartbeat)
                probe.pass(.seconds(6), answeringPings: false)
                return probe.sent.map(\.type) == ["PONG", "PING"]
            } == [true, false])
    }

    @Test("wrong-request-id answers another sender")
    func wrongRequestID() {
        #expect(Self.both(.wrongRequestID) { $0.ask(["type": "GET_STATUS"]).count == 1 } == [true, false])
    }

    @Test("stale-position does not move")
    func stalePosition() {
        #expect(
            Self.both(.stalePosition) { probe in
                probe.play()
                probe.pass(.seconds(30))
                return probe.askMedia(["type": "GET_STATUS"]).first?.status?["currentTime"]?.double ?? 0 > 29
            } == [true, false])
    }

    @Test("no-broadcast answers only the asker")
    func noBroadcast() {
        #expect(
            Self.both(.noBroadcast) { probe in
                let answers = probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.9]])
                return answers.count == 1 && !probe.broadcasts("RECEIVER_STATUS").isEmpty
            } == [true, false])
    }

    @Test("double-reply answers twice")
    func doubleReply() {
        #expect(Self.both(.doubleReply) { $0.ask(["type": "GET_STATUS"]).count == 1 } == [true, false])
    }

    @Test(
        "oversize-frame and garbage-frame answer GET_STATUS with bytes that are no frame",
        arguments: [(Sabotage.oversizeFrame, 65_537 + 4), (.garbageFrame, 12)])
    func noFrame(sabotage: Sabotage, size: Int) {
        var probe = Probe.sabotaged(sabotage)
        #expect(probe.ask(["type": "GET_STATUS"]).isEmpty)
        let raw = probe.others.compactMap { if case .sendRaw(let bytes, on: 1) = $0 { bytes.count } else { nil } }
        #expect(raw == [size])
    }

    @Test("other-identity reports another id everywhere")
    func otherIdentity() {
        let results = Self.both(.otherIdentity) { probe in
            let reported = probe.ask(["type": "GET_DEVICE_INFO"], InformationTests.discovery).first?.json["deviceId"]?.text
            let eureka = probe.model.eurekaInformation(parameters: ["device_info"], at: .zero)["device_info"]?["ssdp_udn"]?.text
            return reported == probe.model.description.id && eureka == probe.model.description.uuid
        }
        #expect(results == [true, false])
    }

    @Test("seek-resumes plays after a seek in pause")
    func seekResumes() {
        #expect(
            Self.both(.seekResumes) { probe in
                probe.play()
                _ = probe.askMedia(["type": "PAUSE"])
                _ = probe.askMedia(["type": "SEEK", "currentTime": 5], within: .seconds(1))
                return probe.state["player"] == "PAUSED"
            } == [true, false])
    }

    @Test("mute-ignored answers and stays loud")
    func muteIgnored() {
        #expect(
            Self.both(.muteIgnored) { probe in
                _ = probe.ask(["type": "SET_VOLUME", "volume": ["muted": true]])
                return probe.state["muted"] == true
            } == [true, false])
    }

    @Test("wrong-session-id names a session that is not there")
    func wrongSessionID() {
        #expect(
            Self.both(.wrongSessionID) { probe in
                probe.play()
                return probe.askMedia(["type": "GET_STATUS"]).first?.status?["mediaSessionId"] == probe.state["media_session_id"]
            } == [true, false])
    }

    @Test("bad-frame-length states more bytes than follow")
    func badFrameLength() throws {
        var probe = Probe.sabotaged(.badFrameLength)
        #expect(probe.ask(["type": "GET_STATUS"]).isEmpty)
        let frames = probe.others.compactMap { if case .sendRaw(let bytes, on: 1) = $0 { bytes } else { nil } }
        let frame = try #require(frames.first)
        let stated = frame[..<4].reduce(0) { $0 << 8 | Int($1) }
        #expect(frames.count == 1 && stated == frame.count - 4 + 5)
    }

    @Test("launch-unanswered starts nothing")
    func launchUnanswered() {
        #expect(
            Self.both(.launchUnanswered) { probe in
                !probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(5)).isEmpty && probe.state["app_id"] == "CC1AD845"
            } == [true, false])
    }
}
