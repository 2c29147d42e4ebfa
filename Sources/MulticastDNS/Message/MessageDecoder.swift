/// Decodes one packet. A record with unusable data is skipped. At a structural error, decoding ends and the preceding records are kept.
package struct MessageDecoder {
    private let bytes: [UInt8]
    private var position = 0
    /// The number of skipped records, whose data or class was unusable.
    private(set) var skippedRecords = 0
    /// Whether the packet ended, or was malformed, before all records that its header announced.
    private(set) var isCut = false

    static let headerBytes = 12

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Throws: `malformedMessage` when the header is incomplete.
    package mutating func decode() throws(MulticastDNSError) -> DNSMessage {
        guard self.bytes.count >= Self.headerBytes else {
            throw MulticastDNSError(.malformedMessage, detail: "\(self.bytes.count) bytes are no DNS header")
        }
        var message = DNSMessage(id: self.integer16(at: 0), flags: DNSMessage.Flags(rawValue: self.integer16(at: 2)))
        self.position = Self.headerBytes
        for _ in 0..<self.integer16(at: 4) {
            guard let question = self.readQuestion() else { return self.cut(message) }
            message.questions.append(question)
        }
        let sections: [(Int, WritableKeyPath<DNSMessage, [ResourceRecord]>)] = [(6, \.answers), (8, \.authorities), (10, \.additionals)]
        for (offset, section) in sections {
            for _ in 0..<self.integer16(at: offset) {
                switch self.readRecord() {
                case .record(let record): message[keyPath: section].append(record)
                case .skipped: self.skippedRecords += 1
                case .broken: return self.cut(message)
                }
            }
        }
        return message
    }

    private mutating func cut(_ message: DNSMessage) -> DNSMessage {
        self.isCut = true
        return message
    }

    private mutating func readQuestion() -> Question? {
        guard let name = self.readName(), self.position + 4 <= self.bytes.count else { return nil }
        let type = RecordType(rawValue: self.integer16(at: self.position))
        let classField = self.integer16(at: self.position + 2)
        self.position += 4
        return Question(name: name, type: type, wantsUnicast: classField & 0x8000 != 0)
    }

    private enum RecordOutcome { case record(ResourceRecord), skipped, broken }

    private mutating func readRecord() -> RecordOutcome {
        guard let name = self.readName(), self.position + 10 <= self.bytes.count else { return .broken }
        let type = RecordType(rawValue: self.integer16(at: self.position))
        let classField = self.integer16(at: self.position + 2)
        let ttl = UInt32(self.integer16(at: self.position + 4)) << 16 | UInt32(self.integer16(at: self.position + 6))
        let start = self.position + 10
        let end = start + Int(self.integer16(at: self.position + 8))
        guard end <= self.bytes.count else { return .broken }
        defer { self.position = end }
        guard classField & 0x7FFF == 1, let data = self.readData(type, start..<end) else { return .skipped }
        // A TTL with the top bit set is treated as zero (RFC 2181 section 8).
        return .record(
            ResourceRecord(name: name, data: data, ttlSeconds: ttl > UInt32(Int32.max) ? 0 : ttl, cacheFlush: classField & 0x8000 != 0))
    }

    /// Reads the data and moves `position`; the caller then sets it to the end of the data.
    private mutating func readData(_ type: RecordType, _ range: Range<Int>) -> RecordData? {
        switch type {
        case .a:
            return range.count == 4 ? .a(UInt32(truncatingIfNeeded: self.integer(range))) : nil
        case .aaaa:
            guard range.count == 16 else { return nil }
            let middle = range.lowerBound + 8
            return .aaaa(high: self.integer(range.lowerBound..<middle), low: self.integer(middle..<range.upperBound))
        case .ptr:
            self.position = range.lowerBound
            guard let target = self.readName(), self.position == range.upperBound else { return nil }
            return .ptr(target)
        case .srv:
            guard range.count >= 7 else { return nil }
            self.position = range.lowerBound + 6
            guard let target = self.readName(), self.position == range.upperBound else { return nil }
            let fields = (0..<3).map { self.integer16(at: range.lowerBound + $0 * 2) }
            return .srv(ServiceLocation(priority: fields[0], weight: fields[1], port: fields[2], target: target))
        case .txt:
            return .txt(Array(self.bytes[range]))
        case .nsec:
            self.position = range.lowerBound
            guard let next = self.readName(), self.position <= range.upperBound else { return nil }
            return Self.typesOfFirstWindow(self.bytes[self.position..<range.upperBound]).map { .nsec(next: next, types: $0) }
        default:
            return .unknown(type, Array(self.bytes[range]))
        }
    }

    /// Returns the types 0 to 255 of an NSEC bitmap (RFC 4034 section 4.1.2); multicast DNS has no others.
    private static func typesOfFirstWindow(_ bitmap: ArraySlice<UInt8>) -> [RecordType]? {
        let bytes = Array(bitmap)
        guard bytes.count >= 2, bytes[0] == 0, (1...32).contains(bytes[1]), bytes.count >= 2 + Int(bytes[1]) else { return nil }
        var types: [RecordType] = []
        for value in 0..<Int(bytes[1]) * 8 {
            let mask = UInt8(0x80) >> UInt8(value % 8)
            if bytes[2 + value / 8] & mask != 0 { types.append(RecordType(rawValue: UInt16(value))) }
        }
        return types
    }

    /// Reads a name. Every pointer must refer to a position before the part of the name that contains it, so that a name always ends.
    private mutating func readName() -> DNSName? {
        var wire: [UInt8] = []
        var place = self.position
        var partStart = self.position
        var end: Int?
        while place < self.bytes.count {
            let length = Int(self.bytes[place])
            switch length & 0xC0 {
            case 0x00 where length == 0:
                self.position = end ?? place + 1
                return DNSName(uncheckedWire: wire)
            case 0x00:
                let next = place + 1 + length
                guard next <= self.bytes.count, wire.count + 1 + length < DNSName.maximumWireBytes else { return nil }
                wire += self.bytes[place..<next]
                place = next
            case 0xC0:
                guard place + 1 < self.bytes.count else { return nil }
                let target = (length & 0x3F) << 8 | Int(self.bytes[place + 1])
                guard target < partStart, target >= Self.headerBytes else { return nil }
                end = end ?? place + 2
                (place, partStart) = (target, target)
            default:
                return nil
            }
        }
        return nil
    }

    private func integer16(at offset: Int) -> UInt16 { UInt16(self.bytes[offset]) << 8 | UInt16(self.bytes[offset + 1]) }

    private func integer(_ range: Range<Int>) -> UInt64 { self.bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
}
