import BridgeCore
import CastModels
import Testing

@Suite("A command's plain value")
struct PlainCommandTests {
    @Test(
        "of volume is an absolute or a relative percentage",
        arguments: [
            ("34", RequestedVolume.absolute(0.34)), ("34%", .absolute(0.34)), (" 34 % ", .absolute(0.34)), ("0", .absolute(0)),
            ("100", .absolute(1)),
            ("0.0", .absolute(0)), ("34.5", .absolute(0.345)), ("0.5%", .absolute(0.005)), ("007", .absolute(0.07)),
            ("100.0", .absolute(1)),
            ("+5", RequestedVolume(points: 5)), ("-5", RequestedVolume(points: -5)), ("+5%", RequestedVolume(points: 5)),
            ("-100", RequestedVolume(points: -100)), ("+2.5", RequestedVolume(points: 2.5)), ("+0.5", RequestedVolume(points: 0.5)),
            ("\n34\r\n", .absolute(0.34)), ("\t+5 ", RequestedVolume(points: 5)),
        ] as [(String, RequestedVolume)])
    func volume(payload: String, change: RequestedVolume) {
        #expect(device("set/volume", payload).device == .set([.volume(change)]))
    }

    @Test(
        "of volume_level is a level from 0 to 1",
        arguments: [("0.0", 0.0), ("1.0", 1), ("0.34", 0.34), ("1", 1), ("0", 0), (".5", 0.5)] as [(String, Double)])
    func volumeLevel(payload: String, level: Double) {
        #expect(device("set/volume_level", payload).device == .set([.volume(.absolute(level))]))
    }

    @Test(
        "of muted is a boolean word or toggle",
        arguments: [
            ("ON", MuteChange.to(true)), ("off", .to(false)), ("true", .to(true)), ("False", .to(false)), ("1", .to(true)),
            ("0", .to(false)),
            ("Toggle", .toggle), (" on ", .to(true)),
        ] as [(String, MuteChange)])
    func muted(payload: String, change: MuteChange) {
        #expect(device("set/muted", payload).device == .set([.muted(change)]))
    }

    @Test(
        "of position is seconds, a clock time, a change or live",
        arguments: [
            ("90", PositionChange(base: .seconds(90))), ("90.25", PositionChange(base: .seconds(90.25))),
            ("1:02:03", PositionChange(base: .seconds(3723))), ("01:02:03", PositionChange(base: .seconds(3723))),
            ("2:30", PositionChange(base: .seconds(150))), ("0:00:01.5", PositionChange(base: .seconds(1.5))),
            ("100:00:00", PositionChange(base: .seconds(360_000))), ("0", PositionChange(base: .seconds(0))),
            ("+30", PositionChange(base: .current, offset: 30)), ("-10", PositionChange(base: .current, offset: -10)),
            ("+1:30", PositionChange(base: .current, offset: 90)), ("live", PositionChange(base: .live)),
            ("LIVE", PositionChange(base: .live)),
            ("1764000000", PositionChange(base: .seconds(1_764_000_000))),
        ] as [(String, PositionChange)])
    func position(payload: String, change: PositionChange) {
        #expect(device("set/position", payload).device == .set([.position(change)]))
    }

    @Test(
        "is absent for a transport command",
        arguments: [
            ("cmd/play", DeviceCommand.play), ("cmd/pause", .pause), ("cmd/play_pause", .playPause), ("cmd/stop", .stop),
            ("cmd/next", .next),
            ("cmd/previous", .previous), ("cmd/quit_app", .quitApp), ("cmd/join", .join), ("cmd/leave", .leave),
            ("get/state", .get(.state)), ("get/media", .get(.media)),
            ("get/app", .get(.app)), ("get/info", .get(.info)), ("get/availability", .get(.availability)),
            ("cmd/volume_up", .set([.volume(RequestedVolume(steps: 1))])),
            ("cmd/volume_down", .set([.volume(RequestedVolume(steps: -1))])),
        ] as [(String, DeviceCommand)])
    func noArgument(tail: String, command: DeviceCommand) {
        for payload in ["", "PRESS", "press", "  ", "{}", " { } ", #"{"id":"a"}"#, #""PRESS""#] {
            #expect(device(tail, payload).device == command, "\(payload)")
        }
        #expect(device(tail, "now").code == .badPayload)
        #expect(device(tail, #"{"fast":true}"#).message?.contains("fast") == true)
    }

