import CastModels

/// The bounds of what one document carries. A reader gets at most about 64 kB, whatever a device says.
enum DocumentLimits {
    /// Bytes of one text. No title is longer; a `data:` URL may be.
    static let text = 4096
    /// Bytes of a document from which on lists are cut.
    static let listing = 32_768
    /// Elements of one list.
    static let elements = 64
    /// Tracks of one medium: no more are listed, of any kind.
    static let tracks = 128
    /// Bytes of `custom_data`.
    static let customData = 8192
}

extension JSONWriter {
    /// Begins a document: `schema` first, `ts` left to the publisher.
    static func document(capacity: Int) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        writer.member("schema", 1)
        return writer
    }

    /// Where `ts` goes in what `document` began: just after `{"schema":1,`.
    static let timestampOffset = 12

    /// A text of limited size; an empty one counts as unknown.
    mutating func member(_ key: StaticString, text value: String?) {
        self.key(key)
        self.text(value)
    }

    /// The same under a name that the program doesn't know.
    @_disfavoredOverload
    mutating func member(_ key: String, text value: String?) {
        self.key(key)
        self.text(value)
    }

    mutating func text(_ value: String?) {
        guard let value, !value.isEmpty else { return self.null() }
        self.value(value.limited)
    }

    mutating func member(_ key: StaticString, _ time: Timestamp?) {
        self.key(key)
        if let time { self.value(plain: Timestamp.length) { time.write(to: $0) } } else { self.null() }
    }

    /// A number rounded to at most 3 decimals, or `null` when it is none.
    mutating func member(_ key: StaticString, rounded value: Double?) { self.member(key, milli: value.flatMap { $0.isFinite ? $0 : nil }) }

    /// Whether there is room for one more list element.
    var hasRoom: Bool { self.bytes.count < DocumentLimits.listing }
}

extension String {
    /// The text itself, or as much of its beginning as `DocumentLimits.text` allows, with an ellipsis.
    var limited: String {
        guard self.utf8.count > DocumentLimits.text else { return self }
        var end = self.utf8.index(self.utf8.startIndex, offsetBy: DocumentLimits.text - 3)
        while end > self.utf8.startIndex, end.samePosition(in: self.unicodeScalars) == nil { end = self.utf8.index(before: end) }
        return String(self[..<end]) + "…"
    }

    /// Whether this is a complete web address, as readers that fetch pictures need it.
    var isWebAddress: Bool {
        guard self.utf8.count <= DocumentLimits.text else { return false }
        let start = self.prefix(8).lowercased()
        let schemeLength = start == "https://" ? 8 : start.hasPrefix("http://") ? 7 : nil
        guard let schemeLength, let host = self.dropFirst(schemeLength).first, !"/?#:".contains(host) else { return false }
        return !self.unicodeScalars.contains { $0.value <= 0x20 || $0.value == 0x7F }
    }
}
