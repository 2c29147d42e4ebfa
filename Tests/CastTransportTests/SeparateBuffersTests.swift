import NIOCore
import Testing

@testable import CastTransport

@Suite("Buffers of a connection")
struct SeparateBuffersTests {
    @Test(
        "keep what is written while they grow, whether their memory is malloc's or pages of its own",
        arguments: [(1, 100), (1, 200_000), (16_384, 20_000), (32_768, 33_000), (40_000, 400_000)])
    func growing(first: Int, last: Int) {
        var buffer = ByteBufferAllocator.separate.buffer(capacity: first)
        let bytes = (0..<last).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        for start in stride(from: 0, to: last, by: 777) { buffer.writeBytes(bytes[start..<min(start + 777, last)]) }
        let copy = buffer
        #expect(Array(buffer.readableBytesView) == bytes)
        buffer.clear(minimumCapacity: last * 2)
        buffer.writeRepeatingByte(7, count: last * 2)
        #expect(Array(copy.readableBytesView) == bytes)
        #expect(buffer.readableBytesView.allSatisfy { $0 == 7 } && buffer.readableBytes == last * 2)
    }
}
