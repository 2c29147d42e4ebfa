import BridgeCore
import CastModels
import Testing

private func obliging(_ change: (inout CommandOptions) -> Void) -> CommandParser {
    var options = CommandOptions()
    change(&options)
    return CommandParser(topics: topics, options: options)
}

private func patterns(_ texts: String...) -> NamespacePolicy { NamespacePolicy(texts.compactMap { GlobPattern($0) }) }

@Suite("A namespace")
struct NamespacePolicyTests {
    @Test(
        "is allowed when it is listed, exactly or by a pattern",
        arguments: [
            ("urn:x-cast:org.example.echo", "urn:x-cast:org.example.echo", true),
            ("urn:x-cast:org.example.*", "urn:x-cast:org.example.echo", true),
            ("*", "urn:x-cast:org.example.echo", true), ("urn:x-cast:org.example", "urn:x-cast:org.example.echo", false),
            ("*", "urn:x-cast:com.google.cast.media", false), ("urn:x-cast:com.google.*", "urn:x-cast:com.google.cast.receiver", false),
            ("urn:x-cast:com.google.cast.media", "urn:x-cast:com.google.cast.media", true),
            ("urn:x-cast:com.google.cast.tp.connection", "urn:x-cast:com.google.cast.tp.connection", false),
            ("*", "urn:x-cast:com.google.youtube.mdx", true), ("*", "urn:x-cast:", false), ("*", "other", false), ("*", "", false),
            ("*", "urn:x-cast:a/b", false), ("*", "urn:x-cast:a+b", false), ("*", "urn:x-cast:a#", false), ("*", "urn:x-cast:a b", false),
            ("*", "urn:x-cast:ä", false), ("*", "urn:x-cast:a\u{0}", false),
            ("*", "urn:x-cast:" + String(repeating: "a", count: 118), false),
            ("*", "urn:x-cast:" + String(repeating: "a", count: 117), true),
        ])
    func allows(pattern: String, namespace: String, isAllowed: Bool) { #expect(patterns(pattern).allows(namespace) == isAllowed) }

    @Test("is never allowed unless listed")
    func none() {
        #expect(NamespacePolicy().isEmpty)
        #expect(!NamespacePolicy().allows("urn:x-cast:org.example.echo"))
    }
}

@Suite("A message for an application")
struct ChannelMessageTests {
    private static let topic = "cast2mqtt/tv/ns/urn:x-cast:org.example.echo/send"
    private let parser = obliging { $0.namespaces = patterns("urn:x-cast:org.example.*") }

    private func parse(_ bytes: [UInt8], type: String? = nil, topic: String = Self.topic, retain: Bool = false) -> CommandParser.Outcome {
        self.parser.parse(IncomingMessage(topic: topic, payload: bytes, retain: retain, contentType: type), now: parserNow)
    }

    private func payload(_ outcome: CommandParser.Outcome) -> ChannelPayload? {
        if case .raw(.channel(_, _, let payload))? = outcome.device { payload } else { nil }
    }

