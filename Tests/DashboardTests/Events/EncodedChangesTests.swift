import NIOCore
import Testing

@testable import Dashboard

@Suite("Encoded changes")
struct EncodedChangesTests {
    private func news(_ since: UInt64?, _ firstEvent: UInt64 = 3) -> EventStreams.News { .init(since: since, firstEvent: firstEvent) }

    @Test("are kept for 64 numbers, until the next change")
    func kept() {
        var changes = EncodedChanges()
        for number: UInt64 in 1...100 { changes.keep(ByteBuffer(integer: number), of: self.news(number)) }
        #expect((1...100).filter { changes[self.news($0)] != nil } == Array(1...64))
        #expect(changes[self.news(7)] == ByteBuffer(integer: UInt64(7)))
        #expect(changes[self.news(7, 4)] == nil && changes[self.news(nil)] == nil)
        changes.removeAll()
        #expect(changes[self.news(7)] == nil)
        changes.keep(ByteBuffer(integer: 1), of: self.news(100))
        #expect(changes[self.news(100)] != nil)
    }
}
