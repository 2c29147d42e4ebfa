/// Walks the tags of an XML or HTML text without interpreting its structure. Malformed parts are skipped.
struct MarkupScan {
    struct Tag: Equatable {
        /// The name in lower case, without prefix; `?xml` and `!doctype` keep their first character.
        var name: String
        var isEnd = false
        var isEmpty = false
        /// The values by name; names are in lower case, without prefixes.
        var attributes: [String: String] = [:]
        /// The text up to the next tag, without surrounding white space.
        var text = ""
    }

    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: the next tag; `nil` at the end.
    mutating func next() -> Tag? {
        while let start = self.bytes[self.offset...].firstIndex(of: UInt8(ascii: "<")) {
            if self.bytes[start...].starts(with: "<!--".utf8) {
                guard let end = self.end(of: "-->", from: start + 4) else { return nil }
                self.offset = end
                continue
            }
            guard let end = self.closing(from: start + 1) else { return nil }
            self.offset = end + 1
            if let tag = self.tag(start + 1..<end) { return tag }
        }
        self.offset = self.bytes.count
        return nil
    }

    private func end(of text: String, from start: Int) -> Int? {
        guard start <= self.bytes.count else { return nil }
        let text = Array(text.utf8)
        return self.bytes[start...].indices.first { self.bytes[$0...].starts(with: text) }.map { $0 + text.count }
    }

    /// Returns the end of the tag: the first `>` outside of quotes.
    private func closing(from start: Int) -> Int? {
        var quote: UInt8?
        for index in start..<max(start, self.bytes.count) {
            let byte = self.bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return nil
    }

    private func tag(_ range: Range<Int>) -> Tag? {
        var rest = String(decoding: self.bytes[range], as: UTF8.self)[...]
        var tag = Tag(name: "")
        if rest.first == "/" {
            tag.isEnd = true
            rest.removeFirst()
        }
        if rest.last == "/" {
            tag.isEmpty = true
            rest.removeLast()
        }
        tag.name = Self.local(rest.prefix { !$0.isWhitespace })
        rest = rest.drop { !$0.isWhitespace }
        guard !tag.name.isEmpty else { return nil }
        while let equals = rest.firstIndex(of: "="), tag.attributes.count < 64 {
            let name = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map(Self.local) ?? ""
            rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
            guard let quote = rest.first, quote == "\"" || quote == "'" else { continue }
            rest.removeFirst()
            tag.attributes[name] = Self.unescaped(rest.prefix { $0 != quote })
            rest = rest.drop { $0 != quote }.dropFirst()
        }
        let text = self.bytes[self.offset...].prefix(8192).prefix { $0 != UInt8(ascii: "<") }
        tag.text = Self.unescaped(String(decoding: text, as: UTF8.self).trimmingSpace)
        return tag
    }

    private static func local(_ name: Substring) -> String { (name.split(separator: ":").last ?? "").lowercased() }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var result = ""
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            let known: KeyValuePairs = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&apos;": "'"]
            if let (name, value) = known.first(where: { rest.hasPrefix($0.key) }) {
                result += value
                rest = rest.dropFirst(name.count)
            } else {
                result += "&"
                rest.removeFirst()
            }
        }
        return result + rest
    }
}

extension String {
    /// The text without white space at both ends.
    var trimmingSpace: Substring {
        let start = self[...].drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
