import CastSender
import Testing

@testable import Bridge

@Suite("The pace of writes")
struct WritePaceTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: 0) + .milliseconds(milliseconds) }

    /// Writes whenever it is due, and each write takes no time.
    private func writes(_ pace: inout WritePace, changes: [Int64]) -> [Int64] {
        var writes: [Int64] = []
        for change in changes {
            while let due = pace.due, due <= self.time(change) { writes.append(self.write(&pace, at: due)) }
            pace.changed(.soon, now: self.time(change))
            if let due = pace.due, due <= self.time(change) { writes.append(self.write(&pace, at: self.time(change))) }
        }
        while let due = pace.due { writes.append(self.write(&pace, at: due)) }
        return writes
    }

    private func write(_ pace: inout WritePace, at time: MonotonicTime) -> Int64 {
        pace.begun()
        pace.ended(now: time)
        return time.nanoseconds / 1_000_000
    }

    @Test("writes the first change at once, the next ones after short pauses and those that follow in growing ones")
    func growing() {
        var pace = WritePace()
        #expect(pace.due == nil)
        let changes = Array(stride(from: Int64(0), through: 20_000, by: 20))
        #expect(self.writes(&pace, changes: changes) == [0, 100, 200, 300, 400, 600, 1000, 1800, 3400, 6600, 13_000, 21_000])
    }

    /// - Parameter last: milliseconds to the last change, of which there is one every 20 ms; then to the write that has it.
    @Test(
        "leaves out most of a pause once no further change comes",
        arguments: [(300, 400), (700, 900), (1_300, 1_500), (2_000, 2_200), (3_000, 3_200), (5_000, 5_400), (9_000, 9_800)])
    func calm(last: Int64, written: Int64) {
        var pace = WritePace()
        let writes = self.writes(&pace, changes: Array(stride(from: 0, through: last, by: 20)))
        #expect(writes.last == written && writes.count <= 11, "\(writes)")
    }

    @Test("shortens no more pauses after the tenth write in a row, however the changes are spread", arguments: [300, 700, 2_100])
    func spread(milliseconds: Int64) {
        var pace = WritePace()
        let writes = self.writes(&pace, changes: Array(stride(from: 0, through: 60_000, by: Int64.Stride(milliseconds))))
        #expect(writes.count { $0 <= 60_000 } <= 18, "\(writes)")
        #expect(zip(writes, writes.dropFirst()).dropFirst(12).allSatisfy { $1 - $0 >= 8_000 }, "\(writes)")
    }

    @Test("does not put off a change that an answer waits for")
    func urgent() {
        var pace = WritePace()
        _ = self.writes(&pace, changes: Array(stride(from: Int64(0), through: 7_000, by: 20)))
        let last = self.time(7_020)
        pace.changed(.soon, now: last)
        #expect(pace.due.map { $0 > last + .seconds(1) } == true)
        pace.changed(.now, now: last)
        #expect(pace.due.map { $0 <= last } == true)
        _ = self.write(&pace, at: last)
        pace.changed(.soon, now: last)
        #expect(pace.due.map { $0 > last + .seconds(1) } == true, "only that one")
    }

    @Test("begins from scratch after a quiet time")
    func quiet() {
        var pace = WritePace()
        _ = self.writes(&pace, changes: [0, 10, 110, 310, 710])
        #expect(self.writes(&pace, changes: [60_000, 60_010]) == [60_000, 60_100])
    }

    @Test("gathers what is not urgent, and takes it along with what is")
    func later() {
        var pace = WritePace()
        pace.changed(.later, now: self.time(1000))
        pace.changed(.later, now: self.time(20_000))
        #expect(pace.due == self.time(31_000))
        pace.changed(.soon, now: self.time(21_000))
        #expect(pace.due == self.time(21_000))
        pace.begun()
        #expect(pace.due == nil)
    }
}
