import CastModels

/// What a member of a pair says of itself on `bridge/pair/members/<owner>`, and `bridge/info` of it.
public struct PairMember: Sendable, Hashable {
    public var owner: String
    public var version: String
    public var startedAt: Timestamp
    /// The address of its web page; `nil` without one.
    public var page: String?
    /// A digest of what both members must have in common; `nil` when it did not say so.
    public var common: Int?

    public init(owner: String, version: String, startedAt: Timestamp, page: String?, common: Int? = nil) {
        (self.owner, self.version, self.startedAt, self.page, self.common) = (owner, version, startedAt, page, common)
    }

    /// Returns a digest that does not give away the client id.
    public static func digest(instance: String, clientID: String) -> Int { Int(PairRecord.digest("\(instance)\n\(clientID)") % 65_536) }

    /// Reads a message; `nil` for anything else, also for an empty one.
    public init?(_ payload: [UInt8]) {
        guard payload.count <= 2_048, let json = try? JSONParser.parse(payload), let owner = json["owner"]?.stringValue,
            let version = json["version"]?.stringValue,
            let startedAt = json["started_at"]?.stringValue.flatMap({ Timestamp(rfc3339: $0) })
        else { return nil }
        let page = json["page"]?.stringValue.flatMap { $0.hasPrefix("http://") || $0.hasPrefix("https://") ? $0 : nil }
        self.init(owner: owner, version: version, startedAt: startedAt, page: page, common: json["common"]?.intValue)
    }

    /// What it says to the other member.
    public var message: JSONObject {
        var json = self.json
        json["common"] = self.common.map { .integer(Int64($0)) }
        return json
    }

    public var json: JSONObject {
        [
            "owner": .string(self.owner), "version": .string(self.version), "started_at": .string(self.startedAt.text),
            "page": self.page.map { .string($0) } ?? .null,
        ]
    }
}
