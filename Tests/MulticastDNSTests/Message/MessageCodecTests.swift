import TestSupport
import Testing

@testable import MulticastDNS

@Suite("DNS messages on the wire")
struct MessageCodecTests {
    static let everyKind: [ResourceRecord] =
        complete("tv") + [
            address("tv.local", "fe80::1:2"), address("tv.local", "fd00::9", flush: false),
            ResourceRecord(
                name: name("tv.local"), data: .nsec(next: name("tv.local"), types: [.a, .aaaa]), ttlSeconds: 120, cacheFlush: true),
            ResourceRecord(name: name("tv.local"), data: .unknown(RecordType(rawValue: 13), [1, 2, 3]), ttlSeconds: 7),
            ResourceRecord(name: instance("empty"), data: .txt([0]), ttlSeconds: 1),
        ]

    static func encode(_ records: [ResourceRecord], questions: [Question] = [], flags: DNSMessage.Flags = .response, limit: Int = 9000)
        -> [UInt8]
    {
        var encoder = MessageEncoder(id: 7, flags: flags, limit: limit)
        let fits = questions.map { encoder.append($0) } + records.map { encoder.append($0, .answer) }
        #expect(!fits.contains(false))
        return encoder.bytes
    }

    static func decode(_ bytes: [UInt8]) throws -> (message: DNSMessage, skipped: Int, isCut: Bool) {
        var decoder = MessageDecoder(bytes)
        let message = try decoder.decode()
        return (message, decoder.skippedRecords, decoder.isCut)
    }

    @Test("questions and records of every kind are decoded unchanged, in their sections")
    func roundTrips() throws {
        let questions = [Question(name: castType, type: .ptr, wantsUnicast: true), Question(name: instance("tv"), type: .any)]
        var encoder = MessageEncoder(id: 7, flags: .response, limit: 9000)
        var fits = questions.map { encoder.append($0) }
        for section in [MessageEncoder.Section.answer, .authority, .additional] {
            fits += Self.everyKind.map { encoder.append($0, section) }
        }
        #expect(!fits.contains(false))
        let (message, skipped, isCut) = try Self.decode(encoder.bytes)
        #expect(message.id == 7 && message.questions == questions && skipped == 0 && !isCut)
        #expect(message.answers == Self.everyKind && message.authorities == Self.everyKind && message.additionals == Self.everyKind)
    }

    @Test("one packet is written byte for byte as in RFC 1035, with pointers to earlier names")
    func writesExactBytes() {
        let bytes = Self.encode([pointer("tv"), location("tv", host: "h.local")])
        var type: [UInt8] = []
        for label in ["_googlecast", "_tcp", "local"] { type += [UInt8(label.utf8.count)] + Array(label.utf8) }
        type.append(0)
        var expected: [UInt8] = [0, 7, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0] + type
        expected += [0, 12, 0, 1, 0, 0, 0x11, 0x94, 0, 5, 2, 116, 118, 0xC0, 12]
        expected += [0xC0, 46, 0, 33, 0x80, 1, 0, 0, 0, 120, 0, 10, 0, 0, 0, 0, 0x1F, 0x49, 1, 104, 0xC0, 29]
        #expect(bytes == expected)
    }

    @Test("service targets are spelled out for ordinary resolvers")
    func spellsOutTargets() throws {
        var encoder = MessageEncoder(flags: .response, limit: 9000, compressesServiceTargets: false)
        let fits = encoder.append(location("tv"), .answer)
        #expect(fits)
        let spelled: [UInt8] = [2, 116, 118, 5, 108, 111, 99, 97, 108, 0]
        #expect(Array(encoder.bytes.suffix(10)) == spelled)
        #expect(try Self.decode(encoder.bytes).message.answers == [location("tv")])
    }

    @Test("flags are decoded unchanged", arguments: [UInt16(0), 0x8000, 0x8400, 0x0200, 0x7800, 0x000F, 0x8603])
    func flagsRoundTrip(raw: UInt16) {
        #expect(DNSMessage.Flags(rawValue: raw).rawValue == raw)
    }

