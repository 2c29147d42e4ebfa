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
    /// Bytes of the `custom_data` of an ad clip, of which a document lists many.
    static let clipCustomData = 1024
}

extension JSONWriter {
    /// Begins a document: `schema` first, then the time.
    mutating func beginDocument(at time: Timestamp) {
        self.beginText()
        self.beginObject()
        self.member("schema", 1)
        self.member("ts", time)
    }

    /// Begins a document: `schema` first, `ts` left to the publisher.
    static func document(capacity: Int) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        writer.member("schema", 1)
        return writer
    }

    /// A text of limited size; an empty one counts as unknown.
    mutating func member(_ key: StaticString, text value: String?) {
        self.key(key)
        self.text(value)
    }

    /// A member of a tree, of which a text is limited like any other.
    mutating func member(limiting member: JSONObject.Member) {
        self.key(member.key)
        if let text = member.value.stringValue { self.text(text) } else { self.value(member.value) }
    }

    mutating func text(_ value: String?) {
        guard let value, !value.isEmpty else { return self.null() }
        self.value(value.utf8.count <= DocumentLimits.text ? value : value.limited)
    }

    mutating func member(_ key: StaticString, _ time: Timestamp?) {
        self.key(key)
        if let time { self.value(plain: Timestamp.length) { time.write(to: $0) } } else { self.null() }
    }

    /// A number rounded to at most 3 decimals, or `null` when it is none.
    mutating func member(_ key: StaticString, rounded value: Double?) { self.member(key, milli: value.flatMap { $0.isFinite ? $0 : nil }) }

    /// Whether there is room for one more list element.
    var hasRoom: Bool { self.count - self.start < DocumentLimits.listing }
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
    package var isWebAddress: Bool {
        guard self.utf8.count <= DocumentLimits.text else { return false }
        func begins(with scheme: StaticString) -> Bool {
            var bytes = self.utf8.makeIterator()
            for index in 0..<scheme.utf8CodeUnitCount {
                guard let byte = bytes.next(), byte | 0x20 == scheme.utf8Start[index] | 0x20 else { return false }
            }
            guard let host = bytes.next() else { return false }
            return !"/?#:".utf8.contains(host)
        }
        guard begins(with: "https://") || begins(with: "http://") else { return false }
        var text = self
        return text.withUTF8 { bytes in !bytes.contains { $0 <= 0x20 || $0 == 0x7F } }
    }
}
