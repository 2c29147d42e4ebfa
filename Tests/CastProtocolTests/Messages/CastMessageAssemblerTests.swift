import CastModels
import Testing

@testable import CastProtocol

@Suite("Messages in pieces")
struct CastMessageAssemblerTests {
    private static func piece(
        _ content: CastMessagePiece.Content, namespace: String = "n", continued: Bool = false, remaining: Int? = nil
    ) -> CastMessagePiece {
        CastMessagePiece(
            sourceID: "s", destinationID: "d", namespace: namespace, content: content, isContinued: continued, remainingLength: remaining)
    }

    @Test("a whole message passes at once")
    func whole() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("x")))?.payload == .text("x"))
        #expect(try assembler.add(Self.piece(.text("y"), remaining: 0))?.payload == .text("y"))
    }

    @Test("pieces with counts join, also when a character is cut")
    func counted() throws {
        var assembler = CastMessageAssembler()
        let bytes = Array("aé🎬z".utf8)
        for (index, byte) in bytes.enumerated() {
            let remaining = bytes.count - index - 1
            let message = try assembler.add(Self.piece(.rawText([byte]), continued: remaining > 0, remaining: remaining))
            #expect(message?.text == (remaining == 0 ? "aé🎬z" : nil))
        }
    }

    @Test("pieces without counts join, the last one being the first that isn't continued")
    func uncounted() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.binary([1]), continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.binary([2]), continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.binary([3])))?.payload == .binary([1, 2, 3]))
        #expect(try assembler.add(Self.piece(.binary([4])))?.payload == .binary([4]))
    }

    @Test("messages of different namespaces don't mix, and whole ones overtake")
    func interleaved() throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("a"), namespace: "1", continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.text("b"), namespace: "2", continued: true)) == nil)
        #expect(try assembler.add(Self.piece(.text("x"), namespace: "3"))?.payload == .text("x"))
        #expect(try assembler.add(Self.piece(.text("B"), namespace: "2"))?.payload == .text("bB"))
        #expect(try assembler.add(Self.piece(.text("A"), namespace: "1"))?.payload == .text("aA"))
    }

    @Test("counts that contradict each other are a protocol error", arguments: [nil, 3, 5] as [Int?])
    func contradiction(remaining: Int?) throws {
        var assembler = CastMessageAssembler()
        #expect(try assembler.add(Self.piece(.text("ab"), continued: true, remaining: 6)) == nil)
        let error = #expect(throws: CastError.self) {
            try assembler.add(Self.piece(.text("cd"), continued: true, remaining: remaining))
        }
        #expect(error?.code == .protocolError)
        #expect(try assembler.add(Self.piece(.text("new")))?.payload == .text("new"), "the broken message is forgotten")
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
