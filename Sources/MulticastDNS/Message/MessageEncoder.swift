/// Encodes one packet of at most `limit` bytes, with compressed names. Append the sections in their order on the wire.
package struct MessageEncoder {
    package enum Section: Int { case question, answer, authority, additional }

    package private(set) var bytes: [UInt8]
    private let limit: Int
    private let isQuery: Bool
    private let compressesServiceTargets: Bool
    private var counts: [UInt16] = [0, 0, 0, 0]
    private var offsets: [DNSName: Int] = [:]

    /// - Parameter compressesServiceTargets: `false` for answers to ordinary resolvers (RFC 6762 section 18.14).
    package init(id: UInt16 = 0, flags: DNSMessage.Flags, limit: Int, compressesServiceTargets: Bool = true) {
        self.limit = limit
        self.isQuery = !flags.isResponse
        self.compressesServiceTargets = compressesServiceTargets
        self.bytes = []
        self.bytes.reserveCapacity(limit)
        self.append(id)
        self.append(flags.rawValue)
        for _ in 0..<4 { self.append(UInt16(0)) }
    }

    var isEmpty: Bool { self.counts.allSatisfy { $0 == 0 } }

    mutating func setTruncated() { self.bytes[2] |= 0x02 }

    /// Appends a question; returns `false` without a change when there is no room.
    package mutating func append(_ question: Question) -> Bool {
        self.fitting(.question) {
            $0.append(question.name, compressed: true)
            $0.append(question.type.rawValue)
            $0.append(UInt16(1) | (question.wantsUnicast ? 0x8000 : 0))
        }
    }

    /// Appends a record; returns `false` without a change when there is no room.
    package mutating func append(_ record: ResourceRecord, _ section: Section) -> Bool {
        self.fitting(section) {
            $0.append(record.name, compressed: true)
            $0.append(record.type.rawValue)
            $0.append(UInt16(1) | (record.cacheFlush ? 0x8000 : 0))
            $0.append(UInt16(record.ttlSeconds >> 16))
            $0.append(UInt16(record.ttlSeconds & 0xFFFF))
            let lengthAt = $0.bytes.count
            $0.append(UInt16(0))
            $0.append(record.data, compressed: true)
            $0.set(UInt16(truncatingIfNeeded: $0.bytes.count - lengthAt - 2), at: lengthAt)
        }
    }

    /// Returns the data with uncompressed names, the form in which probes are compared (RFC 6762 section 8.2).
    package static func uncompressed(_ data: RecordData) -> [UInt8] {
        var encoder = MessageEncoder(flags: .query, limit: 0)
        encoder.append(data, compressed: false)
        return Array(encoder.bytes[MessageDecoder.headerBytes...])
    }

    private mutating func fitting(_ section: Section, _ write: (inout MessageEncoder) -> Void) -> Bool {
        let mark = self.bytes.count
        write(&self)
        guard self.bytes.count <= self.limit, self.counts[section.rawValue] < UInt16.max else {
            self.bytes.removeSubrange(mark...)
            self.offsets = self.offsets.filter { $0.value < mark }
            return false
        }
        self.counts[section.rawValue] += 1
        self.set(self.counts[section.rawValue], at: 4 + 2 * section.rawValue)
        return true
    }

    private mutating func append(_ data: RecordData, compressed: Bool) {
        switch data {
        case .a(let address):
            self.append(UInt16(address >> 16))
            self.append(UInt16(address & 0xFFFF))
        case .aaaa(let high, let low):
            for part in [high, low] { for shift in stride(from: 56, through: 0, by: -8) { self.bytes.append(UInt8(part >> shift & 0xFF)) } }
        case .ptr(let target):
            self.append(target, compressed: compressed, isRepeated: !self.isQuery)
        case .srv(let location):
            self.append(location.priority)
            self.append(location.weight)
            self.append(location.port)
            self.append(location.target, compressed: compressed && self.compressesServiceTargets)
        case .txt(let strings):
            self.bytes += strings.isEmpty ? [0] : strings
        case .nsec(let next, let types):
            self.append(next, compressed: compressed)
            self.appendBitmap(types)
        case .unknown(_, let data):
            self.bytes += data
        }
    }

    private mutating func appendBitmap(_ types: [RecordType]) {
        let values = types.map { Int($0.rawValue) }.filter { $0 < 256 }
        var bitmap = [UInt8](repeating: 0, count: (values.max() ?? 0) / 8 + 1)
        for value in values { bitmap[value / 8] |= 0x80 >> UInt8(value % 8) }
        self.bytes += [0, UInt8(bitmap.count)] + bitmap
    }

    /// - Parameter isRepeated: whether later records may contain the whole name; the known answers of a query do not.
    private mutating func append(_ name: DNSName, compressed: Bool, isRepeated: Bool = true) {
        var rest = name
        if !isRepeated, !name.wire.isEmpty {
            self.bytes += name.wire[0...Int(name.wire[0])]
            rest = name.parent
        }
        while !rest.wire.isEmpty {
            if let offset = self.offsets[rest] {
                if compressed { return self.append(UInt16(0xC000 | offset)) }
            } else if self.bytes.count < 0x4000 {
                // A pointer has 14 bits, so it cannot refer to later names.
                self.offsets[rest] = self.bytes.count
            }
            self.bytes += rest.wire[0...Int(rest.wire[0])]
            rest = rest.parent
        }
        self.bytes.append(0)
    }

    private mutating func append(_ value: UInt16) {
        self.bytes.append(UInt8(value >> 8))
        self.bytes.append(UInt8(value & 0xFF))
    }

    private mutating func set(_ value: UInt16, at offset: Int) {
        self.bytes[offset] = UInt8(value >> 8)
        self.bytes[offset + 1] = UInt8(value & 0xFF)
    }
}
