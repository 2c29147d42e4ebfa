import CastModels
import Foundation
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
            facts: ["reason": "finished", "played_s": 17.5])
        messages["event"] = mapper.event(ended, of: "living-room", at: StateFixture.start.adding(seconds: 17.5))
        return messages
    }()

    private static let sent = StateFixture.start.adding(seconds: 0.081)

    @Test("Every example is JSON, and every example of a document is exactly what is published")
    func examplesAreReal() throws {
        var documents: Set<String> = []
        for (label, json) in self.examples {
            let example = try JSONParser.parse(json)
            guard let message = Self.written[label] else {
                #expect(["command", "answer", "error"].contains(label), "an example that nothing checks: \(label)")
                continue
            }
            let payload = String(decoding: message.payload(at: Self.sent), as: UTF8.self)
            #expect(example == (try JSONParser.parse(payload)), "\(label)")
            documents.insert(label)
        }
        #expect(documents == Set(Self.written.keys))
    }

    @Test("Answers and errors have the keys that both documents describe")
    func answers() throws {
        let shared = ["schema", "ts", "id", "device", "cmd", "status", "code", "message"]
        for (label, json) in self.examples {
            guard let object = try JSONParser.parse(json).objectValue else { continue }
            if label == "answer" { #expect(object.keys == shared + ["elapsed_ms", "data"]) }
            if label == "error" { #expect(object.keys == shared + ["data", "topic", "hint", "incident"]) }
        }
    }

    /// The words in code font in the first column of the table whose head begins with `head`.
    private func table(_ head: String) -> [String] {
        var lines = self.text.components(separatedBy: "\n").drop { !$0.hasPrefix(head) }
        lines = lines.dropFirst(2).prefix { $0.hasPrefix("|") }
        return lines.flatMap { line in
            line.components(separatedBy: "|")[1].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
    }

    @Test("Its lists are the lists in the code")
    func lists() {
        #expect(Set(self.table("| `player` |")) == Set(DevicePlayerState.allCases.map(\.rawValue)))
        #expect(Set(self.table("| `event_type` |")) == Set(PublishedEvent.Kind.allCases.map(\.rawValue)))
        #expect(Set(self.table("| `type` |")) == Set(BridgeEvent.Kind.allCases.map(\.rawValue)))
        let fixture = Scenario.music.fixture
        let mirrored = fixture.mapper.messages(for: fixture.state, documents: .plain).map {
            $0.topic.components(separatedBy: "/status/")[1]
        }
        #expect(self.table("| `<name>` |") == mirrored)
        for word in DeviceDetails.Authentication.allCases { #expect(self.text.contains("`\(word.rawValue)`")) }
    }
}
