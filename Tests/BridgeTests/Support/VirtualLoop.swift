import NIOCore
import NIOEmbedded
import Synchronization

/// An event loop whose time only moves when a test moves it.
struct VirtualLoop: Sendable {
    let loop = NIOAsyncTestingEventLoop()

    var now: TimeAmount { self.loop.now - .uptimeNanoseconds(0) }

    /// Runs on the loop what belongs there.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let result = try await self.loop.executeInContext(body)
        await self.settle()
        return result
    }

    /// Moves the time in steps, so that what leaves the loop for a moment (the state file, a command's task) returns at about its time.
    func advance(_ amount: TimeAmount, step: TimeAmount = .milliseconds(20)) async {
        var left = amount
        while left > .zero {
            let part = min(step, left)
            await self.loop.advanceTime(by: part)
            await self.settle()
            left = left - part
        }
    }

    /// Lets everything happen that needs no time, on the loop and beside it.
    func settle() async {
        for _ in 0..<3 {
            // Swift's pool takes jobs in order: when this one is done, what was queued before it has begun at least.
            await Task.detached {}.value
            await self.loop.run()
        }
    }

    /// Waits in real time, the virtual time standing still, for something that happens beside the loop.
    func wait(_ condition: () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(30)
        while !(await condition()) {
            guard clock.now < end else { throw DidNotHappen() }
            await self.settle()
        }
    }

    /// Moves the time until the condition holds.
    ///
    /// - Returns: the virtual time it took; `nil` when it doesn't hold after `limit`.
    func advance(until condition: () async -> Bool, limit: TimeAmount, step: TimeAmount = .milliseconds(20)) async -> TimeAmount? {
        let start = self.now
        while !(await condition()) {
            guard self.now - start < limit else { return nil }
            await self.advance(step, step: step)
        }
        return self.now - start
    }
}

/// What a test waited for did not come.
struct DidNotHappen: Error {}

/// A value that several threads may use.
final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { self.state = Mutex(value) }

    var value: Value {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}
