import CastModels
import NIOCore
import NIOEmbedded
import Synchronization

/// An event loop whose time only moves when a test moves it.
struct VirtualLoop: Sendable {
    let loop = NIOAsyncTestingEventLoop()
    private let caller: Caller

    init() { self.caller = Caller(loop: self.loop) }

    var now: NIODeadline { self.loop.now }

    func advance(_ amount: TimeAmount) async { await self.loop.advanceTime(by: amount) }

    /// Runs on the loop what belongs there.
    func onLoop<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        let result = try await self.loop.executeInContext(body)
        await self.loop.run()
        return result
    }

    /// What a call came to, and the virtual time it took.
    struct Outcome<Value: Sendable>: Sendable {
        var value: Value
        var duration: TimeAmount
    }

    /// Runs `body` on the loop and moves the time until it is done.
    ///
    /// - Returns: `nil` when it isn't done after `limit` of virtual time.
    func call<Value: Sendable>(
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
                passed = passed + .milliseconds(10)
            }
            group.cancelAll()
            while ended.value == nil { await self.advance(.milliseconds(10)) }
            return nil
        }
    }

    /// Starts `body` on the loop as a task of its own.
    func start(_ body: nonisolated(nonsending) @escaping @Sendable () async -> Void) async -> Task<Void, Never> {
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

/// A value that several threads may use.
final class Locked<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { self.state = Mutex(value) }

    var value: Value {
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

/// Calls a throwing request and gives its end.
nonisolated(nonsending) func result<Value: Sendable>(
    _ body: nonisolated(nonsending) () async throws(CastError) -> Value
) async -> Result<Value, CastError> {
    do throws(CastError) { return .success(try await body()) } catch { return .failure(error) }
}
