import Testing

@testable import CastSender

@Suite struct EventSequenceTests {
    @Test(
        "a reader gets all events up to the bound, and the number of those it missed",
        arguments: [
            (sent: 0, expected: []), (sent: 1, expected: [.event(1)]), (sent: 3, expected: [.event(1), .event(2), .event(3)]),
            (sent: 4, expected: [.missed(1), .event(2), .event(3), .event(4)]),
            (sent: 1003, expected: [.missed(1000), .event(1001), .event(1002), .event(1003)]),
        ] as [(sent: Int, expected: [EventSequence<Int>.Element])])
    func missed(sent: Int, expected: [EventSequence<Int>.Element]) async {
        let source = EventSource<Int>(capacity: 3)
        let sequence = source.sequence
        for event in 0..<sent { source.send(event + 1) }
        source.finish()
        var received: [EventSequence<Int>.Element] = []
        for await element in sequence { received.append(element) }
        #expect(received == expected)
    }

    @Test("a sequence begins when it is asked for, whenever its loop begins")
    func start() async {
        let source = EventSource<Int>()
        source.send(1)
        let sequence = source.sequence
        source.send(2)
        var reader = sequence.makeAsyncIterator()
        #expect(await reader.next() == .event(2))
        source.send(3)
        #expect(await reader.next() == .event(3))
        var again = sequence.makeAsyncIterator()
        #expect(await again.next() == .event(2))
        source.finish()
        source.send(4)
        #expect(await reader.next() == nil)
    }

    @Test("a slow reader misses events that a quick one receives")
    func independence() async {
        let source = EventSource<Int>(capacity: 2)
        let sequence = source.sequence
        var (quick, slow) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
        for event in 1...5 {
            source.send(event)
            #expect(await quick.next() == .event(event))
        }
        #expect(await slow.next() == .missed(3))
        #expect(await slow.next() == .event(4))
        #expect(await slow.next() == .event(5))
    }

    @Test("waiting readers receive every event exactly once")
    func waiting() async {
        let source = EventSource<Int>(capacity: 1000)
        let sequence = source.sequence
        await withTaskGroup(of: [EventSequence<Int>.Element].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var received: [EventSequence<Int>.Element] = []
                    for await element in sequence { received.append(element) }
                    return received
                }
            }
            for event in 0..<1000 {
                source.send(event)
                if event.isMultiple(of: 7) { await Task.yield() }
            }
            source.finish()
            for await received in group { #expect(received == (0..<1000).map { .event($0) }) }
        }
    }

    @Test("cancelling ends a loop that waits")
    func cancellation() async {
        let source = EventSource<Int>()
        let sequence = source.sequence
        let reader = Task {
            var iterator = sequence.makeAsyncIterator()
            return await iterator.next()
        }
        while source.waiterCount == 0 { await Task.yield() }
        reader.cancel()
        #expect(await reader.value == nil)
        #expect(source.waiterCount == 0)
    }
}
