import CastModels
import Testing

@testable import CastProtocol

@Suite("Messages in pieces")
struct CastMessageAssemblerTests {
    private static func piece(
        _ content: Content, namespace: String = "n", continued: Bool = false, remaining: Int? = nil
    ) throws -> CastMessagePiece {
        var writer = ProtobufWriter()
        writer.write(2, "s")
        writer.write(3, "d")
        writer.write(4, namespace)
        switch content {
        case .text(let text): writer.write(6, text)
        case .rawText(let bytes): writer.write(6, bytes)
        case .binary(let bytes): writer.write(7, bytes)
        }
        if continued { writer.write(8, 1) }
        if let remaining { writer.write(9, UInt64(remaining)) }
        return try CastMessagePiece(decoding: writer.buffer)
    }

    private enum Content {
        case text(String)
        case rawText([UInt8])
        case binary([UInt8])
    }

    @Test("a whole message passes at once")
    func whole() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("x")))?.message.payload == .text("x"))
        #expect(try assembler.add(Self.piece(.text("y"), remaining: 0))?.message.payload == .text("y"))
    }

    @Test("pieces with counts join, also when a character is cut")
    func counted() throws {
        var assembler = CastMessageAssembler()
        let bytes = Array("aé🎬z".utf8)
        for (index, byte) in bytes.enumerated() {
            let remaining = bytes.count - index - 1
            let message = try assembler.add(Self.piece(.rawText([byte]), continued: remaining > 0, remaining: remaining))
            #expect(message?.message.text == (remaining == 0 ? "aé🎬z" : nil))
        }
    }

    @Test("pieces without counts join, the last one being the first that isn't continued")
    func uncounted() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.binary([1]), continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.binary([2]), continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.binary([3])))?.message.payload == .binary([1, 2, 3]))
        #expect(try assembler.add(Self.piece(.binary([4])))?.message.payload == .binary([4]))
    }

    @Test("messages of different namespaces don't mix, and whole ones overtake")
    func interleaved() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("a"), namespace: "1", continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.text("b"), namespace: "2", continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.text("x"), namespace: "3"))?.message.payload == .text("x"))
        #expect(try assembler.add(Self.piece(.text("B"), namespace: "2"))?.message.payload == .text("bB"))
        #expect(try assembler.add(Self.piece(.text("A"), namespace: "1"))?.message.payload == .text("aA"))
    }

    @Test("counts that contradict each other are a protocol error", arguments: [nil, 3, 5] as [Int?])
    func contradiction(remaining: Int?) throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("ab"), continued: true, remaining: 6)) == nil)
        let error = #expect(throws: CastError.self) {
            try assembler.add(Self.piece(.text("cd"), continued: true, remaining: remaining))
        }
        #expect(error?.code == .protocolError)
        #expect(try assembler.add(Self.piece(.text("new")))?.message.payload == .text("new"), "the broken message is forgotten")
    }

    @Test("a claim above one mebibyte is refused at once, and bytes that add up to it too")
    func bounds() throws {
        var assembler = CastMessageAssembler()
        #expect(throws: CastError.self) { try assembler.add(Self.piece(.text("a"), continued: true, remaining: 1_048_576)) }
        let chunk = [UInt8](repeating: 1, count: 65_536)
        for _ in 0..<16 { #expect(try assembler.add(Self.piece(.binary(chunk), continued: true)) == nil) }
        let error = #expect(throws: CastError.self) { try assembler.add(Self.piece(.binary([1]))) }
        #expect(error?.code == .messageTooBig)
    }

    @Test("at most eight messages are unfinished at a time")
    func unfinished() throws {
        var assembler = CastMessageAssembler()
        for index in 0..<8 { #expect(try assembler.add(Self.piece(.text("a"), namespace: "\(index)", continued: true)) == nil) }
        #expect(throws: CastError.self) { try assembler.add(Self.piece(.text("a"), namespace: "8", continued: true)) }
    }
}
