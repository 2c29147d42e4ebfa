/// A record type number (IANA "DNS Parameters"). All are kept; these are interpreted.
struct RecordType: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt16

    static let a = RecordType(rawValue: 1)
    static let ptr = RecordType(rawValue: 12)
    static let txt = RecordType(rawValue: 16)
    static let aaaa = RecordType(rawValue: 28)
    static let srv = RecordType(rawValue: 33)
    static let nsec = RecordType(rawValue: 47)
    /// In questions only: every type.
    static let any = RecordType(rawValue: 255)
}

/// The data of an SRV record (RFC 2782).
struct ServiceLocation: Hashable, Sendable {
    var priority: UInt16 = 0
    var weight: UInt16 = 0
    var port: UInt16
    var target: DNSName
}

enum RecordData: Hashable, Sendable {
    case a(UInt32)
    case aaaa(high: UInt64, low: UInt64)
    case ptr(DNSName)
    case srv(ServiceLocation)
    /// Length-prefixed strings in wire form; `TXTRecord` parses them.
    case txt([UInt8])
    /// The existing types of the name, below 256 (RFC 6762 section 6.1).
    case nsec(next: DNSName, types: [RecordType])
    case unknown(RecordType, [UInt8])

    var type: RecordType {
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
struct ResourceRecord: Hashable, Sendable {
    var name: DNSName
    var data: RecordData
    var ttlSeconds: UInt32
    /// Whether the record is unique and replaces earlier ones (RFC 6762 section 10.2).
    var cacheFlush = false

    var type: RecordType { self.data.type }
}

struct Question: Hashable, Sendable {
    var name: DNSName
    var type: RecordType
    /// The QU bit: whether the asker prefers a unicast answer (RFC 6762 section 5.4).
    var wantsUnicast = false
}