    @Test(
        "of volume_up and volume_down may be a step",
        arguments: [
            ("cmd/volume_up", "5", 5.0), ("cmd/volume_down", "5", -5), ("cmd/volume_up", "2.5%", 2.5),
            ("cmd/volume_down", #"{"step":10}"#, -10),
        ])
    func step(tail: String, payload: String, points: Double) {
        #expect(device(tail, payload).device == .set([.volume(RequestedVolume(points: points))]))
    }

    @Test(
        "of show is a web page",
        arguments: [
            ("https://h/board", WebPage(url: "https://h/board")), (#""http://h/""#, WebPage(url: "http://h/")),
            (#"{"url":"HTTP://h/a?b=c#d","reload":2.5}"#, WebPage(url: "HTTP://h/a?b=c#d", reloadInterval: 2.5)),
            (#"{"url":"http://h/","keep":true}"#, WebPage(url: "http://h/")),
            (#"{"url":"http://h","force":true,"reload":null}"#, WebPage(url: "http://h", isForced: true)),
        ] as [(String, WebPage)])
    func show(payload: String, page: WebPage) {
        #expect(device("cmd/show", payload).device == .show(page, keeps: payload.contains("keep")))
        #expect(DeviceCommand.show(page, keeps: false).share(forGroup: true) == nil)
    }

    @Test(
        "of launch is an app id or a well-known name",
        arguments: [
            ("CC1AD845", "CC1AD845"), ("cc1ad845", "CC1AD845"), ("YouTube", "233637DE"), ("default media receiver", "CC1AD845"),
            (#"{"app":"Spotify"}"#, "CC32E753"), (#""233637DE""#, "233637DE"),
            ("06ee44ee-e7e3-4249-83b6-f5d0b6f07f34_1", "06ee44ee-e7e3-4249-83b6-f5d0b6f07f34_1"),
            ("plex", "06ee44ee-e7e3-4249-83b6-f5d0b6f07f34_1"),
        ])
    func launch(payload: String, id: String) { #expect(device("cmd/launch", payload).device == .launch(applicationID: id)) }
}

@Suite("A command in JSON")
struct JSONCommandTests {
    @Test("sets several properties with one answer")
    func set() {
        let changes: [PropertyChange] = [
            .volume(.absolute(0.3)), .muted(.to(false)), .position(PositionChange(base: .current, offset: -10)),
        ]
        let object = #"{"volume":30,"muted":false,"position":"-10"}"#
        #expect(device("set", object).device == .set(changes))
        #expect(device("cmd", #"{"cmd":"set","args":\#(object)}"#).device == .set(changes))
        #expect(device("set", #"{"volume":"+5"}"#).device == .set([.volume(RequestedVolume(points: 5))]))
        #expect(device("set", #"{"volume_level":0.25,"muted":null}"#).device == .set([.volume(.absolute(0.25))]))
        #expect(device("set", #"{"muted":1}"#).device == .set([.muted(.to(true))]))
        #expect(device("set", #"{"position":12.5}"#).device == .set([.position(PositionChange(base: .seconds(12.5)))]))
    }

    @Test("carries id, timeout and expires_at beside cmd and args")
    func envelope() throws {
        let outcome = device("cmd", #"{"cmd":"pause","id":"nr-81f2","timeout":2.5,"expires_at":"2026-11-21T14:05:00Z","args":{}}"#)
        #expect(outcome.device == .pause)
        let envelope = try #require(outcome.envelope)
        #expect(envelope.id == .text("nr-81f2"))
        #expect(envelope.name == "pause")
        #expect(envelope.timeout == .milliseconds(2500))
        #expect(envelope.expiresAt?.text == "2026-11-21T14:05:00.000Z")
        #expect(envelope.target == .device("living-room"))
        #expect(envelope.topic == "cast2mqtt/living-room/cmd")
        #expect(envelope.correlationData == [0, 255, 7])
        #expect(envelope.answerQoS == 1)
    }

    @Test("may carry the same beside the arguments of a verb's own topic")
    func envelopeOnVerb() {
        let outcome = device("cmd/load", #"{"url":"http://h/a.mp3","id":17,"timeout":20}"#)
        #expect(outcome.envelope?.id == .number(17))
        #expect(outcome.envelope?.timeout == .seconds(20))
        #expect(outcome.envelope?.name == "cmd/load")
        #expect(outcome.device != nil)
        #expect(device("get/state", #"{"id":"q"}"#).envelope?.id == .text("q"))
    }

    @Test(
        "about the media takes data for the application along, in every form",
        arguments: [
            "play", "pause", "play_pause", "stop", "next", "previous", "skip_ad", "restart_item", "queue_clear",
        ])
    func customData(verb: String) {
        for (tail, payload) in [
            ("cmd/\(verb)", #"{"custom_data":{"a":[1]}}"#), ("cmd", #"{"cmd":"\#(verb)","args":{"custom_data":{"a":[1]}}}"#),
            ("set", #"{"position":5,"custom_data":{"a":[1]}}"#), ("cmd/queue_jump", #"{"by":1,"custom_data":{"a":[1]}}"#),
            ("cmd", #"{"cmd":"set","args":{"rate":1,"custom_data":{"a":[1]}}}"#),
        ] {
            let outcome = device(tail, payload)
            #expect(outcome.device != nil && outcome.envelope?.content.customData == ["a": [1]], "\(tail) \(payload)")
        }
        #expect(device("cmd/\(verb)", #"{"custom_data":null}"#).envelope?.content.customData == nil)
        #expect(device("cmd/\(verb)", "").envelope?.content.customData == nil)
    }

    @Test("asks for a document by doc")
    func get() {
        #expect(device("cmd", #"{"cmd":"get","args":{"doc":"app"}}"#).device == .get(.app))
        #expect(device("cmd", #"{"cmd":"get","args":{"doc":"artwork"}}"#).code == .badPayload)
        #expect(device("cmd", #"{"cmd":"get","args":{"doc":"queue"}}"#).device == .get(.queue))
    }

    @Test("may have its argument as a text")
    func textArgument() {
        #expect(device("cmd", #"{"cmd":"launch","args":"youtube"}"#).device == .launch(applicationID: "233637DE"))
        #expect(device("cmd", #"{"cmd":"play","args":"PRESS"}"#).device == .play)
    }

    @Test("is read as a command to the bridge")
    func bridge() {
        #expect(parse("cast2mqtt/bridge/request/health_check", "").bridge == .healthCheck)
        #expect(parse("cast2mqtt/bridge/request/discover", "PRESS").bridge == .discover)
        #expect(parse("cast2mqtt/bridge/request/republish", "{}").bridge == .republish)
        let snapshot = parse("cast2mqtt/bridge/request/snapshot", #"{"id":"s"}"#)
        #expect(snapshot.bridge == .snapshot)
        #expect(snapshot.envelope?.target == .bridge(.snapshot))
        #expect(snapshot.envelope?.name == "request/snapshot")
        #expect(parse("cast2mqtt/bridge/request/log_level", "Debug").bridge == .logLevel(.init(level: .debug)))
        #expect(parse("cast2mqtt/bridge/request/log_level", "").bridge == .logLevel(.init()))
        let filters = LogFilter("CastSender.*=trace").map { [$0] }
        #expect(
            parse("cast2mqtt/bridge/request/log_level", #"{"level":"info","filters":["CastSender.*=trace"]}"#).bridge
                == .logLevel(.init(level: .info, filters: filters)))
    }
}

@Suite("A command's envelope")
struct EnvelopeTests {
    @Test("names the tail of the topic, the subject as written, and keeps what goes back")
    func tail() {
        let outcome = parse("cast2mqtt/4F1C9A0E/set/volume", "5")
        #expect(outcome.envelope?.target == .device("4F1C9A0E"))
        #expect(outcome.envelope?.name == "set/volume")
        #expect(outcome.envelope?.id == nil)
    }

    @Test(
        "keeps an allowed response topic",
        arguments: ["cast2mqtt/client/me/answers", "cast2mqtt/client/x", "answers/node-red/1", "answers/node-red"])
    func allowedResponse(topic: String) {
        let outcome = parse("cast2mqtt/tv/cmd/play", "", responseTopic: topic)
        #expect(outcome.device == .play)
        #expect(outcome.envelope?.responseTopic == topic)
    }

    @Test(
        "refuses any other response topic, and answers on the default one",
        arguments: [
            "elsewhere", "cast2mqtt/tv/cmd/stop", "cast2mqtt/client/", "cast2mqtt/client", "cast2mqtt/bridge/state", "$SYS/x",
            "cast2mqtt/client/+",
            "cast2mqtt/client/#", "cast2mqtt/client/a\u{0}b", "cast2mqtt/clientele/a", "answers/node-redder/1", "answers",
            "/cast2mqtt/client/a", "cast2mqtt/client/../tv/cmd/stop", "cast2mqtt/client/a/..", "cast2mqtt/client//a", "cast2mqtt/client/a/",
            "cast2mqtt/client/" + String(repeating: "x", count: 2000), "homeassistant/status",
        ])
    func forbiddenResponse(topic: String) {
        let outcome = parse("cast2mqtt/tv/cmd/play", "", responseTopic: topic)
        #expect(outcome.code == .forbidden)
        #expect(outcome.envelope?.responseTopic == nil)
    }

    @Test("that was retained earlier is answered on the default topic, its id included, and never obeyed")
    func retained() {
        let outcome = parse("cast2mqtt/tv/cmd", #"{"cmd":"play","id":"old"}"#, retain: true, responseTopic: "cast2mqtt/client/me")
        #expect(outcome.code == .retainedRejected)
        #expect(outcome.envelope?.responseTopic == nil)
        #expect(outcome.envelope?.id == .text("old"))
        #expect(outcome.envelope?.name == "play")
    }

    @Test(
        "counts expires_at against the wall clock",
        arguments: [
            ("2026-11-21T13:59:59Z", false), ("2026-11-21T14:00:00Z", false), ("2026-11-21T14:00:00.001Z", true),
            ("2026-11-21T15:00:00+02:00", false),
        ])
    func expiry(time: String, isObeyed: Bool) {
        let outcome = device("cmd/play", #"{"expires_at":"\#(time)"}"#)
        #expect(outcome.device == (isObeyed ? .play : nil))
        #expect(outcome.code == (isObeyed ? nil : .expired))
    }

    @Test(
        "does not exist for topics that are no commands",
        arguments: [
            "cast2mqtt/tv/state", "cast2mqtt/tv/status/volume", "cast2mqtt/bridge/state", "cast2mqtt/bridge/response/discover",
            "other/tv/cmd/play",
            "cast2mqtt", "cast2mqtt/", "cast2mqtt/tv", "cast2mqttx/tv/cmd/play", "cast2mqtt/client/cmd/play", "cast2mqtt/client/set/volume",
            "",
            "cast2mqtt/tv/ns/urn:x/recv", "cast2mqtt/tv/ns/send", "cast2mqtt/tv/ns//send", "cast2mqtt/tv/event", "/cast2mqtt/tv/cmd/play",
        ])
    func ignored(topic: String) { #expect(parse(topic, "1") == .ignored) }

    @Test("is found below a base of several levels")
    func deepBase() {
        let parser = CommandParser(topics: TopicTree(base: "home/cast"))
        let outcome = parser.parse(IncomingMessage(topic: "home/cast/tv/cmd/play", payload: []), now: parserNow)
        #expect(outcome.device == .play)
        #expect(parser.parse(IncomingMessage(topic: "home/tv/cmd/play", payload: []), now: parserNow) == .ignored)
    }
}
