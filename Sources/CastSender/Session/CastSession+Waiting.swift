import CastModels
import EventLoopTiming
import NIOCore

/// Callers that wait until the session reaches a state.
final class ConditionWaiters {
    /// The largest number of waiting callers.
    static let limit = 128

    private struct Waiter {
        let condition: @Sendable (SessionStateMachine) -> Bool
        let deadline: Deadline
        let continuation: CheckedContinuation<Result<Bool, CastError>, Never>
    }

    private var waiters: [UInt64: Waiter] = [:]
    private var lastID: UInt64 = 0

    var isEmpty: Bool { self.waiters.isEmpty }

    var isFull: Bool { self.waiters.count >= Self.limit }

    func nextID() -> UInt64 {
        self.lastID += 1
        return self.lastID
    }

    func add(
        _ id: UInt64, _ condition: @escaping @Sendable (SessionStateMachine) -> Bool, deadline: Deadline,
        _ continuation: CheckedContinuation<Result<Bool, CastError>, Never>
    ) {
        self.waiters[id] = Waiter(condition: condition, deadline: deadline, continuation: continuation)
    }

    func end(_ id: UInt64, _ result: Result<Bool, CastError>) {
        guard let waiter = self.waiters.removeValue(forKey: id) else { return }
        waiter.deadline.cancel()
        waiter.continuation.resume(returning: result)
    }

    func endAll(_ result: Result<Bool, CastError>) { for id in self.waiters.keys { self.end(id, result) } }

    /// Resumes the callers whose condition is met.
    func resume(_ machine: SessionStateMachine) {
        for (id, waiter) in self.waiters where waiter.condition(machine) { self.end(id, .success(true)) }
    }
}

extension CastSession {
    /// Waits until `condition` is met.
    ///
    /// - Returns: whether it is met; `false` after `timeout`.
    func wait(_ timeout: TimeAmount, until condition: @escaping @Sendable (SessionStateMachine) -> Bool) async throws(CastError) -> Bool {
        try self.requireConnection()
        if condition(self.machine) { return true }
        guard !self.waiters.isFull else { throw CastError(.sendBufferFull, detail: "too many requests wait") }
        let id = self.waiters.nextID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let deadline = Deadline(of: self, on: self.eventLoop) { $0.waiters.end(id, .success(false)) }
                deadline.arm(in: timeout)
                self.waiters.add(id, condition, deadline: deadline, continuation)
            }
        } onCancel: {
            self.eventLoop.execute {
                self.assumeIsolated { $0.waiters.end(id, .failure(CastError(.cancelled, detail: "the caller gave up"))) }
            }
        }
        return try result.get()
    }
}
