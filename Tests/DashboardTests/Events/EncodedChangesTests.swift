import NIOCore
import Testing

@testable import Dashboard

@Suite("Encoded changes")
struct EncodedChangesTests {
    @Test func `are kept for 64 numbers, until the next change`() {
        var changes = EncodedChanges()
        for number: UInt64 in 1...100 { changes.keep(ByteBuffer(integer: number), since: number) }
        #expect((1...100).filter { changes[$0] != nil } == Array(1...64))
        #expect(changes[7] == ByteBuffer(integer: UInt64(7)))
        changes.removeAll()
        #expect(changes[7] == nil)
        changes.keep(ByteBuffer(integer: 1), since: 100)
        #expect(changes[100] != nil)
    }
}
