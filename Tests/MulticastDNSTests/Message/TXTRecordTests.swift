import Testing

@testable import MulticastDNS

@Suite("TXT records")
struct TXTRecordTests {
    @Test("keys are found without regard to case, values keep their bytes and order")
    func findsKeys() throws {
        let record = try TXTRecord(["id": "0123", "fn": "Küche", "rs": ""])
        #expect(record["ID"] == Array("0123".utf8) && record.string("Fn") == "Küche" && record.string("rs") == "")
        #expect(record["md"] == nil && record.string("md") == nil)
        #expect(record.entries.map(\.key) == ["id", "fn", "rs"])
        #expect(TXTRecord(wire: record.wire) == record)
    }

    static let cases: [([UInt8], [TXTRecord.Entry])] = [
        ([], []),
        ([0], []),
        ([3, 97, 61, 98], [.init(key: "a", value: [98])]),
        ([1, 97], [.init(key: "a", value: nil)]),
        ([2, 97, 61], [.init(key: "a", value: [])]),
        ([3, 97, 61, 61], [.init(key: "a", value: [61])]),
        // No key, then a good one.
        ([2, 61, 98, 3, 97, 61, 98], [.init(key: "a", value: [98])]),
        // The first of equal keys counts.
        ([3, 97, 61, 49, 3, 65, 61, 50], [.init(key: "a", value: [49])]),
        // A string that claims more than there is ends the list.
        ([3, 97, 61, 98, 9, 97], [.init(key: "a", value: [98])]),
        ([3, 97, 61, 0xFF], [.init(key: "a", value: [0xFF])]),
    ]

    @Test("unusable entries are left out", arguments: cases)
    func readsLeniently(wire: [UInt8], entries: [TXTRecord.Entry]) {
        #expect(TXTRecord(wire: wire).entries == entries)
    }

    @Test("a list that could not be read back is refused")
    func refuses() {
        let long = String(repeating: "x", count: 253)
        #expect(throws: MulticastDNSError.self) { try TXTRecord(["": "1"]) }
        #expect(throws: MulticastDNSError.self) { try TXTRecord(["a=b": "1"]) }
        #expect(throws: MulticastDNSError.self) { try TXTRecord(["ä": "1"]) }
        #expect(throws: MulticastDNSError.self) { try TXTRecord(["a": "1", "A": "2"]) }
        #expect(throws: MulticastDNSError.self) { try TXTRecord(["abc": long]) }
        #expect(throws: Never.self) { try TXTRecord(["a": long]) }
    }
}
