import Testing

@testable import CastReceiverSimulator

@Suite struct LaunchAnswerTests {
    private static func probe(_ habit: Habit?, _ model: DeviceModel = .googleHomeMini) -> Probe {
        var settings = ReceiverSettings()
        if let habit { settings.habits = [habit] }
        return Probe(model, settings: settings)
    }

    private static let launch: JSON = ["type": "LAUNCH", "appId": "CC1AD845"]

    @Test(
        "each form in which receivers answer a launch starts the application",
        arguments: [
            (nil, .googleHomeMini, ["RECEIVER_STATUS"]), (nil, .androidTV, ["LAUNCH_STATUS", "RECEIVER_STATUS"]),
            (.launchStatusOnly, .googleHomeMini, ["LAUNCH_STATUS"]),
            (.launchAnswersDoubled, .googleHomeMini, ["LAUNCH_STATUS", "LAUNCH_STATUS", "RECEIVER_STATUS", "RECEIVER_STATUS"]),
            (.launchAnswersLate, .googleHomeMini, ["LAUNCH_STATUS", "RECEIVER_STATUS"]),
        ] as [(Habit?, DeviceModel, [String])])
    func forms(habit: Habit?, model: DeviceModel, types: [String]) throws {
        var probe = Self.probe(habit, model)
        let answers = probe.ask(Self.launch, within: .seconds(5))
        #expect(answers.map(\.type) == types)
        #expect(answers.allSatisfy { ($0.json["requestId"] == nil) == ($0.type == "LAUNCH_STATUS") })
        let reported = try #require(probe.broadcasts("RECEIVER_STATUS").first { $0.status?["applications"] != nil })
        let answered = try #require(probe.sent.last { !$0.isBroadcast && $0.namespace == Probe.receiver })
        #expect((answered.at - reported.at > .seconds(2)) == (habit == .launchAnswersLate))
        #expect(probe.state["app_id"] == "CC1AD845")
        // An application that runs already is not started again, whatever the form.
        let session = probe.state["session_id"]
        #expect(!probe.ask(Self.launch, within: .seconds(5)).isEmpty)
        #expect(probe.state["session_id"] == session)
    }

    @Test("with a question on the screen a launch waits for the user", arguments: [true, false])
    func permission(isAllowed: Bool) throws {
        var probe = Self.probe(nil, .chromecastUltra)
        probe.take(try probe.model.perform(.askPermission(true), at: probe.now))
        #expect(throws: SimulatorError.self) { try probe.model.perform(.answerPermission(true), at: .zero) }
        #expect(probe.ask(Self.launch, within: .seconds(30)).map { $0.json["status"]?.text } == ["USER_PENDING_AUTHORIZATION"])
        #expect(probe.state["app_id"] == "E8C28D3C" && probe.state["waits_for_permission"] == true)
        probe.sent = []
        probe.take(try probe.model.perform(.answerPermission(isAllowed), at: probe.now))
        probe.pass(.seconds(2))
        let answers = probe.sent.filter { !$0.isBroadcast && $0.namespace == Probe.receiver }
        if isAllowed {
            #expect(answers.map(\.type) == ["LAUNCH_STATUS", "RECEIVER_STATUS"])
            #expect(answers.first?.json["status"] == "USER_ALLOWED")
        } else {
            #expect(answers.map { $0.json["reason"]?.text } == ["CANCELLED"])
            #expect(answers.first?.json["extendedError"] == "USER_NOT_ALLOWED")
        }
        #expect(probe.state["app_id"] == (isAllowed ? "CC1AD845" : "E8C28D3C"))
    }

    @Test("an unanswered question ends the launch")
    func permissionTimeout() throws {
        var probe = Self.probe(nil, .chromecastUltra)
        probe.take(try probe.model.perform(.askPermission(true), at: probe.now))
        _ = probe.ask(Self.launch)
        probe.pass(.seconds(125))
        #expect(probe.sent.contains { $0.json["reason"] == "CANCELLED" && $0.json["extendedError"] == nil })
    }

    @Test("a television in standby with another input reports it and is woken by a launch")
    func screen() throws {
        var probe = Self.probe(nil, .nestHub)
        probe.take(try probe.model.perform(.screen(standBy: true, activeInput: false), at: probe.now))
        let asleep = probe.broadcasts("RECEIVER_STATUS").last?.status
        #expect(asleep?["isStandBy"] == true && asleep?["isActiveInput"] == false)
        let awake = probe.ask(Self.launch, within: .seconds(2)).last?.status
        #expect(awake?["isStandBy"] == false && awake?["isActiveInput"] == true)
        var speaker = Self.probe(nil)
        #expect(throws: SimulatorError.self) { try speaker.model.perform(.screen(standBy: true, activeInput: nil), at: .zero) }
    }

    @Test("a STOP without an answer still appears in the broadcast, and SET_VOLUME may report the previous level first")
    func stopAndVolume() {
        var silent = Self.probe(.silentStop)
        silent.launch()
        #expect(silent.ask(["type": "STOP"]).isEmpty)
        #expect(!silent.broadcasts("RECEIVER_STATUS").isEmpty && silent.state["app"] == nil)
        var late = Self.probe(.formerVolumeInAnswer)
        let former = late.state["volume"]
        let answer = late.ask(["type": "SET_VOLUME", "volume": ["level": 0.9]]).first?.status
        #expect(answer?["volume"]?["level"] == former)
        #expect(abs((late.broadcasts("RECEIVER_STATUS").last?.status?["volume"]?["level"]?.double ?? 0) - 0.9) < 0.001)
    }

    @Test("an application ends after a long pause where that is limited")
    func longPause() {
        var settings = ReceiverSettings()
        settings.pauseLimit = .seconds(1_200)
        var probe = Probe(settings: settings)
        probe.play()
        _ = probe.askMedia(["type": "PAUSE"])
        probe.pass(.seconds(1_199))
        #expect(probe.state["player"] == "PAUSED")
        _ = probe.askMedia(["type": "PLAY"])
        _ = probe.askMedia(["type": "PAUSE"])
        probe.pass(.seconds(1_199))
        #expect(probe.state["player"] == "PAUSED")
        probe.pass(.seconds(2))
        #expect(probe.state["app"] == nil)
        #expect(probe.sent.contains { $0.type == "CLOSE" })
    }
}
