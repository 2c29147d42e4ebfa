import CastModels
import NIOCore
import TestSupport
import Testing

@testable import CastProtocol

@Suite("CastMessage on the wire")
struct CastMessageWireTests {
    /// Fields 1 to 4 with short names, then `rest`.
    static func body(version: [UInt8] = [8, 0], _ rest: [UInt8]) -> [UInt8] {
        version + [0x12, 1, 0x73, 0x1A, 1, 0x64, 0x22, 1, 0x6E] + rest
    }

    @Test(
        "what is written is read back",
        arguments: [
            CastMessage.Payload.text(#"{"type":"PING"}"#), .text(""), .text("Füße 🎬"), .binary([]), .binary([0, 255, 10]),
        ])
    func roundTrip(payload: CastMessage.Payload) throws {
        let message = CastMessage(sourceID: "sender-0", destinationID: "*", namespace: "urn:x-cast:a.b", payload: payload)
        let piece = try CastMessagePiece(decoding: message.encoded())
        #expect(piece.message == message)
        #expect(!piece.isContinued)
        #expect(piece.remainingLength == nil)
    }

    static let lenient: [(String, [UInt8], CastMessage.Payload)] = [
        ("text in the binary slot", body([0x28, 0, 0x3A, 2, 0x7B, 0x7D]), .text("{}")),
        ("no payload at all", body([0x28, 0]), .text("")),
        ("protocol version 3", body(version: [8, 3], [0x28, 0, 0x32, 1, 0x78]), .text("x")),
        ("an unknown protocol version", body(version: [8, 99], [0x28, 0, 0x32, 1, 0x78]), .text("x")),
        ("no protocol version", body(version: [], [0x28, 0, 0x32, 1, 0x78]), .text("x")),
        ("no payload type, text", body([0x32, 1, 0x78]), .text("x")),
        ("no payload type, binary", body([0x3A, 1, 0x78]), .binary([0x78])),
        ("an unknown payload type", body([0x28, 9, 0x3A, 1, 0x78]), .binary([0x78])),
        ("binary in the text slot", body([0x28, 1, 0x32, 1, 0x78]), .binary([0x78])),
        ("an unknown field", body([0x28, 0, 0x32, 1, 0x78, 0x92, 0x03, 2, 1, 2]), .text("x")),
        (
            "unknown numbers of 4 and 8 bytes", body([0x28, 0, 0x32, 1, 0x78, 0x85, 0x03, 1, 2, 3, 4, 0x81, 0x03, 1, 2, 3, 4, 5, 6, 7, 8]),
            .text("x")
        ),
        ("text of an unnamed type that is no UTF-8", body([0x32, 1, 0xFF]), .text("\u{FFFD}")),
        ("a name in a field of another type", body([0x10, 7, 0x28, 0, 0x32, 1, 0x78]), .text("x")),
        ("the last of two payloads", body([0x28, 0, 0x32, 1, 0x78, 0x32, 1, 0x79]), .text("y")),
        ("text that is no UTF-8", body([0x28, 0, 0x32, 3, 0x61, 0xC3, 0x62]), .text("a\u{FFFD}b")),
        ("text in the binary slot that is no UTF-8", body([0x28, 0, 0x3A, 2, 0x61, 0xFF]), .text("a\u{FFFD}")),
    ]

    @Test("deviations that receivers may show are understood", arguments: Self.lenient)
    func leniency(name: String, body: [UInt8], payload: CastMessage.Payload) throws {
        let message = try CastMessagePiece(decoding: body).message
        #expect(message == CastMessage(sourceID: "s", destinationID: "d", namespace: "n", payload: payload), "\(name)")
    }

    static let broken: [(String, [UInt8])] = [
        ("nothing", []),
        ("no source", [8, 0, 0x1A, 1, 0x64, 0x22, 1, 0x6E, 0x28, 0]),
        ("no destination", [8, 0, 0x12, 1, 0x73, 0x22, 1, 0x6E, 0x28, 0]),
        ("no namespace", [8, 0, 0x12, 1, 0x73, 0x1A, 1, 0x64, 0x28, 0]),
        ("cut in a name", [8, 0, 0x12, 10, 0x73]),
        ("a length beyond the end", body([0x28, 0, 0x32, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x78])),
        ("a varint without end", [8] + [UInt8](repeating: 0xFF, count: 20)),
        ("a group that never ends", body([0x28, 0, 0x5B])),
        ("field number 0", body([0x02, 0])),
        ("a namespace that is no UTF-8", [8, 0, 0x12, 1, 0x73, 0x1A, 1, 0x64, 0x22, 1, 0xFF, 0x28, 0]),
        ("text that is no UTF-8, then a cut field", body([0x32, 1, 0xFF, 0x3A, 9])),
        ("JSON instead of protobuf", Array(#"{"type":"PING"}"#.utf8)),
    ]

    @Test("a body that is no CastMessage is a protocol error", arguments: Self.broken)
    func malformed(name: String, body: [UInt8]) {
        let error = #expect(throws: CastError.self, "\(name)") { try CastMessagePiece(decoding: body) }
        #expect(error?.code == .protocolError)
    }

    /// Frames' bodies as other senders and receivers write them.
    static let golden: [(CastMessage, String)] = [
        (
            CastMessage(
                sourceID: "sender-0", destinationID: "receiver-0", namespace: CastNamespace.heartbeat, payload: .text(#"{"type":"PING"}"#)),
            "\u{8}\0\u{12}\u{8}sender-0\u{1A}\nreceiver-0\"'urn:x-cast:com.google.cast.tp.heartbeat(\02\u{F}{\"type\":\"PING\"}"
        ),
        (
            CastMessage(
                sourceID: "sender-0", destinationID: "receiver-0", namespace: CastNamespace.deviceAuthentication,
                payload: .binary([0x0A, 0])),
            "\u{8}\0\u{12}\u{8}sender-0\u{1A}\nreceiver-0\"(urn:x-cast:com.google.cast.tp.deviceauth(\u{1}:\u{2}\n\0"
        ),
    ]

    @Test("a message is written as others write it", arguments: Self.golden)
    func goldenBytes(message: CastMessage, body: String) throws {
        #expect(message.encoded() == Array(body.utf8))
        #expect(try CastMessagePiece(decoding: Array(body.utf8)).message == message)
    }

    @Test("a length that needs several bytes is written in them", arguments: [127, 128, 300, 16_384])
    func longText(count: Int) throws {
        let text = String(repeating: "x", count: count)
        let message = CastMessage(sourceID: "s", destinationID: "d", namespace: "n", payload: .text(text))
        let length: [UInt8] =
            count < 128
            ? [UInt8(count)] : count < 16_384 ? [UInt8(count & 127) | 128, UInt8(count >> 7)] : [0x80, 0x80, UInt8(count >> 14)]
        #expect(message.encoded() == Self.body([0x28, 0, 0x32] + length) + Array(text.utf8))
        #expect(try CastMessagePiece(decoding: message.encoded()).message == message)
    }

    @Test("the parsed parts of a mutated message can be written and read again", arguments: 0..<4)
    func changed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = CastMessage(
            sourceID: "receiver-0", destinationID: "*", namespace: CastNamespace.media, payload: .text(#"{"type":"x","title":"Füße 🎬"}"#)
        ).encoded()
        var read = 0
        for _ in 0..<2000 {
            var body = good
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = body.indices.randomElement(using: &random) ?? 0
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[index] = UInt8.random(in: 0...255, using: &random)
                case 1: body[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
                case 2: body.insert(contentsOf: Self.fields.randomElement(using: &random) ?? [], at: index)
                default: body = good + (Self.fields.randomElement(using: &random) ?? [])
                }
            }
            guard let message = try? CastMessagePiece(decoding: body).message else { continue }
            read += 1
            #expect(try CastMessagePiece(decoding: message.encoded()).message == message, "\(body)")
        }
        #expect(read > 100)
    }

    /// Fields as they may follow a whole message: known and unknown ones, right and wrong.
    private static let fields: [[UInt8]] = [
        [0x40, 0], [0x40, 1], [0x40, 2], [0x48, 7], [0x48, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x48, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F], [0x28, 0],
        [0x28, 1], [0x28, 9], [0x08, 0], [0x08, 3], [0x32, 1, 0x79], [0x32, 0], [0x3A, 1, 0x79], [0x32, 1, 0xFF], [0x12, 0],
        [0x48, 0x80, 0],
        [0x92, 0x03, 2, 1, 2], [0x45, 1, 2, 3, 4], [0x42, 1, 0], [0x33], [0x28, 0x80, 0x80, 0],
    ]

    @Test("every cut and every changed byte of a message is read or refused, never a crash")
    func mutations() throws {
        let message = CastMessage(sourceID: "sender-0", destinationID: "*", namespace: "urn:x-cast:a.b", payload: .text("{\"a\":\"é\"}"))
        let good = message.encoded()
        for count in 0..<good.count { _ = try? CastMessagePiece(decoding: Array(good[..<count])) }
        var read = 0
        for index in good.indices {
            for value in UInt8.min...UInt8.max {
                var body = good
                body[index] = value
                if (try? CastMessagePiece(decoding: body)) != nil { read += 1 }
            }
        }
        #expect(read > good.count)
    }
}
