/// A record type number (IANA "DNS Parameters"). All are kept; these are interpreted.
package struct RecordType: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let a = RecordType(rawValue: 1)
    package static let ptr = RecordType(rawValue: 12)
    package static let txt = RecordType(rawValue: 16)
    package static let aaaa = RecordType(rawValue: 28)
    package static let srv = RecordType(rawValue: 33)
    package static let nsec = RecordType(rawValue: 47)
    /// In questions only: every type.
    package static let any = RecordType(rawValue: 255)
}

/// The data of an SRV record (RFC 2782).
package struct ServiceLocation: Hashable, Sendable {
    var priority: UInt16 = 0
    var weight: UInt16 = 0
    var port: UInt16
    var target: DNSName

    package init(priority: UInt16 = 0, weight: UInt16 = 0, port: UInt16, target: DNSName) {
        (self.priority, self.weight, self.port, self.target) = (priority, weight, port, target)
    }
}

package enum RecordData: Hashable, Sendable {
    case a(UInt32)
    case aaaa(high: UInt64, low: UInt64)
    case ptr(DNSName)
    case srv(ServiceLocation)
    /// Length-prefixed strings in wire form; `TXTRecord` parses them.
    case txt([UInt8])
    /// The existing types of the name, below 256 (RFC 6762 section 6.1).
    case nsec(next: DNSName, types: [RecordType])
    case unknown(RecordType, [UInt8])

    package var type: RecordType {
        switch self {
        case .a: .a
        case .aaaa: .aaaa
        case .ptr: .ptr
        case .srv: .srv
        case .txt: .txt
        case .nsec: .nsec
        case .unknown(let type, _): type
        }
    }
}

/// A record of class IN, the only one that multicast DNS uses.
package struct ResourceRecord: Hashable, Sendable {
    package var name: DNSName
    package var data: RecordData
    package var ttlSeconds: UInt32
    /// Whether the record is unique and replaces earlier ones (RFC 6762 section 10.2).
    package var cacheFlush = false

    package init(name: DNSName, data: RecordData, ttlSeconds: UInt32, cacheFlush: Bool = false) {
        (self.name, self.data, self.ttlSeconds, self.cacheFlush) = (name, data, ttlSeconds, cacheFlush)
    }

    package var type: RecordType { self.data.type }
}

package struct Question: Hashable, Sendable {
    package var name: DNSName
    package var type: RecordType
    /// The QU bit: whether the asker prefers a unicast answer (RFC 6762 section 5.4).
    package var wantsUnicast = false

    package init(name: DNSName, type: RecordType, wantsUnicast: Bool = false) {
        (self.name, self.type, self.wantsUnicast) = (name, type, wantsUnicast)
    }
}
