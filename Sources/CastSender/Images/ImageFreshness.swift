import HTTPFetch

/// Decides how long a stored picture is used without asking its server again (RFC 9111). Pure.
struct ImageFreshness: Sendable, Hashable, Codable {
    /// The lifetime for servers that name none, in seconds.
    static let usualAge: Int64 = 3_600
    /// The longest lifetime, in seconds (30 days), whatever the server names.
    static let longestAge: Int64 = 2_592_000

    var entityTag: String?
    var lastModified: String?
    /// The time until which the picture is used without revalidation, in seconds since 1970.
    var expires: Int64

    /// - Returns: `nil` when the server forbids storing the picture.
    init?(_ response: HTTPFetchResponse, now: Int64) {
        let directives = Self.directives(response.value(of: "Cache-Control") ?? "")
        guard directives["no-store"] == nil else { return nil }
        self.entityTag = response.value(of: "ETag")
        self.lastModified = response.value(of: "Last-Modified")
        var age = Self.usualAge
        if let named = directives["max-age"].flatMap({ Int64($0) }) { age = min(max(0, named), Self.longestAge) }
        if directives["no-cache"] != nil { age = 0 }
        self.expires = now + age
    }

    /// - Returns: whether the picture may be used without revalidation. A clock that was set back extends no lifetime.
    func isFresh(at now: Int64) -> Bool { now < self.expires && self.expires - now <= Self.longestAge }

    /// The headers of a conditional request: the server answers 304 when the picture is unchanged.
    var conditions: [HTTPFetchRequest.Header] {
        [
            self.entityTag.map { HTTPFetchRequest.Header("If-None-Match", $0) },
            self.lastModified.map { HTTPFetchRequest.Header("If-Modified-Since", $0) },
        ].compactMap { $0 }
    }

    /// Returns the freshness after a 304 response, by which the server confirms the picture.
    ///
    /// - Returns: `nil` when the server now forbids storing it.
    func renewed(by response: HTTPFetchResponse, now: Int64) -> ImageFreshness? {
        guard var next = ImageFreshness(response, now: now) else { return nil }
        // A 304 response may leave out unchanged headers.
        next.entityTag = next.entityTag ?? self.entityTag
        next.lastModified = next.lastModified ?? self.lastModified
        return next
    }

    /// Returns the directives by name in lower case; values are without quotation marks.
    private static func directives(_ header: String) -> [String: String] {
        var directives: [String: String] = [:]
        for part in header.split(separator: ",") {
            let halves = part.split(separator: "=", maxSplits: 1).map { half in
                String(half.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" })
            }
            guard let name = halves.first else { continue }
            directives[name.lowercased()] = halves.count > 1 ? halves[1].filter { $0 != "\"" } : ""
        }
        return directives
    }
}
