import CastModels

/// Builds every topic string below the base. No other type knows the layout.
public struct TopicTree: Sendable, Hashable {
    /// The first levels of every topic; may contain `/`, never `+`, `#` or NUL.
    public let base: String

    /// - Parameter base: the configured `mqtt.base`, already checked.
    public init(base: String) { self.base = base }

    /// Returns `<base>/bridge/<name>`, for example `state`, `info`, `devices`, `health`, `event`, `log`.
    public func bridge(_ name: String) -> String { "\(self.base)/bridge/\(name)" }

    public func bridgeResponse(_ verb: String) -> String { "\(self.base)/bridge/response/\(verb)" }

    /// Returns `<base>/<slug>/<name>`, for example `availability`, `state`, `response`.
    public func device(_ slug: String, _ name: String) -> String { "\(self.base)/\(slug)/\(name)" }

    /// Writes `<base>/<slug><name>`.
    /// - Returns: its range.
    func write(_ slug: String, _ name: StaticString, to writer: inout JSONWriter) -> Range<Int> {
        let start = writer.count
        writer.append(raw: self.base)
        writer.append(UInt8(ascii: "/"))
        writer.append(raw: slug)
        writer.append(raw: name)
        return start..<writer.count
    }

    /// Returns `<base>/<slug>/status/<name>`: the topic of a plain value.
    public func status(_ slug: String, _ name: String) -> String { "\(self.base)/\(slug)/status/\(name)" }

    func channelState(_ slug: String, _ namespace: String) -> String { self.device(slug, "ns/\(namespace)/state") }

    /// The filter for the namespace states of every device.
    var channelStates: String { self.channelState("+", "+") }

    /// Returns whether a name below a slug is the state of a valid namespace.
    static func isChannelState(_ name: String) -> Bool {
        let levels = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return levels.count == 3 && levels[0].elementsEqual("ns".utf8) && levels[2].elementsEqual("state".utf8)
            && NamespacePolicy.isValid(String(Substring(levels[1])))
    }

    /// The prefix below which clients may receive their answers.
    public var clientPrefix: String { "\(self.base)/client/" }

    /// Sorts topics in clearing order, `availability` last: until then readers see that the device is offline.
    static func clearingOrder(_ topics: [String]) -> [String] {
        let isLast = { (topic: String) in topic.hasSuffix("/availability") }
        return topics.sorted { (isLast($0) ? 1 : 0, $0) < (isLast($1) ? 1 : 0, $1) }
    }

    /// Returns the levels below the base, the last with all that follows; `nil` for a topic outside of it.
    /// - Parameter count: the largest number of levels to separate, at least 1.
    static func levels(of topic: String, below base: String, atMost count: Int) -> [String]? {
        // Bytes, not characters: a combining mark after a slash must not hide it.
        var (topic, base) = (topic, base)
        return topic.withUTF8 { topic in
            let end = base.withUTF8 { base in topic.count > base.count && topic.starts(with: base) ? base.count : nil }
            guard let end, topic[end] == UInt8(ascii: "/") else { return nil }
            var levels: [String] = []
            levels.reserveCapacity(count)
            var start = end + 1
            for index in start..<topic.count where topic[index] == UInt8(ascii: "/") && levels.count < count - 1 {
                levels.append(String(decoding: topic[start..<index], as: UTF8.self))
                start = index + 1
            }
            levels.append(String(decoding: topic[start...], as: UTF8.self))
            return levels
        }
    }

    /// Returns the device and the document of a topic; `nil` when its first level is not a slug.
    public func deviceDocument(_ topic: String) -> (slug: String, name: String)? {
        guard let levels = Self.levels(of: topic, below: self.base, atMost: 2), levels.count == 2, Slug.isValid(levels[0])
        else { return nil }
        return (levels[0], levels[1])
    }
}
