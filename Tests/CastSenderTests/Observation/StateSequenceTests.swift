import Testing

@testable import CastSender

@Suite struct StateSequenceTests {
    @Test("a reader begins with the present value and then gets only the newest", arguments: [1, 2, 5, 1000])
    func newestWins(changes: Int) async {
        let source = StateSource(0)
        var reader = source.sequence.makeAsyncIterator()
        #expect(await reader.next() == 0)
        for value in 1...changes { source.set(value) }
        #expect(await reader.next() == changes)
        source.finish()
        #expect(await reader.next() == nil)
    }

    @Test("every reader has its own position")
    func manyReaders() async {
        let source = StateSource("a")
        let sequence: StateSequence<String> = source.sequence
        var (early, late) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
        #expect(await early.next() == "a")
        source.set("b")
        #expect(await early.next() == "b")
        #expect(await late.next() == "b")
        source.set("c")
        #expect(await late.next() == "c")
        #expect(await early.next() == "c")
    }

    @Test("after the end the last value can still be read, by new readers too, and nothing after it")
    func finished() async {
        let source = StateSource(1)
        source.set(2)
        source.finish()
        source.set(3)
        var values: [Int] = []
        for await value in source.sequence { values.append(value) }
        #expect(values == [2])
    }

    @Test("waiting readers are woken by a change and by the end")
    func wakes() async {
        let source = StateSource(0)
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    var last = -1
                    for await value in source.sequence { last = value }
                    return last
                }
            }
            for value in 1...100 {
                source.set(value)
                await Task.yield()
            }
            source.finish()
            for await last in group { #expect(last == 100) }
        }
    }

    @Test("cancelling the task ends its loop only")
    func cancellation() async {
        let source = StateSource(0)
        let reader = Task {
            var count = 0
            for await _ in source.sequence { count += 1 }
            return count
        }
        while source.waiterCount == 0 { await Task.yield() }
        reader.cancel()
        #expect(await reader.value == 1)
        #expect(source.waiterCount == 0)
        var other = source.sequence.makeAsyncIterator()
        #expect(await other.next() == 0)
    }

    @Test("a loop in a task that is cancelled already ends at once")
    func cancelledBefore() async {
        let source = StateSource(0)
        let reader = Task {
            while !Task.isCancelled { await Task.yield() }
            var iterator = source.sequence.makeAsyncIterator()
            return await iterator.next()
        }
        reader.cancel()
        #expect(await reader.value == nil)
    }
}
