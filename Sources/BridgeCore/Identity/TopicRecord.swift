import CastModels

/// How the state file holds sets of topics: grouped by what they have in common, which is nearly all of them.
enum TopicRecord {
    /// The topics of a member that `write` wrote; whatever is not one is left out.
    static func read(_ value: JSONValue?) -> Set<String> {
        var topics: Set<String> = []
        for member in value?.objectValue?.members ?? [] {
            for name in member.value.arrayValue?.compactMap(\.stringValue) ?? [] {
                topics.insert(member.key.isEmpty ? name : "\(member.key)/\(name)")
            }
        }
        return topics
    }

    /// Writes a member, unless there is nothing to write.
    /// - Parameter level: the level after which most of the topics differ.
    static func write(_ topics: Set<String>, as name: String, below level: String, to writer: inout JSONWriter) {
        guard !topics.isEmpty else { return }
        writer.key(name)
        writer.beginObject()
        for (prefix, names) in self.grouped(topics, below: level) {
            writer.key(prefix)
            writer.value(names)
        }
        writer.endObject()
    }

    private static func grouped(_ topics: Set<String>, below level: String) -> [(prefix: String, names: [String])] {
        var groups: [String: [String]] = [:]
        for topic in topics.sorted() {
            if let range = topic.firstRange(of: "/\(level)/") {
                groups["\(topic[..<range.lowerBound])/\(level)", default: []].append(String(topic[range.upperBound...]))
            } else {
                groups["", default: []].append(topic)
            }
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
