import CastModels
import Foundation
import MediaFindings
import Testing

@testable import BridgeCore

/// `docs/TOPICS.md` is a contract: its examples are what the mapper writes, and its lists are the lists in the code.
@Suite("docs/TOPICS.md")
struct TopicsDocumentTests {
    private let text: String

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/TOPICS.md")
        self.text = try String(contentsOf: file, encoding: .utf8)
    }

    /// The JSON examples by their label.
    private var examples: [(label: String, json: String)] {
        self.text.components(separatedBy: "\n```json ").dropFirst().map { part in
            let lines = part.components(separatedBy: "\n```")[0].split(separator: "\n", maxSplits: 1)
            return (String(lines[0]), String(lines[1]))
        }
    }

    private static let written: [String: OutgoingMessage] = {
        let mapper = StateFixture().mapper
        var messages: [String: OutgoingMessage] = [:]
        func take(_ name: String, _ scenario: Scenario) {
            let state = scenario.fixture.state
            messages[name] = mapper.messages(for: state).first { $0.topic.hasSuffix("/\(name)") }
        }
        take("info", .music)
        take("state", .music)
        take("media", .television)
        take("app", .television)
        for (name, fixture) in [("queue", Self.album), ("tracks", Self.film), ("group", Self.house)] {
            messages[name] = mapper.messages(for: fixture.state).first { $0.topic.hasSuffix("/\(name)") }
        }
        messages["bridge/info"] = mapper.bridgeInfo(BridgeFixture.info)
        messages["bridge/health"] = mapper.bridgeHealth(BridgeFixture.health)
        var devices = DevicesDocument()
        _ = devices.update(with: [Scenario.music.fixture.state], mapper: mapper, at: Self.sent)
        messages["bridge/devices"] = devices.message
        var fixture = Scenario.idle.fixture
        var renamed = StateFixture.livingRoom
        renamed.friendlyName = "Salon"
        fixture.after(.deviceChanged(renamed))
        for case .bridgeEvent(let event) in fixture.takeOutputs() {
            messages["bridge/event"] = mapper.bridgeEvent(event, at: StateFixture.start)
        }
        let ended = PublishedEvent(
            .mediaEnded, title: "Harbour Lights", contentID: "http://192.168.1.5/harbour.mp3", app: "Default Media Receiver",
            item: .init(kind: "music", artist: "Example Trio", album: "Night Ferry", duration: 241.5),
            facts: [
                "reason": "finished", "played_s": 17.5, "position": 241.5,
                "started_at": .string(StateFixture.start.adding(seconds: -229).text), "detailed_error_code": .null, "item": 3,
            ])
        messages["event"] = mapper.event(ended, of: "living-room", at: StateFixture.start.adding(seconds: 17.5))
        let line = LogLine(
            level: .warning, source: "Bridge", message: "device not reachable; the bridge keeps trying",
            data: ["device": "living-room", "error": "2 (timeout)"])
        messages["bridge/log"] = mapper.bridgeLog(.init(line: line, time: Self.sent.adding(seconds: -0.0), repeats: 3, dropped: 2))
        return messages
    }()

    private static var album: StateFixture {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing, item: 3) {
                var lantern = StateFixture.song(4)
                lantern.contentID = "http://192.168.1.5/lantern.mp3"
                lantern.duration = 198
                lantern.metadata?.fields["title"] = "Lantern"
                lantern.metadata?.images = []
                $0.items = [1, 2, 3, 4].map { MediaQueueItem(itemID: $0, media: $0 == 4 ? lantern : nil) }
                ($0.items[3].autoplay, $0.items[3].startTime, $0.items[3].preloadTime) = (true, 10, 20)
                $0.items[3].activeTrackIDs = [1]
                $0.preloadedItemID = 4
                $0.repeatMode = .off
            })
        return fixture
    }

    private static var film: StateFixture {
        var fixture = StateFixture()
        fixture.connect(
            media: fixture.status(.playing) {
                $0.media?.tracks = [
                    MediaTrack(trackID: 2, type: .text, subtype: .subtitles, name: "English", language: "en"),
                    MediaTrack(trackID: 3, type: .audio, name: "Deutsch", language: "de"),
                ]
                $0.media?.tracks[0].contentID = "http://192.168.1.5/film.vtt"
                $0.media?.tracks[0].contentType = "text/vtt"
                $0.activeTrackIDs = [2]
                var style = TextTrackStyle()
                style.foregroundColor = .white
                style.edgeType = .outline
                style.fontGenericFamily = .sansSerif
                style.fontScale = 1
                $0.media?.textTrackStyle = style
            })
        return fixture
    }

    private static var house: StateFixture {
        var group = Scenario.group.fixture
        let member = Scenario.music.fixture.state
        var directory = GroupDirectory()
        _ = directory.reported(group.state.device.id, MultizoneStatus(devices: [MultizoneDevice(id: member.device.id)]))
        let states = [group.state.device.id: group.state, member.device.id: member]
        group.after(.group(directory.standing(of: group.state.device.id) { states[$0] }, nil))
        return group
    }

    private static let sent = StateFixture.start.adding(seconds: 0.081)

    @Test("every example is JSON, and every example of a document is exactly what is published")
    func examplesAreReal() throws {
        var documents: Set<String> = []
        for (label, json) in self.examples {
            let example = try JSONParser.parse(json)
            guard let message = Self.written[label] else {
                let isChecked = ["answer", "error"].contains(label) || label.hasPrefix("command ")
                #expect(isChecked, "an example that nothing checks: \(label)")
                continue
            }
            let payload = String(decoding: message.payload(at: Self.sent), as: UTF8.self)
            #expect(example == (try JSONParser.parse(payload)), "\(label)")
            documents.insert(label)
        }
        #expect(documents == Set(Self.written.keys))
    }

    private let parser: CommandParser = {
        var options = CommandOptions()
        options.isRawAllowed = true
        options.namespaces = NamespacePolicy([GlobPattern("urn:x-cast:org.example.echo")].compactMap { $0 })
        return CommandParser(topics: TopicTree(base: "cast2mqtt"), options: options)
    }()
    private let now = Now(monotonic: StateFixture.monotonic(0), wall: sent)

    private func outcome(_ topic: String, _ payload: String) -> CommandParser.Outcome {
        self.parser.parse(IncomingMessage(topic: "cast2mqtt/living-room/\(topic)", payload: Array(payload.utf8)), now: self.now)
    }

    @Test("every example of a command is accepted on the topic it is shown for")
    func commands() {
        let labelled = self.examples.filter { $0.label.hasPrefix("command ") }
        #expect(labelled.count == 23)
        for (label, json) in labelled {
            guard case .command = self.outcome(String(label.dropFirst("command ".count)), json) else {
                Issue.record("refused: \(label) \(json)")
                continue
            }
        }
    }

    @Test("every plain value of set/ is accepted, and a bare URL")
    func plainCommands() throws {
        let rows = self.text.components(separatedBy: "\n").filter { $0.hasPrefix("| `set/") }
        #expect(rows.count == 17)
        var accepted = 0
        for row in rows {
            let words = row.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            for value in words.dropFirst() where !value.hasPrefix("set/") {
                guard case .command = self.outcome(words[0], value) else {
                    Issue.record("refused: \(words[0]) \(value)")
                    continue
                }
                accepted += 1
            }
        }
        #expect(accepted == 57)
        guard case .command = self.outcome("cmd/load", "http://192.168.1.5/film.mp4") else {
            Issue.record("a bare URL is refused")
            return
        }
    }

    @Test("the verbs, the requests and the codes of answers are those in the code")
    func words() {
        for verb in self.table("| Verb |") { #expect(BridgeVerb(rawValue: verb) != nil) }
        #expect(self.table("| Verb |").count == BridgeVerb.allCases.count)
        #expect(Set(self.table("| `code` |")) == Set(AnswerCode.allCases.map(\.rawValue)))
        let verbs = self.table("| Topic | Payload | Meaning |\n|---|---|---|\n| `cmd/play`")
        #expect(Set(verbs.map { String($0.dropFirst(4)) }) == Set(Verb.allCases.map(\.rawValue)))
        for document in DeviceDocuments.Name.allCases {
            #expect(self.text.contains("`get/\(document.rawValue)`"))
        }
    }

    @Test("answer and error are what the bridge writes")
    func answers() throws {
        let writer = AnswerWriter(topics: TopicTree(base: "cast2mqtt"))
        let answered = StateFixture.start.adding(seconds: 0.51)
        func written(_ message: OutgoingMessage?) throws -> JSONValue? {
            try message.map { try JSONParser.parse(String(decoding: $0.payload(at: answered), as: UTF8.self)) }
        }
        for (label, json) in self.examples where label == "answer" || label == "error" {
            let example = try JSONParser.parse(json)
            if label == "answer", example["code"] == "load_failed" {
                let envelope = CommandEnvelope(
                    target: .device("living-room"), name: "load", topic: "cast2mqtt/living-room/cmd", id: .text("nr-81f2"),
                    received: self.now)
                var error = CastError(.mediaLoadFailed)
                error.reason = "LOAD_FAILED"
                let finding = MediaFinding(
                    .certificateSelfSigned, .media, url: "https://nas.example.com/film.mp4", "The server signed its certificate itself.")
                let result = CommandResult(error).adding(MediaCheckReport(findings: [finding]))
                let answer = CommandAnswer(envelope: envelope, result: result, elapsed: .milliseconds(912))
                #expect(try written(writer.messages(for: answer, slug: "living-room").answer) == example)
            } else if label == "answer" {
                let envelope = CommandEnvelope(
                    target: .device("living-room"), name: "load", topic: "cast2mqtt/living-room/cmd", id: .text("nr-81f2"),
                    received: self.now)
                let answer = CommandAnswer(envelope: envelope, result: .done(["media_session": 8]), elapsed: .milliseconds(412))
                #expect(try written(writer.messages(for: answer, slug: "living-room").answer) == example)
            } else if case .rejected(let envelope, let result) = self.outcome("set/volume", "loud") {
                let answer = CommandAnswer(envelope: envelope, result: result, elapsed: .zero)
                #expect(try written(writer.messages(for: answer, slug: "living-room").error) == example)
            } else {
                Issue.record("a loud volume is accepted")
            }
        }
        #expect(self.examples.filter { $0.label == "answer" || $0.label == "error" }.count == 3)
    }

    @Test("every finding is listed, in the order of the code, with its severity and remedy")
    func findings() {
        #expect(self.table("| `code` | `severity` |") == MediaFinding.known.map(\.code.rawValue))
        for known in MediaFinding.known {
            let row = self.text.components(separatedBy: "\n").first {
                $0.hasPrefix("| `\(known.code.rawValue)` | \(known.severity.rawValue) | ")
            }
            #expect(row?.hasSuffix(" | \(known.remedy) |") == true, "\(known.code.rawValue)")
        }
    }

    /// The words in code font in the first column of the table whose head begins with `head`.
    private func table(_ head: String) -> [String] {
        guard let start = self.text.range(of: "\n" + head) else { return [] }
        let lines = self.text[start.lowerBound...].components(separatedBy: "\n").dropFirst(3).prefix { $0.hasPrefix("|") }
        return lines.flatMap { line in
            line.components(separatedBy: "|")[1].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    @Test("its lists are the lists in the code")
    func lists() {
        #expect(Set(self.table("| `player` |")) == Set(DevicePlayerState.allCases.map(\.rawValue)))
        #expect(Set(self.table("| `event_type` |")) == Set(PublishedEvent.Kind.allCases.map(\.rawValue)))
        #expect(Set(self.table("| `type` |")) == Set(BridgeEvent.Kind.allCases.map(\.rawValue)))
        let fixture = Scenario.music.fixture
        let mirrored = fixture.mapper.messages(for: fixture.state, documents: .plain).map {
            $0.topic.components(separatedBy: "/status/")[1]
        }
        #expect(self.table("| `<name>` |") == mirrored)
        #expect(Set(self.table("| Further `<name>` |")) == Set(TopicMapper.mediaValueNames))
        for word in DeviceDetails.Authentication.allCases { #expect(self.text.contains("`\(word.rawValue)`")) }
    }
}
