import BridgeCore
import CastSender
import CastTestSupport
import NIOCore
import Testing

@testable import Bridge

@Suite("The loop of the bridge's parts")
struct BridgeLoopTests {
    private final class Part {
        let loop: BridgeLoop
        var log: [Int] = []

        init(_ virtual: VirtualLoop) { self.loop = BridgeLoop(virtual.loop, wallClock: { Timestamp(milliseconds: 0) }) }
    }

    @Test("tasks begin on the loop, in the order in which they were started")
    func order() async throws {
        let virtual = VirtualLoop()
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(virtual), eventLoop: virtual.loop) }
        try await virtual.loop.executeInContext {
            let (part, loop) = (part.value, part.value.loop)
            for number in 0..<60 { _ = loop.start(part, staysOnLoop: number >= 50) { $0.log.append(number) } }
            loop.later { part.log.append(-1) }
        }
        await virtual.loop.run()
        let log = try await virtual.loop.executeInContext { part.value.log }
        #expect(log.filter { $0 < 50 } == Array(0..<50) + [-1], "a task that begins elsewhere comes behind what was called later")
        #expect(log.filter { $0 >= 50 } == Array(50..<60), "tasks that stay on the loop")
    }

    @Test("work that stays on the loop resumes there after previously queued work, without Swift's pool")
    func resumption() async throws {
        let virtual = VirtualLoop()
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(virtual), eventLoop: virtual.loop) }
        try await virtual.loop.executeInContext {
            let part = part.value
            _ = part.loop.start(part, staysOnLoop: true) { part in
                await withCheckedContinuation { continuation in
                    part.loop.later {
                        part.log.append(1)
                        continuation.resume()
                        part.loop.later { part.log.append(3) }
                    }
                }
                part.log.append(2)
            }
        }
        await virtual.loop.run()
        #expect(try await virtual.loop.executeInContext { part.value.log } == [1, 2, 3])
    }

    @Test("a turn ends once, after all that it processes, and so does what a timer or another thread begins")
    func turns() async throws {
        let virtual = VirtualLoop()
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(virtual), eventLoop: virtual.loop) }
        let (enter, deadline) = try await virtual.loop.executeInContext {
            let (part, loop) = (part.value, part.value.loop)
            loop.onTurnEnd { part.log.append(loop.isInTurn ? -2 : -1) }
            loop.turn {
                loop.turn { part.log.append(loop.isInTurn ? 1 : -3) }
                part.log.append(2)
            }
            let deadline = loop.deadline { part.log.append(4) }
            deadline.set(loop.time + .seconds(1))
            return (loop.entrance { (number: Int) in part.log.append(number) }, NIOLoopBound(deadline, eventLoop: virtual.loop))
        }
        enter(3)
        await virtual.loop.advanceTime(by: .seconds(1))
        let log = try await virtual.loop.executeInContext {
            deadline.value.cancel()
            return part.value.log
        }
        #expect(log == [1, 2, -1, 3, -1, 4, -1])
    }

    @Test("work from another thread is processed in a later turn, in order")
    func entrance() async throws {
        let virtual = VirtualLoop()
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(virtual), eventLoop: virtual.loop) }
        let enter = try await virtual.loop.executeInContext {
            let (part, loop) = (part.value, part.value.loop)
            return loop.entrance { (number: Int) in part.log.append(number) }
        }
        for number in 0..<10 { enter(number) }
        await virtual.loop.run()
        let log = try await virtual.loop.executeInContext { part.value.log }
        #expect(log == Array(0..<10))
    }
}
