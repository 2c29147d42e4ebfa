/// Reading frames as all receivers write them, in a fraction of the time of the generated code.
extension CastMessagePiece {
    /// Reads a serialized `CastMessage` whose every field is one that we know, of its own wire type and with a value that we know.
    ///
    /// - Returns: `nil` for anything else, be it unusual or broken: the generated code judges that.
    init?(plain body: UnsafeRawBufferPointer) {
        var fields = PlainFields(body)
        var (sourceID, destinationID, namespace, text): (String?, String?, String?, String?)
        var isContinued = false
        var remainingLength: Int?
        while let tag = fields.next() {
            switch tag {
            case Tag.protocolVersion: guard fields.varint() == 0 else { return nil }
            case Tag.sourceID: sourceID = fields.text()
            case Tag.destinationID: destinationID = fields.text()
            case Tag.namespace: namespace = fields.text()
            // Binary payloads are rare.
            case Tag.payloadType: guard fields.varint() == 0 else { return nil }
            case Tag.payloadText: text = fields.text()
            case Tag.isContinued:
                guard let value = fields.varint(), value <= 1 else { return nil }
                isContinued = value == 1
            case Tag.remainingLength:
                guard let value = fields.varint(), value <= UInt64(UInt32.max) else { return nil }
                remainingLength = Int(value)
            default: return nil
            }
        }
        guard fields.isAtEnd, let sourceID, let destinationID, let namespace, let text else { return nil }
        self.init(
            sourceID: sourceID, destinationID: destinationID, namespace: namespace, content: .text(text), isContinued: isContinued,
            remainingLength: remainingLength)
    }

    /// Number × 8 + wire type: 0 is a varint, 2 a length and that many bytes.
    private enum Tag {
        static let protocolVersion: UInt8 = 0x08
        static let sourceID: UInt8 = 0x12
        static let destinationID: UInt8 = 0x1A
        static let namespace: UInt8 = 0x22
        static let payloadType: UInt8 = 0x28
        static let payloadText: UInt8 = 0x32
        static let isContinued: UInt8 = 0x40
        static let remainingLength: UInt8 = 0x48
    }
}

/// A walk over serialized fields, each taken as what its reader expects. What isn't there ends the walk for good, before the end.
private struct PlainFields {
    private let bytes: UnsafeRawBufferPointer
    private var index = 0
    private var hasFailed = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { !self.hasFailed && self.index == self.bytes.count }

    /// The next tag, of one byte.
    mutating func next() -> UInt8? {
        guard !self.hasFailed, self.index < self.bytes.count else { return nil }
        defer { self.index += 1 }
        return self.bytes[self.index]
    }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard self.index < self.bytes.count else { break }
            let byte = self.bytes[self.index]
            self.index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        self.hasFailed = true
        return nil
    }

    mutating func text() -> String? {
        guard let length = self.varint(), length <= UInt64(self.bytes.count - self.index) else {
            self.hasFailed = true
            return nil
        }
        let end = self.index + Int(length)
        defer { self.index = end }
        let part = UnsafeRawBufferPointer(rebasing: self.bytes[self.index..<end])
        let text = part.withMemoryRebound(to: UInt8.self) { String(validating: $0, as: UTF8.self) }
        if text == nil { self.hasFailed = true }
        return text
    }
}
