import CastTestSupport
import NIOCore

extension VirtualLoop {
    /// Waits in real time, the virtual time standing still, for something that happens beside the loop.
    func wait(_ condition: () async -> Bool) async throws {
        let clock = ContinuousClock()
        let end = clock.now + .seconds(300)
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

/// An event that a test waited for did not come.
struct DidNotHappen: Error {}
