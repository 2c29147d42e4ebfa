import Foundation

/// The schemas of `config/schema` and which topic each belongs to: what the bridge may publish below its base, and nothing else.
public struct TopicSchemas: Sendable {
    public static let root = "https://cast2mqtt.example/schema/1/"

    /// Those of this repository.
    public static let shipped = Result { try TopicSchemas(folder: Self.folder) }
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../config/schema").standardized

    public let validator: SchemaValidator

    public init(folder: URL) throws {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var contents: [Data] = []
        while let file = files?.nextObject() as? URL { if file.pathExtension == "json" { contents.append(try Data(contentsOf: file)) } }
        self.validator = try SchemaValidator(contents)
    }

    /// The kind of payload of a topic.
    public enum Kind: Sendable, Hashable {
        /// JSON of the schema with this name.
        case document(String)
        /// Text, by its definition in `plain.json`.
        case plain(String)
        /// A picture file.
        case picture
        /// Sent by other clients, or bytes without a defined form.
        case free
        /// Nothing that the bridge may publish.
        case unknown
    }

    private static let documents = ["state", "media", "app", "queue", "tracks", "group", "info", "event", "error"]
    private static let bridgeDocuments = ["info", "devices", "health", "event", "log"]

    /// - Parameter tail: the topic without the base.
    public func kind(of tail: some StringProtocol) -> Kind {
        let levels = String(tail).components(separatedBy: "/")
        guard levels.count >= 2 else { return .unknown }
        let rest = levels.dropFirst().joined(separator: "/")
        switch (levels[0], levels[1]) {
        case ("client", _): return .document("answer")
        case ("bridge", "state") where levels.count == 2: return .plain("bridge/state")
        case ("bridge", "response"): return .document("answer")
        case ("bridge", "request"), ("bridge", "doctor"), ("bridge", "pair"), ("all", _): return .free
        case ("bridge", let name): return levels.count == 2 && Self.bridgeDocuments.contains(name) ? .document("bridge/" + name) : .unknown
        case (_, "ns") where levels.count == 4 && levels[3] == "state": return .plain("ns/state")
        case (_, "set"), (_, "cmd"), (_, "get"), (_, "ns"): return .free
        case (_, "artwork") where rest == "artwork/image": return .picture
        case (_, "response"): return .document("answer")
        case (_, "availability"), (_, "status"):
            return self.validator.definitions(of: Self.root + "plain.json").contains(rest) ? .plain(rest) : .unknown
        case (_, let name): return levels.count == 2 && Self.documents.contains(name) ? .document(name) : .unknown
        }
    }

    /// The faults of a message; empty when it is as documented. An empty payload clears a topic and is always right.
    public func problems(topic: String, payload: [UInt8], base: String = "cast2mqtt") throws -> [String] {
        guard topic.hasPrefix(base + "/"), !payload.isEmpty else { return [] }
        let (value, schema): (JSONTree, String)
        switch self.kind(of: topic.dropFirst(base.count + 1)) {
        case .free: return []
        case .picture:
            // JPEG and PNG, which the tests use.
            let isPicture = payload.starts(with: [0xff, 0xd8, 0xff]) || payload.starts(with: [0x89, 0x50, 0x4e, 0x47])
            return isPicture ? [] : ["\(topic) is no picture"]
        case .unknown: return ["\(topic) is no topic of the bridge"]
        case .document(let name):
            schema = "\(Self.root)\(name).json"
            do { value = try JSONTree(Data(payload)) } catch { return ["\(topic) is no JSON: \(error)"] }
        case .plain(let name):
            schema = "\(Self.root)plain.json#/$defs/" + name.replacingOccurrences(of: "/", with: "~1")
            value = .string(String(decoding: payload, as: UTF8.self))
        }
        return try self.validator.violations(of: value, schema: schema).map { "\(topic)\($0)" }
    }
}
