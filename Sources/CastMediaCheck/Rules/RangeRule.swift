/// Checks responses to range requests (RFC 9110 section 14). Pure.
enum RangeRule {
    /// The header Content-Range: `bytes 0-99/1000`, `bytes 0-99/*` or `bytes */1000`.
    struct ContentRange: Equatable {
        /// The range; `nil` when it could not be satisfied.
        var range: ClosedRange<Int>?
        /// The size of the file; `nil` when the server does not know it.
        var size: Int?

        init?(_ text: String) {
            let words = text.split(separator: " ", maxSplits: 1)
            guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
            let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            self.size = Int(parts[1])
            guard self.size != nil || parts[1] == "*" else { return nil }
            if parts[0] == "*" { return }
            let ends = parts[0].split(separator: "-").compactMap { Int($0) }
            guard ends.count == 2, ends[0] <= ends[1] else { return nil }
            self.range = ends[0]...ends[1]
        }
    }

    /// Returns why a response with status 206 does not match the request; `nil` when it does.
    /// - Parameters:
    ///   - offset: the start of the requested range.
    ///   - count: the number of received bytes; `nil` when more would follow.
    static func fault(contentRange: String?, offset: Int, count: Int?) -> String? {
        guard let contentRange else { return "an answer with status 206 has no Content-Range" }
        guard let parsed = ContentRange(contentRange), let range = parsed.range else {
            return "Content-Range is \"\(contentRange.excerpt)\""
        }
        guard range.lowerBound == offset else { return "the range from \(offset) was asked for and \"\(contentRange.excerpt)\" came" }
        // The range may be longer than `Int.max`.
        if let count, range.upperBound - range.lowerBound != count - 1 {
            return "\"\(contentRange.excerpt)\" is announced and \(count) bytes came"
        }
        return nil
    }
}