    @Test("is text if it is UTF-8, binary if not or if declared so, and never parsed")
    func kinds() {
        #expect(self.payload(self.parse(Array(#"{"type":"HELLO","id":5}"#.utf8))) == .text(#"{"type":"HELLO","id":5}"#))
        #expect(self.payload(self.parse(Array("{broken".utf8))) == .text("{broken"))
        #expect(self.payload(self.parse([0xFF, 0x00, 0xFE])) == .binary([0xFF, 0x00, 0xFE]))
        #expect(self.payload(self.parse(Array("text".utf8), type: "application/octet-stream")) == .binary(Array("text".utf8)))
        let outcome = self.parse(Array(#"{"id":"x"}"#.utf8))
        #expect(outcome.envelope?.id == nil, "an id in the application's own message is its own")
        #expect(outcome.envelope?.name == "ns/urn:x-cast:org.example.echo/send")
    }

    @Test("is refused when it is empty, too large, retained, for another namespace or for all devices")
    func refused() {
        #expect(self.parse([]).code == .badPayload)
        #expect(self.parse([UInt8](repeating: 65, count: 65_537)).code == .tooLarge)
        #expect(self.parse([65], retain: true).code == .retainedRejected)
        #expect(self.parse([65], topic: "cast2mqtt/tv/ns/urn:x-cast:other/send").code == .forbidden)
        #expect(self.parse([65], topic: "cast2mqtt/all/ns/urn:x-cast:org.example.echo/send").code == .unknownCommand)
    }
}

@Suite("A raw message")
struct RawCommandTests {
    private let parser = obliging {
        $0.isRawAllowed = true
        $0.namespaces = patterns("urn:x-cast:org.example.*")
    }

    private func parse(_ text: String) -> CommandParser.Outcome {
        self.parser.parse(IncomingMessage(topic: "cast2mqtt/tv/cmd", payload: Array(text.utf8)), now: parserNow)
    }

    @Test("goes to the media session, the platform or an allowed namespace")
    func forms() {
        #expect(
            self.parse(#"{"cmd":"media_request","args":{"type":"GET_STATUS","options":3}}"#).device
                == .raw(.media(["type": "GET_STATUS", "options": 3])))
        #expect(self.parse(#"{"cmd":"receiver_request","args":{"type":"GET_STATUS"}}"#).device == .raw(.receiver(["type": "GET_STATUS"])))
        #expect(
            self.parse(#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.echo","payload":{"a":1}}}"#).device
                == .raw(.channel(namespace: "urn:x-cast:org.example.echo", target: .application, .text(#"{"a":1}"#))))
        #expect(
            self.parse(#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.echo","payload":"x","to":"device"}}"#).device
                == .raw(.channel(namespace: "urn:x-cast:org.example.echo", target: .device, .text("x"))))
    }

    @Test(
        "is refused when something in it is wrong",
        arguments: [
            (#"{"cmd":"media_request"}"#, AnswerCode.badPayload, "args"), (#"{"cmd":"media_request","args":{}}"#, .badPayload, "type"),
            (#"{"cmd":"receiver_request","args":{"type":5}}"#, .badPayload, "type"),
            (#"{"cmd":"raw","args":{"payload":"x"}}"#, .badPayload, "namespace"),
            (#"{"cmd":"raw","args":{"namespace":"urn:x-cast:other","payload":"x"}}"#, .forbidden, "commands.custom_namespaces"),
            (#"{"cmd":"raw","args":{"namespace":"nonsense","payload":"x"}}"#, .badPayload, "namespace"),
            (#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.a"}}"#, .badPayload, "payload"),
            (#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.a","payload":5}}"#, .badPayload, "payload"),
            (#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.a","payload":"x","to":"tv"}}"#, .badPayload, "to"),
            (#"{"cmd":"raw","args":{"namespace":"urn:x-cast:org.example.a","payload":"x","kind":1}}"#, .badPayload, "kind"),
        ])
    func refused(text: String, code: AnswerCode, naming: String) {
        let outcome = self.parse(text)
        #expect(outcome.code == code)
        #expect(outcome.message?.contains(naming) == true, "\(outcome.message ?? "")")
    }
}

@Suite("A command to all devices")
struct FanOutTests {
    private static let now = parserNow.monotonic

    private func envelope(id: CommandID? = nil) -> CommandEnvelope {
        CommandEnvelope(
            target: .all, name: "cmd/pause", topic: "cast2mqtt/all/cmd/pause", id: id, responseTopic: "cast2mqtt/client/me",
            correlationData: [1], timeout: .seconds(5), received: parserNow)
    }

    private func summary(_ results: [String: CommandResult]) -> CommandAnswer? {
        var all = FanOut()
        guard case .begin(let ticket) = all.admit(self.envelope(), .pause, slugs: Set(results.keys), now: Self.now) else { return nil }
        var answers: [CommandAnswer] = []
        for (slug, result) in results.sorted(by: { $0.key < $1.key }) { answers += all.ended(ticket, slug: slug, result, now: Self.now) }
        #expect(answers.count == 1)
        for slug in results.keys { #expect(all.ended(ticket, slug: slug, .done(), now: Self.now).isEmpty, "answered once") }
        return answers.first
    }

    @Test("is refused unless it is switched on, answered on a topic of the bridge")
    func off() throws {
        let outcome = parse("cast2mqtt/all/set/volume", "30")
        #expect(outcome.code == .forbidden)
        let envelope = try #require(outcome.envelope)
        let messages = AnswerWriter(topics: topics).messages(
            for: CommandAnswer(to: envelope, CommandResult(.forbidden), now: Self.now), slug: nil)
        #expect(messages.answer.topic == "cast2mqtt/bridge/response/command")
        #expect(try JSONParser.parse(messages.answer.payload)["device"] == "all")
    }

    @Test("is read like any other when it is, but for what is one device's affair")
    func on() {
        let parser = obliging { $0.isFanOutEnabled = true }
        func parsed(_ tail: String, _ payload: String) -> CommandParser.Outcome {
            parser.parse(IncomingMessage(topic: "cast2mqtt/all/\(tail)", payload: Array(payload.utf8)), now: parserNow)
        }
        #expect(parsed("set/volume", "30").device == .set([.volume(.absolute(0.3))]))
        #expect(parsed("cmd/pause", "").envelope?.target == .all)
        #expect(parsed("cmd", #"{"cmd":"stop"}"#).device == .stop)
        #expect(parsed("cmd/transfer", "kitchen").code == .badPayload)
        #expect(parsed("get/state", "").code == .unknownCommand)
        #expect(parsed("cmd", #"{"cmd":"get","args":{"doc":"state"}}"#).code == .badPayload)
    }

    @Test("is done when one did it and none failed; the offline and the idle count only when there are no others")
    func summaries() {
        let offline = CommandResult(.deviceOffline)
        let idle = CommandResult(.noSession)
        #expect(self.summary(["a": .done(), "b": offline, "c": idle])?.result.code == .done)
        #expect(self.summary(["a": offline, "b": idle])?.result.code == .deviceOffline)
        #expect(self.summary(["a": .done(), "b": .fixedVolume])?.result.code == .done)
        #expect(self.summary(["a": .fixedVolume, "b": .fixedVolume])?.result.code == .notSupported)
        #expect(self.summary(["a": .done(), "b": CommandResult(.notSupported)])?.result.code == .notSupported)
        #expect(self.summary(["a": .done(), "b": CommandResult(.timeout), "c": CommandResult(.castError)])?.result.code == .timeout)
        let mixed = self.summary(["a": .done(), "b": CommandResult(.timeout)])
        #expect(mixed?.result.data["done"] == 1)
        #expect(mixed?.result.data["failed"] == 1)
        #expect(mixed?.result.data["devices"]?["b"]?["code"] == "timeout")
        #expect(mixed?.envelope.responseTopic == "cast2mqtt/client/me")
        #expect(mixed?.envelope.correlationData == [1])
    }

    @Test("gives each device a share that is answered nowhere else")
    func share() {
        var all = FanOut()
        guard case .begin(let ticket) = all.admit(self.envelope(id: .text("x")), .pause, slugs: ["a"], now: Self.now) else {
            Issue.record("not begun")
            return
        }
        let share = FanOut.share(of: self.envelope(id: .text("x")), for: "a", ticket)
        #expect(share.target == .device("a"))
        #expect(share.id == nil)
        #expect(share.responseTopic == nil)
        #expect(share.timeout == .seconds(5))
        #expect(share.fanOut == ticket)
        #expect(all.ended(ticket, slug: "a", CommandResult(.accepted), now: Self.now).isEmpty, "an acceptance is no end")
        #expect(all.ended(ticket, slug: "b", .done(), now: Self.now).isEmpty, "it was for another device")
        #expect(all.ended(ticket, slug: "a", .done(), now: Self.now).count == 1)
    }

    @Test("is done once for each id, and the repeats get its answer")
    func repeats() {
        var all = FanOut()
        guard case .begin(let ticket) = all.admit(self.envelope(id: .text("x")), .pause, slugs: ["a"], now: Self.now) else {
            Issue.record("not begun")
            return
        }
        #expect(all.admit(self.envelope(id: .text("x")), .pause, slugs: ["a"], now: Self.now) == .answer(nil))
        #expect(all.ended(ticket, slug: "a", .done(), now: Self.now).map(\.result.code) == [.done, .duplicate])
        guard case .answer(let answer?) = all.admit(self.envelope(id: .text("x")), .pause, slugs: ["a"], now: Self.now) else {
            Issue.record("not repeated")
            return
        }
        #expect(answer.result.code == .duplicate)
    }

    @Test("is bounded, leaves room for other callers, and is refused when there is no device")
    func bounds() {
        var all = FanOut()
        guard case .answer(let unknown?) = all.admit(self.envelope(), .pause, slugs: [], now: Self.now) else {
            Issue.record("begun")
            return
        }
        #expect(unknown.result.code == .unknownDevice)
        // Each caller has at most as many as are free: 16, 8, 4 …
        for (caller, most) in [("a", 16), ("b", 8), ("c", 4), ("d", 2), ("e", 1)] {
            var envelope = self.envelope()
            envelope.caller = .direct(caller)
            for _ in 0..<most {
                guard case .begin = all.admit(envelope, .pause, slugs: ["a"], now: Self.now) else {
                    Issue.record("refused: \(caller)")
                    return
                }
            }
            guard case .answer(let refusal?) = all.admit(envelope, .pause, slugs: ["a"], now: Self.now) else {
                Issue.record("begun: \(caller)")
                return
            }
            #expect(refusal.result.code == .rateLimited)
        }
    }

    @Test("is about the members of a group where it is about its volume, and about the group's device when it names that")
    func addressed() {
        let step = RequestedVolume(points: 5)
        #expect(DeviceCommand.set([.volume(step)]).addressed(toGroup: true) == .groupVolume(step))
        #expect(DeviceCommand.set([.volume(step)]).addressed(toGroup: false) == .set([.volume(step)]))
        let several: [PropertyChange] = [.membersVolume(step), .muted(.to(false))]
        #expect(DeviceCommand.set([.volume(step), .muted(.to(false))]).addressed(toGroup: true) == .set(several))
        let own: [PropertyChange] = [.groupDeviceVolume(step)]
        #expect(DeviceCommand.set(own).isOnlyForGroups && !DeviceCommand.set(several).isOnlyForGroups)
        #expect(DeviceCommand.set(own).addressed(toGroup: true) == .set([.volume(step)]))
        #expect(DeviceCommand.set(own).addressed(toGroup: false) == .set(own))
        #expect(DeviceCommand.pause.addressed(toGroup: true) == .pause)
    }

    @Test("leaves a group's volume, and what is to play, to its members")
    func groups() {
        let both = DeviceCommand.set([.volume(.absolute(0.3)), .position(PositionChange(base: .seconds(5)))])
        #expect(both.share(forGroup: true) == .set([.position(PositionChange(base: .seconds(5)))]))
        #expect(both.share(forGroup: false) == both)
        #expect(mute.share(forGroup: true) == nil)
        #expect(DeviceCommand.pause.share(forGroup: true) == .pause)
        #expect(DeviceCommand.groupVolume(.absolute(0.3)).share(forGroup: false) == nil)
        let own: [PropertyChange] = [.groupDeviceVolume(.absolute(0.3))]
        #expect(DeviceCommand.set(own + [.muted(.toggle)]).share(forGroup: false) == .set([.muted(.toggle)]))
        #expect(DeviceCommand.set(own).share(forGroup: false) == nil && DeviceCommand.set(own).share(forGroup: true) == .set(own))
        let launch = DeviceCommand.launch(applicationID: "CC1AD845")
        #expect(launch.share(forGroup: true) == nil, "its members launch it")
        #expect(launch.share(forGroup: false) == launch)
    }
}
