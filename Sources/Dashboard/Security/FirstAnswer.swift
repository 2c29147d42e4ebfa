import Synchronization

/// A value that one task waits for and several may give; the first one counts.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, Never>)
        case given(Value)
    }

    private let state = Mutex(State.open)

    /// Gives the value, on any thread. Does nothing when it was given before.
    func give(_ value: Value) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Value, Never>? in
            defer { if case .given = state {} else { state = .given(value) } }
            guard case .awaited(let waiter) = state else { return nil }
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// The value, once it is given. One task may ask, once.
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
