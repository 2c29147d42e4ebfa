import Testing

@testable import CastReceiverSimulator

@Suite struct PlatformTests {
    @Test("a message without a virtual connection is dropped in silence, and answered after CONNECT")
    func silence() {
        var probe = Probe()
        #expect(probe.ask(["type": "GET_STATUS"], from: "sender-9").isEmpty)
        probe.connect(from: "sender-9")
        #expect(probe.ask(["type": "GET_STATUS"], from: "sender-9").count == 1)
    }

    @Test("a request without a request id is not answered")
    func withoutRequestID() {
        var probe = Probe()
        probe.sent = []
        probe.send(["type": "GET_STATUS"], Probe.receiver)
        probe.pass(.seconds(1))
        #expect(probe.sent.isEmpty)
    }

    @Test(
        "payloads that are no JSON object disturb nothing",
        arguments: ["", "[]", "{", "null", "7", #"{"type":3,"requestId":1}"#, #"{"requestId":1}"#])
    func nonsense(payload: String) {
        var probe = Probe()
        for namespace in [Probe.receiver, Probe.connection, Probe.heartbeat, "urn:x-cast:com.google.cast.setup", "x"] {
            probe.take(
                probe.model.received(
                    .init(sourceID: "sender-0", destinationID: "receiver-0", namespace: namespace, payload: .text(payload)), on: 1,
                    at: probe.now))
        }
        probe.pass(.seconds(1))
        #expect(probe.ask(["type": "GET_STATUS"]).count == 1)
    }

    @Test("an idle audio device has no applications key, a classic display shows Backdrop")
    func idleStatus() throws {
        var audio = Probe(.googleHomeMini)
        let audioStatus = try #require(audio.ask(["type": "GET_STATUS"]).first?.status)
        #expect(audioStatus["applications"] == nil)
        #expect(audioStatus["isActiveInput"] == nil)
        var display = Probe(.chromecastUltra)
        let displayStatus = try #require(display.ask(["type": "GET_STATUS"]).first?.status)
        #expect(displayStatus["applications"]?.elements?.first?["isIdleScreen"] == true)
        #expect(displayStatus["applications"]?.elements?.first?["appId"] == "E8C28D3C")
        #expect(displayStatus["isStandBy"] == false)
    }

    @Test("a launch is answered to the asker and broadcast; launching again joins")
    func launch() throws {
        var probe = Probe()
        probe.open(socket: 2)
        probe.connect(socket: 2)
        let answers = probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(1))
        #expect(answers.count == 1)
        let application = try #require(answers.first?.status?["applications"]?.elements?.first)
        #expect(application["namespaces"]?.elements?.contains(["name": .string(Probe.media)]) == true)
        #expect(probe.broadcasts("RECEIVER_STATUS").map(\.socket) == [1, 2])
        let again = probe.ask(["type": "LAUNCH", "appId": "CC1AD845"])
        #expect(again.first?.status?["applications"]?.elements?.first?["sessionId"] == application["sessionId"])
    }

    @Test("a model that launches in steps shows the application without namespaces first")
    func launchInSteps() {
        var probe = Probe(.chromecastUltra)
        let answers = probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(2))
        let lists = probe.broadcasts("RECEIVER_STATUS").map { $0.status?["applications"]?.elements?.first?["namespaces"]?.elements?.count }
        #expect(lists == [0, 3])
        #expect(answers.map { $0.status?["applications"]?.elements?.first?["namespaces"]?.elements?.count } == [3])
    }

