import CastModels
import NIOCore
import TestSupport
import Testing

@testable import CastProtocol

@Suite("Frame decoder")
struct CastFrameDecoderTests {
    private static func frame(_ body: [UInt8]) -> [UInt8] {
        let count = UInt32(body.count)
        return [UInt8(count >> 24), UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + body
    }

    /// Feeds `chunks` one read after the other and gathers every body.
    private static func bodies(of chunks: [[UInt8]]) throws(CastError) -> [[UInt8]] {
        var decoder = CastFrameDecoder()
        var bodies: [[UInt8]] = []
        for chunk in chunks {
            var input = ByteBuffer(bytes: chunk)
            while let body = try decoder.nextBody(from: &input) { bodies.append(Array(body.readableBytesView)) }
            #expect(input.readableBytes == 0)
        }
        #expect(!decoder.isInFrame)
        return bodies
    }

    @Test("three frames come out whole at every split point")
    func splitPoints() throws {
        let wanted: [[UInt8]] = [[7], Array(1...200), [9, 9, 9]]
        let stream = wanted.flatMap(Self.frame)
        for split in 0...stream.count {
            #expect(try Self.bodies(of: [Array(stream[..<split]), Array(stream[split...])]) == wanted)
        }
    }

    @Test("frames come out whole when bytes arrive one by one")
    func singleBytes() throws {
        let wanted: [[UInt8]] = [[1, 2, 3], [4], Array(repeating: 5, count: 70)]
        #expect(try Self.bodies(of: wanted.flatMap(Self.frame).map { [$0] }) == wanted)
    }

    @Test("frames come out whole at random split points", arguments: 0..<20)
    func randomSplits(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let wanted = (0..<20).map { _ in (0..<Int.random(in: 1...3000, using: &random)).map { UInt8(truncatingIfNeeded: $0) } }
        var rest = wanted.flatMap(Self.frame)[...]
        var chunks: [[UInt8]] = []
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 0...5000, using: &random))
            chunks.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(try Self.bodies(of: chunks) == wanted)
    }

    @Test("the largest legal frame passes")
    func largest() throws {
        let body = [UInt8](repeating: 0x41, count: 65_536)
        #expect(try Self.bodies(of: [Self.frame(body)]) == [body])
    }

    @Test(
        "an illegal length is an error as soon as its fourth byte is there", arguments: [0, 65_537, 0x0100_0000, 0xFFFF_FFFF] as [UInt32])
    func illegalLength(length: UInt32) {
        for split in 0...4 {
            var decoder = CastFrameDecoder()
            let header = ByteBuffer(integer: length)
            var (first, second) = (
                header.getSlice(at: 0, length: split) ?? ByteBuffer(), header.getSlice(at: split, length: 4 - split) ?? ByteBuffer()
            )
            #expect(throws: CastError.self) {
                #expect(try decoder.nextBody(from: &first) == nil)
                _ = try decoder.nextBody(from: &second)
            }
            var legal = ByteBuffer(bytes: Self.frame([1]))
            #expect(throws: CastError.self, "nothing is read after a framing error") { _ = try decoder.nextBody(from: &legal) }
        }
    }

    @Test("a partial frame is distinguished from a pause between frames")
    func inFrame() throws {
        var decoder = CastFrameDecoder()
        #expect(!decoder.isInFrame)
        var half = ByteBuffer(bytes: [0, 0, 0, 2, 1])
        #expect(try decoder.nextBody(from: &half) == nil)
        #expect(decoder.isInFrame)
        var rest = ByteBuffer(bytes: [2])
        #expect(try decoder.nextBody(from: &rest)?.readableBytes == 2)
        #expect(!decoder.isInFrame)
    }
}
