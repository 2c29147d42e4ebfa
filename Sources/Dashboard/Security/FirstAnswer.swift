import Synchronization

/// A value that one task waits for and that several may set. The first value is kept.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Mutex(State.open)

    /// Sets the value, on any thread. Does nothing when it was set before.
    func give(_ value: Value) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { if case .given = state {} else { state = .given(value) } }
            guard case .awaited(let waiter) = state else { return nil }
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// Waits for the value. One task may wait, once.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let given = self.state.withLock { state -> Value? in
                    if case .given(let value) = state { return value }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(returning: given) }
            }
        }
    }
}
