import CastModels

/// Stores sets of topics in the state file, grouped by their common prefix.
enum TopicRecord {
    /// Reads the topics of a member that `write` wrote; invalid topics are left out.
    static func read(_ value: JSONValue?) -> Set<String> {
        var topics: Set<String> = []
        for member in value?.objectValue?.members ?? [] {
            for name in member.value.arrayValue?.compactMap(\.stringValue) ?? [] {
                topics.insert(member.key.isEmpty ? name : "\(member.key)/\(name)")
            }
        }
        return topics
    }

    /// Writes a member, unless the set is empty.
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
        let separator = Array("/\(level)/".utf8)
        var groups: [String: [String]] = [:]
        for topic in topics.sorted() {
            if let start = self.start(of: separator, in: topic) {
                let end = topic.utf8.index(start, offsetBy: separator.count)
                groups["\(topic[..<start])/\(level)", default: []].append(String(topic[end...]))
            } else {
                groups["", default: []].append(topic)
            }
        }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the first position of `separator`. Compares bytes: `firstRange(of:)` of a string compares characters, which took most of the
    /// time of a write.
    private static func start(of separator: [UInt8], in topic: String) -> String.Index? {
        let bytes = topic.utf8
        var start = bytes.startIndex
        while let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) {
            if bytes[slash...].starts(with: separator) { return slash }
            start = bytes.index(after: slash)
        }
        return nil
    }
}