    @Test(
        "messages with an operation or response code are unusable", arguments: [(UInt16(0x8400), true), (0x0800, false), (0x8403, false)])
    func usability(raw: UInt16, isUsable: Bool) {
        #expect(DNSMessage(flags: DNSMessage.Flags(rawValue: raw)).isUsable == isUsable)
    }

    @Test("a packet cut anywhere yields the records before the cut and is marked as cut")
    func survivesEveryCut() throws {
        let bytes = Self.encode(Self.everyKind, questions: [Question(name: castType, type: .ptr)])
        for length in 0..<bytes.count {
            guard length >= MessageDecoder.headerBytes else {
                #expect(throws: MulticastDNSError.self) { try Self.decode(Array(bytes.prefix(length))) }
                continue
            }
            let (message, skipped, isCut) = try Self.decode(Array(bytes.prefix(length)))
            #expect(isCut && skipped == 0, "cut at \(length)")
            #expect(message.answers == Array(Self.everyKind.prefix(message.answers.count)), "cut at \(length)")
        }
        #expect(try Self.decode(bytes).isCut == false)
    }

    @Test("a packet with any byte changed is read without harm", arguments: [UInt8(0x00), 0x01, 0x3F, 0x40, 0xC0, 0xFF])
    func survivesEveryChange(value: UInt8) throws {
        let bytes = Self.encode(Self.everyKind, questions: [Question(name: castType, type: .ptr)])
        for index in bytes.indices {
            var changed = bytes
            changed[index] = value
            let (message, skipped, _) = try Self.decode(changed)
            #expect(message.answers.count + message.authorities.count + message.additionals.count + skipped <= bytes.count / 11)
        }
    }

