import CastModels

/// What a member of a pair says on the retained topic `bridge/pair/claim`: that it leads, wants to, or has stopped.
///
/// Brokers send the claims of one topic to all readers in one order, on which the members agree: of two claims of one term the first leads.
public struct PairClaim: Sendable, Hashable {
    /// Counts the leaders, from 1.
    public var term: Int
    /// The name of the member, which stays over its restarts.
    public var owner: String
    /// Distinguishes runs and copies of a member; hexadecimal digits.
    public var run: String
    /// The number of the renewal; a claim becomes a leader's with its first renewal.
    public var renewal = 0
    /// Whether the leader gave up its claim when it ended, so that the standby need not wait.
    public var isReleased = false

    public init(term: Int, owner: String, run: String) { (self.term, self.owner, self.run) = (term, owner, run) }

    /// Reads a claim; `nil` for anything else.
    public init?(_ payload: [UInt8]) {
        guard let json = try? JSONParser.parse(payload), let term = json["term"]?.intValue, (1...Self.highestTerm).contains(term),
            let owner = json["owner"]?.stringValue, (1...Self.longestName).contains(owner.utf8.count),
            let run = json["run"]?.stringValue, (1...Self.longestName).contains(run.utf8.count)
        else { return nil }
        self.init(term: term, owner: owner, run: run)
        self.renewal = max(0, json["renewal"]?.intValue ?? 0)
        self.isReleased = json["released"]?.boolValue ?? false
    }

    /// - Parameters:
    ///   - instance: the name of the pair.
    ///   - isRetained: whether later members read it. A leader that releases its claim and goes on could put it in the place of a newer one.
    public func message(topics: TopicTree, instance: String, isRetained: Bool = true) -> OutgoingMessage {
        let json: JSONObject = [
            "schema": 1, "term": .integer(Int64(self.term)), "owner": .string(self.owner), "instance": .string(instance),
            "run": .string(self.run), "renewal": .integer(Int64(self.renewal)), "released": .bool(self.isReleased),
        ]
        return OutgoingMessage(
            topic: topics.pair("claim"), payload: JSONWriter.bytes(of: .object(json)), qos: 1, retain: isRetained,
            content: .document(schema: 1))
    }

    /// The highest term that is read: with a takeover every three seconds a pair reaches it after a century.
    static let highestTerm = 1_000_000_000
    static let longestName = 120
}

extension TopicTree {
    /// Returns `<base>/bridge/pair/<name>`.
    public func pair(_ name: String) -> String { self.bridge("pair/\(name)") }
}
