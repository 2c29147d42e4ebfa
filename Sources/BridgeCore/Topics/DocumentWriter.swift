import CastModels

/// The limits of one document. A reader receives at most about 64 kB, whatever a device reports.
enum DocumentLimits {
    /// The longest text in bytes. No title is longer; a `data:` URL may be.
    static let text = 4096
    /// The size of a document in bytes from which lists are truncated.
    static let listing = 32_768
    static let elements = 64
    /// The largest number of listed tracks of one medium, of all kinds together.
    static let tracks = 128
    static let customData = 8192
    /// The largest `custom_data` of an ad clip in bytes, because a document lists many.
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

    /// Begins a document: `schema` first; the publisher inserts `ts`.
    static func document(capacity: Int) -> JSONWriter {
        var writer = JSONWriter(capacity: capacity)
        writer.beginObject()
        writer.member("schema", 1)
        return writer
    }

    mutating func beginObject(_ key: StaticString) {
        self.key(key)
        self.beginObject()
    }

    mutating func beginArray(_ key: StaticString) {
        self.key(key)
        self.beginArray()
    }

    /// Writes a list of objects, those for which there is room.
    /// - Parameter write: writes the members of one.
    mutating func objects<Element>(_ key: StaticString, _ elements: some Sequence<Element>, _ write: (Element, inout Self) -> Void) {
        self.beginArray(key)
        for element in elements where self.hasRoom {
            self.beginObject()
            write(element, &self)
            self.endObject()
        }
        self.endArray()
    }

    /// Writes a text of limited size; an empty one becomes `null`.
    mutating func member(_ key: StaticString, text value: String?) {
        self.key(key)
        self.text(value)
    }

    /// Writes a member of a tree with its texts limited.
    mutating func member(_ key: StaticString, limiting value: JSONValue) {
        self.key(key)
        self.value(limiting: value)
    }

    mutating func value(limiting value: JSONValue) {
        if let text = value.stringValue { self.text(text) } else { self.value(value) }
    }

    mutating func text(_ value: String?) {
        guard let value, !value.isEmpty else { return self.null() }
        self.value(value.utf8.count <= DocumentLimits.text ? value : value.limited)
    }

    mutating func member(_ key: StaticString, _ time: Timestamp?) {
        self.key(key)
        if let time { self.value(plain: Timestamp.length) { time.write(to: $0) } } else { self.null() }
    }

    /// Writes a number rounded to at most 3 decimals, or `null` when it is `nil` or not finite.
    mutating func member(_ key: StaticString, rounded value: Double?) { self.member(key, milli: value.flatMap { $0.isFinite ? $0 : nil }) }

    var hasRoom: Bool { self.count - self.start < DocumentLimits.listing }
}

extension String {
    /// The text, truncated to `DocumentLimits.text` with an ellipsis, and without secrets then, as `shortened(to:)`.
    var limited: String {
        guard self.utf8.count > DocumentLimits.text else { return self }
        let text = SecretRedaction.standard.redacted(self)
        guard text.utf8.count > DocumentLimits.text else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: DocumentLimits.text - 3)
        while end > text.utf8.startIndex, end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end]) + "…"
    }

    /// Whether this is a complete web address, which readers that fetch pictures need.
    public var isWebAddress: Bool {
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