    @Test("random packets are read without harm")
    func survivesNoise() throws {
        var generator = SeededGenerator(seed: 5353)
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 13...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Low counts and frequent pointers reach the inner parts.
            for index in 4..<12 { bytes[index] = index % 2 == 0 ? 0 : bytes[index] & 3 }
            if Bool.random(using: &generator) { bytes[12] = 0 }
            let (message, skipped, _) = try Self.decode(bytes)
            #expect(message.questions.count + message.answers.count + message.authorities.count + message.additionals.count + skipped <= 12)
        }
    }

    struct Hostile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var questions: UInt16 = 0
        var answers: UInt16 = 1
        let body: [UInt8]
        var kept = 0
        var skipped = 0
        var isCut = true
    }

    /// A record's fixed part after its name: type, class IN, TTL 1, data.
    static func rest(_ type: UInt8, _ data: [UInt8], length: Int? = nil, classField: UInt8 = 1) -> [UInt8] {
        [0, type, 0, classField, 0, 0, 0, 1, UInt8((length ?? data.count) >> 8), UInt8((length ?? data.count) & 0xFF)] + data
    }

    static let good: [UInt8] = [1, 97, 0] + rest(1, [10, 0, 0, 1])
    static let label63: [UInt8] = [63] + [UInt8](repeating: 97, count: 63)

    @Test(
        "hostile packets cost a record or end the packet, never more",
        arguments: [
            Hostile(testDescription: "pointer to itself", body: [0xC0, 12] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "pointer forward", body: [0xC0, 14, 1, 97, 0] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "two pointers to each other", answers: 2, body: [1, 97, 0xC0, 14, 0xC0, 12] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "label that leads back to its own start", body: [1, 97, 0xC0, 12] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "pointer into the header", body: [0xC0, 4] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "pointer beyond the packet", body: [0xFF, 0xFF] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "half a pointer at the end", body: [0xC0]),
            Hostile(testDescription: "label of reserved kind 01", body: [0x41, 97, 0] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "label of reserved kind 10", body: [0x81, 97, 0] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "label past the end", body: [10, 97]),
            Hostile(testDescription: "name of 257 bytes", body: label63 + label63 + label63 + label63 + [0] + rest(1, [1, 2, 3, 4])),
            Hostile(
                testDescription: "name of 257 bytes through a pointer", answers: 2,
                body: label63 + label63 + label63 + [0] + rest(1, [1, 2, 3, 4]) + label63 + [0xC0, 12] + rest(1, [1, 2, 3, 4]), kept: 1),
            Hostile(
                testDescription: "name of 300 one-byte labels", body: (0..<300).flatMap { _ in [1, 97] } + [0] + rest(1, [1, 2, 3, 4])),
            Hostile(testDescription: "counts of 65535", questions: 0, answers: 65535, body: good, kept: 1),
            Hostile(testDescription: "65535 questions", questions: 65535, body: [0, 0, 12, 0, 1]),
            Hostile(testDescription: "data longer than the packet", body: [0] + rest(1, [1, 2, 3, 4], length: 5)),
            Hostile(testDescription: "A of 3 bytes", answers: 2, body: [0] + rest(1, [1, 2, 3]) + good, kept: 1, skipped: 1, isCut: false),
            Hostile(testDescription: "A without data", answers: 2, body: [0] + rest(1, []) + good, kept: 1, skipped: 1, isCut: false),
            Hostile(
                testDescription: "AAAA of 4 bytes", answers: 2, body: [0] + rest(28, [1, 2, 3, 4]) + good, kept: 1, skipped: 1, isCut: false
            ),
            Hostile(testDescription: "PTR without data", answers: 2, body: [0] + rest(12, []) + good, kept: 1, skipped: 1, isCut: false),
            Hostile(
                testDescription: "PTR with bytes behind it", answers: 2, body: [0] + rest(12, [0, 0]) + good, kept: 1, skipped: 1,
                isCut: false),
            Hostile(
                testDescription: "PTR that leaves its data", answers: 2, body: [0] + rest(12, [1]) + good, kept: 1, skipped: 1, isCut: false
            ),
            Hostile(
                testDescription: "PTR to itself", answers: 2, body: [0] + rest(12, [0xC0, 23]) + good, kept: 1, skipped: 1, isCut: false),
            Hostile(
                testDescription: "SRV of 6 bytes", answers: 2, body: [0] + rest(33, [0, 0, 0, 0, 0, 1]) + good, kept: 1, skipped: 1,
                isCut: false),
            Hostile(testDescription: "NSEC without a map", answers: 2, body: [0] + rest(47, [0]) + good, kept: 1, skipped: 1, isCut: false),
            Hostile(
                testDescription: "NSEC with a map past its end", answers: 2, body: [0] + rest(47, [0, 0, 32, 1]) + good, kept: 1,
                skipped: 1, isCut: false),
            Hostile(testDescription: "TXT without data", answers: 2, body: [0] + rest(16, []) + good, kept: 2, isCut: false),
            Hostile(
                testDescription: "class CH", answers: 2, body: [0] + rest(1, [1, 2, 3, 4], classField: 3) + good, kept: 1, skipped: 1,
                isCut: false),
            Hostile(testDescription: "unknown type without data", answers: 2, body: [0] + rest(99, []) + good, kept: 2, isCut: false),
        ])
    func survives(_ hostile: Hostile) throws {
        let header = [0, 0, 0x84, 0, UInt8(hostile.questions >> 8), UInt8(hostile.questions & 0xFF)]
        let packet = header + [UInt8(hostile.answers >> 8), UInt8(hostile.answers & 0xFF), 0, 0, 0, 0] + hostile.body
        let (message, skipped, isCut) = try Self.decode(packet)
        #expect(message.answers.count == hostile.kept)
        #expect(skipped == hostile.skipped)
        #expect(isCut == hostile.isCut)
    }

    @Test("a TTL with the top bit set counts as zero")
    func topBitOfTTL() throws {
        let packet: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x80, 0, 0, 0, 0, 4, 1, 2, 3, 4]
        #expect(try Self.decode(packet).message.answers.first?.ttlSeconds == 0)
    }

    @Test("a record that does not fit is left out as a whole, and later names never point into it")
    func rollsBack() throws {
        let small = address("a.local", "192.0.2.1")
        let limit = Self.encode([small]).count + 30
        var encoder = MessageEncoder(flags: .response, limit: limit)
        let large = text("tv", ["x=\(String(repeating: "y", count: 100))"])
        let fits = [small, large, address("b.local", "192.0.2.2")].map { encoder.append($0, .answer) }
        #expect(fits == [true, false, true])
        let (message, skipped, isCut) = try Self.decode(encoder.bytes)
        #expect(message.answers == [small, address("b.local", "192.0.2.2")] && skipped == 0 && !isCut)
    }
}
