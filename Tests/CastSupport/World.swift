import NIOCore

/// Receivers in memory, time that only the test moves, and a part of ours that connects to them.
package protocol World: Sendable {
    var virtual: VirtualLoop { get }
    /// Leads to the receivers.
    var connector: MemoryConnector { get }

    /// Moves the time, and lets happen after each step what needs none.
    func advance(_ amount: TimeAmount, step: TimeAmount) async
}

extension World {
    package func advance(_ amount: TimeAmount, step: TimeAmount = .milliseconds(20)) async {
        await self.virtual.advance(amount, step: step)
    }

    /// Moves the time until the condition holds.
    ///
    /// - Returns: the virtual time it took; `nil` when it doesn't hold after `limit`.
    @discardableResult
    package func advance(
        until condition: () async -> Bool, limit: TimeAmount = .seconds(300), step: TimeAmount = .milliseconds(20)
    ) async -> TimeAmount? {
        let start = self.virtual.now
        while !(await condition()) {
            guard self.virtual.now - start < limit else { return nil }
            await self.advance(step, step: step)
        }
        return self.virtual.now - start
    }

    /// Waits for something that happens beside the loop, the time standing still, and then moves the time.
    package func settle(_ amount: TimeAmount = .zero, until condition: () async -> Bool) async throws {
        try await self.virtual.wait(condition)
        await self.virtual.advance(amount)
    }

    /// Cancels tasks and moves the time until they have ended.
    ///
    /// - Returns: the virtual time it took; `nil` when one continues.
    @discardableResult
    package func end(_ tasks: Task<Void, Never>...) async -> TimeAmount? {
        for task in tasks { task.cancel() }
        let isOver = Locked(false)
        let waiter = Task {
            for task in tasks { await task.value }
            isOver.value = true
        }
        defer { waiter.cancel() }
        return await self.advance(until: { isOver.value }, step: .milliseconds(10))
    }
}
