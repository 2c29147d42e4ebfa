import BridgeCore
import CastTestSupport
import NIOCore
import Testing

@testable import Bridge

@Suite("The loop of the bridge's parts")
struct BridgeLoopTests {
    private final class Part {
        var log: [Int] = []
    }

    @Test("Tasks begin on the loop, in the order in which they were started")
    func order() async throws {
        let virtual = VirtualLoop()
        let loop = BridgeLoop(virtual.loop, wallClock: { Timestamp(milliseconds: 0) })
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(), eventLoop: virtual.loop) }
        try await virtual.loop.executeInContext {
            let part = part.value
            for number in 0..<50 { _ = loop.start(part) { $0.log.append(number) } }
            loop.later { part.log.append(-1) }
        }
        await virtual.loop.run()
        let log = try await virtual.loop.executeInContext { part.value.log }
        #expect(log == Array(0..<50) + [-1], "a task that begins elsewhere comes behind what was called later")
    }

    @Test("What enters from another thread comes in a later turn, in order")
    func entrance() async throws {
        let virtual = VirtualLoop()
        let loop = BridgeLoop(virtual.loop, wallClock: { Timestamp(milliseconds: 0) })
        let part = try await virtual.loop.executeInContext { NIOLoopBound(Part(), eventLoop: virtual.loop) }
        let enter = try await virtual.loop.executeInContext {
            let part = part.value
            return loop.entrance { (number: Int) in part.log.append(number) }
        }
        for number in 0..<10 { enter(number) }
        await virtual.loop.run()
        let log = try await virtual.loop.executeInContext { part.value.log }
        #expect(log == Array(0..<10))
    }
}