    @Test("Android TV sends USER_ALLOWED first, with launchRequestId")
    func launchStatus() {
        var probe = Probe(.androidTV)
        let answers = probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(1))
        #expect(answers.map(\.type) == ["LAUNCH_STATUS", "RECEIVER_STATUS"])
        #expect(answers.first?.json["status"] == "USER_ALLOWED")
    }

    @Test(
        "what cannot be launched is refused",
        arguments: [("NOPE", "NOT_FOUND"), ("5A1D0002", "NOT_FOUND"), (nil, "BAD_PARAMETER")] as [(String?, String)])
    func launchErrors(id: String?, reason: String) {
        var probe = Probe(.googleHomeMini)
        let answers = probe.ask(.members(["type": "LAUNCH", "appId": id.map(JSON.string)]))
        #expect(answers.map { $0.json["reason"]?.text } == [reason])
        #expect(answers.map(\.type) == ["LAUNCH_ERROR"])
    }

    @Test("a launch over an invisible connection to the platform is refused")
    func invisibleLaunch() {
        var probe = Probe()
        probe.connect(type: 2)
        #expect(
            probe.ask(["type": "LAUNCH", "appId": "CC1AD845"], within: .seconds(1)).map { $0.json["reason"]?.text } == ["INVALID_COMMAND"])
        #expect(probe.state["app"] == nil)
    }

    @Test("a second launch cancels the first, a second one of the same application waits with it")
    func competingLaunches() {
        var probe = Probe()
        probe.sent = []
        for (id, app) in [(101, "CC1AD845"), (102, "CC1AD845"), (103, "5A1D0001")] {
            probe.send(["type": "LAUNCH", "appId": .string(app), "requestId": .integer(id)], Probe.receiver)
            probe.pass(.milliseconds(51))
        }
        probe.pass(.seconds(1))
        let direct = probe.sent.filter { !$0.isBroadcast }
        #expect(direct.map(\.type) == ["LAUNCH_ERROR", "LAUNCH_ERROR", "RECEIVER_STATUS"])
        #expect(direct.map { $0.json["requestId"]?.int } == [101, 102, 103])
        #expect(probe.state["app_id"] == "5A1D0001")
    }

    @Test("STOP ends the application; the virtual connections are closed as the model does it", arguments: DeviceModel.all)
    func stop(model: DeviceModel) throws {
        var probe = Probe(model)
        probe.launch()
        #expect(probe.state["app_id"] == "CC1AD845")
        let transport = probe.transport
        #expect(probe.ask(["type": "STOP", "sessionId": "other"]).map { $0.json["reason"]?.text } == ["INVALID_SESSION_ID"])
        let session = try #require(probe.state["session_id"])
        let answers = probe.ask(["type": "STOP", "sessionId": session])
        #expect(answers.map(\.type) == ["RECEIVER_STATUS"])
        let order = probe.sent.filter { $0.type == "CLOSE" || $0.isBroadcast }.map(\.type)
        switch model.closing {
        case .beforeStatus: #expect(order == ["CLOSE", "RECEIVER_STATUS"])
        case .afterStatus: #expect(order == ["RECEIVER_STATUS", "CLOSE"])
        case .never: #expect(order == ["RECEIVER_STATUS"])
        }
        #expect(probe.state["app_id"] == (model.hasIdleScreen ? "E8C28D3C" : nil))
        #expect(probe.ask(["type": "GET_STATUS"], Probe.media, to: transport).isEmpty)
    }

    @Test("CONNECT to a transport that does not run is answered by CLOSE")
    func connectUnknown() {
        var probe = Probe()
        probe.sent = []
        probe.connect(to: "gone")
        #expect(probe.sent.map(\.type) == ["CLOSE"])
        #expect(probe.sent.first?.source == "gone")
    }

    @Test("CONNECT with protocol versions is answered by CONNECTED, without them by nothing")
    func connected() {
        var probe = Probe()
        #expect(!probe.sent.contains { $0.type == "CONNECTED" })
        probe.send(["type": "CONNECT", "protocolVersionList": [0, 2, 9]], Probe.connection, from: "sender-1")
        probe.pass(.milliseconds(60))
        #expect(probe.sent.last?.json == ["type": "CONNECTED", "protocolVersion": 2])
    }

    @Test("an application that needs strong senders ends with the last of them, and not with weak or invisible ones")
    func strongSenders() {
        var probe = Probe(.chromecastUltra)
        probe.launch(ReceiverApp.pictureFrame.id)
        probe.open(socket: 2)
        probe.connect(socket: 2)
        probe.connect(to: probe.transport, from: "watcher", type: 2, socket: 2)
        #expect(probe.state["app_id"] == "5A1D0002")
        probe.send(["type": "CLOSE"], Probe.connection, to: probe.transport)
        probe.pass(.milliseconds(60))
        #expect(probe.state["app_id"] == "E8C28D3C")
    }

    @Test(
        "an application also ends when the socket of its last strong sender breaks, others stay",
        arguments: [(ReceiverApp.pictureFrame.id, true), (ReceiverApp.defaultMediaReceiver.id, false)])
    func brokenSocket(id: String, ends: Bool) {
        var probe = Probe(.chromecastUltra)
        probe.launch(id)
        probe.take(probe.model.closed(1, at: probe.now))
        #expect((probe.state["app_id"]?.text == id) == !ends)
    }

    @Test("a request takes effect also when its sender leaves before the answer is due", arguments: [false, true])
    func earlyLeave(closesFirst: Bool) {
        var settings = ReceiverSettings()
        settings.answerDelay = .milliseconds(50) ... .milliseconds(50)
        var probe = Probe(settings: settings)
        probe.launch(ReceiverApp.defaultMediaReceiver.id)
        let session = probe.state["session_id"] ?? .null
        probe.send(["type": "STOP", "requestId": 99, "sessionId": session], Probe.receiver)
        if closesFirst { probe.send(["type": "CLOSE"], Probe.connection) }
        probe.take(probe.model.closed(1, at: probe.now))
        #expect(probe.state["app_id"] == nil)
    }

    @Test("volume is a 32-bit float, sent to the asker and broadcast; mute is independent")
    func volume() throws {
        var probe = Probe()
        probe.open(socket: 2)
        probe.connect(socket: 2)
        let answers = probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.35]])
        #expect(answers.first?.status?["volume"]?["level"]?.double == 0.3499999940395355)
        #expect(probe.broadcasts("RECEIVER_STATUS").count == 2)
        #expect(probe.ask(["type": "SET_VOLUME", "volume": ["muted": true]]).first?.status?["volume"]?["muted"] == true)
        #expect(probe.state["volume"]?.double == 0.3499999940395355)
        #expect(probe.ask(["type": "SET_VOLUME", "volume": ["level": 7]]).first?.status?["volume"]?["level"]?.double == 1)
        for bad: JSON in [[:], ["level": "loud"], ["muted": 1], []] {
            #expect(probe.ask(["type": "SET_VOLUME", "volume": bad]).map { $0.json["reason"]?.text } == ["BAD_PARAMETER"])
        }
    }

    @Test("a fixed volume answers without a change")
    func fixedVolume() throws {
        var probe = Probe()
        let before = probe.state["volume"]
        probe.take(try probe.model.perform(.volumeControl("fixed"), at: probe.now))
        let status = try #require(probe.ask(["type": "SET_VOLUME", "volume": ["level": 0.9]]).first?.status)
        #expect(status["volume"]?["level"] == before)
        #expect(status["volume"]?["controlType"] == "fixed")
        #expect(probe.broadcasts("RECEIVER_STATUS").isEmpty)
    }

    @Test("DashCast shows the page that it is sent, until one was forced; a device without a display can't run it")
    func pages() {
        var probe = Probe(.chromecastUltra)
        probe.launch("84912283")
        #expect(probe.state["page"] == nil)
        func show(_ json: JSON) -> JSON? {
            probe.send(json, "urn:x-cast:com.madmod.dashcast", to: probe.transport)
            probe.pass(.milliseconds(60))
            return probe.state["page"]
        }
        #expect(show(["url": "http://h/a", "force": false, "reload": false, "reload_time": 0]) == ["url": "http://h/a", "force": false])
        let reloaded: JSON = ["url": "http://h/b", "force": false, "reload_time": 5000]
        #expect(show(["url": "http://h/b", "force": false, "reload": true, "reload_time": 5000]) == reloaded)
        #expect(show(["url": "file:///x"]) == reloaded && show(["page": 1]) == reloaded)
        let forced: JSON = ["url": "http://h/c", "force": true]
        #expect(show(["url": "http://h/c", "force": true, "reload": true, "reload_time": 5000]) == forced)
        #expect(show(["url": "http://h/a"]) == forced)
        var speaker = Probe(.googleHomeMini)
        #expect(speaker.ask(["type": "LAUNCH", "appId": "84912283"], within: .seconds(1)).first?.json["reason"] == "NOT_FOUND")
    }

    @Test("availability has no type and knows what the device can run")
    func availability() {
        var probe = Probe(.googleHomeMini)
        let answer = probe.ask(["type": "GET_APP_AVAILABILITY", "appId": ["CC1AD845", "5A1D0002", "233637DE"]]).first?.json
        #expect(answer?["type"] == nil)
        #expect(answer?["availability"] == ["CC1AD845": "APP_AVAILABLE", "5A1D0002": "APP_UNAVAILABLE", "233637DE": "APP_UNAVAILABLE"])
    }

    @Test("an unknown request is refused")
    func unknownRequest() {
        var probe = Probe()
        #expect(probe.ask(["type": "DANCE"]).map { $0.json["reason"]?.text } == ["INVALID_COMMAND"])
    }

    @Test("the announcement follows what runs")
    func announcement() {
        var probe = Probe(.chromecastUltra)
        probe.launch(ReceiverApp.orchardRadio.id)
        _ = probe.askMedia(Probe.load("http://a/b", title: "Plum"), within: .seconds(1))
        _ = probe.ask(["type": "STOP"])
        #expect(
            probe.others == [
                .announce(Announcement(isBusy: true, statusText: "Orchard Radio")),
                .announce(Announcement(isBusy: true, statusText: "Plum")),
                .announce(Announcement(isBusy: false, statusText: "")),
            ])
    }

    @Test("an application that plays nothing for long ends, unless a strong sender holds it")
    func idleApplication() {
        var held = Probe()
        held.launch()
        held.pass(.seconds(900))
        #expect(held.state["app_id"] == "CC1AD845")
        var watched = Probe()
        watched.play()
        watched.connect(to: watched.transport, type: 2)
        watched.pass(.seconds(300))
        #expect(watched.state["app_id"] == "CC1AD845")
        watched.pass(.seconds(400))
        #expect(watched.state["app_id"] == nil)
    }
}
