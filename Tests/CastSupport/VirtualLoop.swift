import NIOCore
import NIOEmbedded
import Synchronization

/// An event loop whose time only moves when a test moves it.
package struct VirtualLoop: Sendable {
    package let loop = NIOAsyncTestingEventLoop()
    private let step: TimeAmount?
    private let caller: Caller

    /// - Parameter step: moves the time in such steps, so that what leaves the loop for a moment (a file, a task of Swift's pool) returns at
    ///   about its time; `nil` where everything happens on the loop.
    package init(step: TimeAmount? = nil) {
        self.step = step
        self.caller = Caller(loop: self.loop)
    }

    package var now: NIODeadline { self.loop.now }

    /// Moves the time.
    ///
    /// - Parameter step: `nil` takes the loop's own.
    package func advance(_ amount: TimeAmount, step: TimeAmount? = nil) async {
        guard let step = step ?? self.step else { return await self.loop.advanceTime(by: amount) }
        var left = amount
        while left > .zero {
            let part = min(step, left)
            await self.loop.advanceTime(by: part)
            await self.settle()
            left = left - part
        }
    }

    /// Runs on the loop what belongs there.
    package func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let result = try await self.loop.executeInContext(body)
        if self.step == nil { await self.loop.run() } else { await self.settle() }
        return result
    }

    /// Lets everything happen that needs no time, on the loop and beside it.
    package func settle() async {
        for _ in 0..<3 {
            // Swift's pool takes jobs in order: when this one is done, what was queued before it has begun at least.
            await Task.detached {}.value
            await self.loop.run()
        }
    }

    /// Waits in real time, the virtual time standing still, for something that happens beside the loop.
    package func wait(_ condition: () async -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(300)
        while !(await condition()) {
            guard ContinuousClock.now < end else { throw DidNotHappen() }
            await self.settle()
        }
    }

    /// The result of a call, and the virtual time it took.
    package struct Outcome<Value: Sendable>: Sendable {
        package var value: Value
        package var duration: TimeAmount
    }

    /// Runs `body` on the loop and moves the time until it is done.
    ///
    /// - Returns: `nil` when it isn't done after `limit` of virtual time.
    package func call<Value: Sendable>(
        limit: TimeAmount = .seconds(300), _ body: nonisolated(nonsending) @escaping @Sendable () async -> Value
    ) async -> Outcome<Value>? {
        let started = Locked<NIODeadline?>(nil)
        let ended = Locked<Outcome<Value>?>(nil)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await self.caller.run {
                    let start = self.loop.now
                    started.value = start
                    let value = await body()
                    ended.value = Outcome(value: value, duration: self.loop.now - start)
                }
            }
            while started.value == nil { await Task.yield() }
            var passed = TimeAmount.zero
            while passed < limit {
                if let outcome = ended.value { return outcome }
                await self.advance(.milliseconds(10))
                // On a busy machine, what left the loop for a moment would otherwise return much later in virtual time.
                await self.settle()
                passed = passed + .milliseconds(10)
            }
            group.cancelAll()
            while ended.value == nil { await self.advance(.milliseconds(10)) }
            return nil
        }
    }

    /// Starts `body` on the loop as a task of its own.
    package func start(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) async -> Task<Void, Never> {
        let isStarted = Locked(false)
        let task = Task {
            await self.caller.run {
                isStarted.value = true
                await body()
            }
        }
        while !isStarted.value { await Task.yield() }
        await self.loop.run()
        return task
    }
}

/// An event that a test waited for did not come.
package struct DidNotHappen: Error {
    package init() {}
}

/// A value that several threads may use.
package final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { self.state = Mutex(value) }

    package var value: Value {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}

/// Lives on the loop, so that its calls to other actors there cross no thread and virtual time stays exact.
private actor Caller {
    private let loop: NIOAsyncTestingEventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.loop.executor.asUnownedSerialExecutor() }

    init(loop: NIOAsyncTestingEventLoop) { self.loop = loop }

    func run(_ body: nonisolated(nonsending) @Sendable () async -> Void) async { await body() }
}
