import BridgeCore
import CastSender
import Foundation
import TestSupport
import Testing

@Suite("The schemas of config/schema")
struct TopicSchemaTests {
    private let schemas: TopicSchemas
    private let guide: String

    init() throws {
        self.schemas = try TopicSchemas.shipped.get()
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/TOPICS.md")
        self.guide = try String(contentsOf: file, encoding: .utf8)
    }

    private func words(_ schema: String, _ path: [String]) throws -> Set<String> {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../config/schema/\(schema).json")
        var tree = try JSONTree(Data(contentsOf: file))
        for step in path { tree = try #require(tree[step]) }
        return Set((tree.elements ?? []).compactMap(\.text))
    }

    @Test("each has an id of its own and version, and every reference leads somewhere")
    func ids() throws {
        #expect(self.schemas.validator.ids.allSatisfy { $0.hasPrefix(TopicSchemas.root) })
        for id in self.schemas.validator.ids { _ = try self.schemas.validator.violations(of: .object([:]), schema: id) }
    }

    @Test("every example of the guide matches its schema")
    func examples() throws {
        var checked: Set<String> = []
        for part in self.guide.components(separatedBy: "\n```json ").dropFirst() {
            let lines = part.components(separatedBy: "\n```")[0].split(separator: "\n", maxSplits: 1)
            let label = String(lines[0])
            guard !label.hasPrefix("command ") else { continue }
            let violations = try self.schemas.validator.violations(
                of: JSONTree(Data(lines[1].utf8)), schema: "\(TopicSchemas.root)\(label).json")
            #expect(violations == [], "\(label)")
            checked.insert(label)
        }
        #expect(
            checked.isSuperset(of: ["state", "media", "app", "queue", "tracks", "group", "info", "event", "error", "answer", "bridge/info"])
        )
    }

    @Test("every retained topic of a device has one, and nothing else has")
    func retained() {
        for name in TopicMapper.retainedNames {
            #expect(self.schemas.kind(of: "living-room/" + name) != .unknown, "\(name)")
            #expect(self.schemas.kind(of: "living-room/" + name) != .free, "\(name)")
        }
        for topic in ["living-room", "living-room/status/lyrics", "living-room/state/x", "bridge/secret", "living-room/lyrics"] {
            #expect(self.schemas.kind(of: topic) == .unknown)
        }
    }

    @Test("their lists are the lists in the code")
    func lists() throws {
        #expect(try self.words("common", ["$defs", "player", "enum"]) == Set(DevicePlayerState.allCases.map(\.rawValue)))
        #expect(try self.words("event", ["properties", "event_type", "enum"]) == Set(PublishedEvent.Kind.allCases.map(\.rawValue)))
        #expect(try self.words("answer", ["properties", "code", "examples"]) == Set(AnswerCode.allCases.map(\.rawValue)))
        #expect(try self.words("group", ["properties", "role", "enum"]) == Set(GroupRole.allCases.map(\.rawValue)))
        #expect(try self.words("bridge/event", ["properties", "event_type", "enum"]) == Set(BridgeEvent.Kind.allCases.map(\.rawValue)))
        #expect(
            try self.words("info", ["properties", "authentication", "enum"]) == Set(DeviceDetails.Authentication.allCases.map(\.rawValue)))
        let causes = Set(DiscoveryHint.Cause.allCases.map(\.rawValue))
        #expect(try self.words("bridge/health", ["properties", "discovery", "properties", "cause", "examples"]) == causes)
        let rows = try #require(self.guide.components(separatedBy: "  | Cause | Why | What to do |\n  |---|---|---|\n").dropFirst().first)
            .components(separatedBy: "\n").prefix { $0.hasPrefix("  | `") }
        #expect(Set(rows.map { $0.components(separatedBy: "`")[1] }) == causes && rows.count == causes.count)
    }

    @Test(
        "a message that is not as documented is found",
        arguments: [
            ("cast2mqtt/tv/state", #"{"schema":1}"#), ("cast2mqtt/tv/state", "loud"), ("cast2mqtt/tv/status/muted", "true"),
            ("cast2mqtt/tv/status/volume", "101"), ("cast2mqtt/tv/lyrics", "la"), ("cast2mqtt/bridge/state", "away"),
            ("cast2mqtt/tv/response", #"{"status":"fine"}"#),
        ])
    func wrong(topic: String, payload: String) throws {
        #expect(try !self.schemas.problems(topic: topic, payload: Array(payload.utf8)).isEmpty)
    }

    @Test("what others send is not ours to judge", arguments: ["cast2mqtt/tv/set/volume", "cast2mqtt/bridge/request/x", "elsewhere/x"])
    func free(topic: String) throws {
        #expect(try self.schemas.problems(topic: topic, payload: Array("whatever".utf8)) == [])
    }
}
