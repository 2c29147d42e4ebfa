import BridgeCore
import Foundation
import TestSupport
import Testing
import Yams

/// `docs/asyncapi.yaml` agrees with the schemas, the topic tree and the code.
@Suite("docs/asyncapi.yaml")
struct AsyncAPITests {
    private let document: [String: Any]
    private let schemas: TopicSchemas
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs").standardized

    init() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "asyncapi.yaml"), encoding: .utf8)
        self.document = try #require(try Yams.load(yaml: text) as? [String: Any])
        self.schemas = try TopicSchemas.shipped.get()
    }

    private func part(_ path: String...) -> [String: Any] {
        path.reduce(self.document) { ($0[$1] as? [String: Any]) ?? [:] }
    }

    private var channels: [String: [String: Any]] { self.part("channels").compactMapValues { $0 as? [String: Any] } }

    private func action(of channel: String) -> [String: Any]? {
        self.part("operations").values.compactMap { $0 as? [String: Any] }
            .first { ($0["channel"] as? [String: Any])?["$ref"] as? String == "#/channels/\(channel)" }
    }

    /// The addresses on which the bridge sends, with what their messages are.
    private var sent: [(address: String, payload: String, retain: Bool)] {
        self.channels.compactMap { name, channel in
            guard let operation = self.action(of: name), operation["action"] as? String == "send",
                let address = channel["address"] as? String, let messages = channel["messages"] as? [String: Any],
                let message = messages.values.first as? [String: Any], let payload = message["payload"] as? [String: Any],
                let binding = (operation["bindings"] as? [String: Any])?["mqtt"] as? [String: Any]
            else { return nil }
            return (address, payload["$ref"] as? String ?? "", binding["retain"] as? Bool ?? false)
        }
    }

    @Test("it is of version 3, every reference leads somewhere, and every channel has one operation and all its parameters")
    func whole() throws {
        #expect(self.document["asyncapi"] as? String == "3.0.0")
        #expect(self.channels.count == self.part("operations").count)
        for (name, channel) in self.channels {
            #expect(self.action(of: name) != nil, "\(name)")
            let address = try #require(channel["address"] as? String)
            let named = Set(address.components(separatedBy: "{").dropFirst().map { $0.components(separatedBy: "}")[0] })
            #expect(named == Set((channel["parameters"] as? [String: Any] ?? [:]).keys), "\(name)")
            #expect(named.isSubset(of: self.part("components", "parameters").keys))
        }
        let text = try String(contentsOf: Self.folder.appending(path: "asyncapi.yaml"), encoding: .utf8)
        for reference in text.components(separatedBy: "$ref: '").dropFirst().map({ $0.components(separatedBy: "'")[0] }) {
            if reference.hasPrefix("#/") {
                let steps = reference.dropFirst(2).split(separator: "/").map(String.init)
                #expect(self.part(steps[0])[steps[1]] != nil, "\(reference)")
                if steps.count == 3 { #expect(self.part(steps[0], steps[1])[steps[2]] != nil, "\(reference)") }
            } else {
                let id = reference.replacingOccurrences(of: "../config/schema/", with: TopicSchemas.root)
                #expect(throws: Never.self) { try self.schemas.validator.violations(of: .null, schema: id) }
            }
        }
    }

    @Test("each topic on which the bridge sends has the schema by which its messages are checked")
    func schemasOfTopics() {
        for (address, payload, _) in self.sent where !address.hasSuffix("/status/{name}") && !address.contains("/ns/") {
            let tail = address.replacingOccurrences(of: "{base}/", with: "").replacingOccurrences(of: "{device}", with: "tv")
                .replacingOccurrences(of: "{verb}", with: "discover")
            switch self.schemas.kind(of: tail) {
            case .document(let name): #expect(payload == "../config/schema/\(name).json", "\(address)")
            case .plain(let name):
                #expect(payload == "../config/schema/plain.json#/$defs/" + name.replacingOccurrences(of: "/", with: "~1"), "\(address)")
            case .picture: #expect(payload == "#/components/schemas/text", "\(address)")
            case .free, .unknown: Issue.record("the bridge does not publish \(address)")
            }
        }
        let used = Set(
            self.sent.filter { $0.payload.hasPrefix("../") }.map {
                $0.payload.components(separatedBy: "#")[0].replacingOccurrences(of: "../config/schema/", with: TopicSchemas.root)
            })
        // The simulator's are not of topics.
        let documents = self.schemas.validator.ids.filter { id in
            !["/commands/", "/simulator/", "/common.json"].contains { id.contains($0) }
        }
        #expect(Set(documents) == used)
    }

    @Test("the retained topics of a device are those that the bridge clears with it")
    func retained() {
        let retained = self.sent.filter(\.retain).compactMap { address, _, _ in
            address.hasPrefix("{base}/{device}/") ? String(address.dropFirst("{base}/{device}/".count)) : nil
        }
        let names = Set(TopicMapper.retainedNames.map { $0.hasPrefix("status/") ? "status/{name}" : $0 })
        #expect(Set(retained) == names.union(["ns/{namespace}/state"]))
    }

    @Test("the tree of the guide has exactly these channels")
    func tree() throws {
        let guide = try String(contentsOf: Self.folder.appending(path: "TOPICS.md"), encoding: .utf8)
        let tree = guide.components(separatedBy: "```")[1]
        let lines = tree.split(separator: "\n").map { $0.split(separator: " ")[0] }.filter { $0.hasPrefix("<base>/") }
        let documented = Set(
            lines.map { $0.replacingOccurrences(of: "<base>", with: "{base}").replacingOccurrences(of: "<dev>", with: "{device}") }
                .map { Self.general($0) })
        let channels = Set(self.channels.values.compactMap { $0["address"] as? String }.map(Self.general))
        #expect(channels.subtracting(documented) == [])
        let described = documented.subtracting(channels).filter { !$0.contains("/client/") }
        #expect(described == [])
    }

    /// The address with every parameter but the base and the device called the same.
    private static func general(_ address: String) -> String {
        address.components(separatedBy: "/").map { level in
            let isParameter = level.hasPrefix("<") || (level.hasPrefix("{") && level != "{base}" && level != "{device}")
            return isParameter ? "*" : level
        }.joined(separator: "/")
    }
}
