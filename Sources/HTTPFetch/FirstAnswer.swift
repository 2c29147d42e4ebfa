import Synchronization

/// The first answer to a question; later ones are dropped.
///
/// For work that cannot be cancelled: the caller continues at the limit or when it is cancelled, and the work ends by itself.
package final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case answered(Value)
    }

    private let state = Mutex(State.open)

    private init() {}

    /// Performs the work and returns its value, unless the limit or a cancellation of the caller comes first.
    ///
    /// - Parameters:
    ///   - limit: the time limit; `nil` waits until the end of the work.
    ///   - late: the value at the limit.
    ///   - cancelled: the value for a caller that is cancelled.
    ///   - work: cancelled when its value is no longer needed.
    package static func of(
        within limit: Duration?, late: Value, cancelled: Value, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let first = FirstAnswer()
        // Not child tasks of the caller, which would wait for their end.
        let task = Task { first.answer(await work()) }
        let alarm = limit.map { limit in
            Task {
                do { try await Task.sleep(for: limit) } catch { return }
                first.answer(late)
            }
        }
        defer {
            task.cancel()
            alarm?.cancel()
        }
        return await withTaskCancellationHandler {
            await first.value()
        } onCancel: {
            first.answer(cancelled)
        }
    }

    /// Must be called once.
    private func value() async -> Value {
        await withCheckedContinuation { continuation in
            let answer = self.state.withLock { state -> Value? in
                if case .answered(let value) = state { return value }
                state = .awaited(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }

    private func answer(_ value: Value) {
        let continuation = self.state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .answered: return nil
            case .open:
                state = .answered(value)
                return nil
            case .awaited(let continuation):
                state = .answered(value)
                return continuation
            }
        }
        continuation?.resume(returning: value)
    }
}
