/// Decides to which topics a client may have its answers sent. The bridge publishes there with its own rights, which no client must borrow.
public struct ResponseTopicPolicy: Sendable, Hashable {
    /// The longest accepted response topic, in bytes.
    public static let maximumBytes = 1024

    private let base: String
    private let prefixes: [String]

    /// - Parameters:
    ///   - topics: the topics whose client branch is always allowed.
    ///   - prefixes: further allowed branches (`mqtt.response_prefixes`), compared level by level. None opens the rest of our own topics.
    public init(topics: TopicTree, prefixes: [String] = []) {
        self.base = topics.base + "/"
        self.prefixes = [topics.clientPrefix] + prefixes.filter { !$0.isEmpty }.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
    }

    public func allows(_ topic: String) -> Bool {
        guard !topic.isEmpty, topic.utf8.count <= Self.maximumBytes, topic.utf8.first != UInt8(ascii: "$"),
            !topic.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") || $0 < 0x20 || $0 == 0x7F })
        else { return false }
        // Brokers and programs that map topics to paths could be led elsewhere.
        let levels = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard !levels.contains(where: { $0.isEmpty || $0.elementsEqual("..".utf8) }) else { return false }
        if topic.utf8.starts(with: self.base.utf8) { return self.isBelow(self.prefixes[0], topic) }
        return self.prefixes.contains { self.isBelow($0, topic) || topic + "/" == $0 }
    }

    private func isBelow(_ prefix: String, _ topic: String) -> Bool {
        topic.utf8.count > prefix.utf8.count && topic.utf8.starts(with: prefix.utf8)
    }
}
