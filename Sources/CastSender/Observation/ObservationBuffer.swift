import Synchronization

/// The newest elements of one source, numbered, for any number of readers. Each reader keeps its own position, so readers have no cost here
/// unless they wait, and a slow one delays nothing.
final class ObservationBuffer<Element: Sendable>: Sendable {
    /// The result of reading at a position.
    enum Reading {
        case element(Element)
        /// The number of elements before the oldest kept one that this reader lost.
        case missed(Int)
        case finished
        case nothingYet
    }

    private struct State {
        var slots: [Element] = []
        /// The number of the next element.
        var end: UInt64 = 0
        var isFinished = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiterID: UInt64 = 0
    }

    /// The largest number of kept elements.
    let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: at least 1.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// The number of the next element: the start of a reader that wants only new elements.
    var end: UInt64 { self.state.withLock { $0.end } }

    /// The newest element; `nil` when there has been none.
    var newest: Element? {
        self.state.withLock { $0.end == 0 ? nil : $0.slots[Int(($0.end - 1) % UInt64(self.capacity))] }
    }

    /// The number of waiting readers.
    var waiterCount: Int { self.state.withLock { $0.waiters.count } }

    /// Appends an element and removes the oldest if necessary. Ignored after `finish`.
    func append(_ element: Element) {
        self.wake { state in
            guard !state.isFinished else { return }
            let slot = Int(state.end % UInt64(self.capacity))
            if slot < state.slots.count { state.slots[slot] = element } else { state.slots.append(element) }
            state.end += 1
        }
    }

    /// Ends the source; kept elements can still be read.
    func finish() { self.wake { $0.isFinished = true } }

    /// Reads the element at `place` and advances `place`.
    func read(_ place: inout UInt64) -> Reading {
        self.state.withLock { state in
            let oldest = state.end - UInt64(state.slots.count)
            if place < oldest {
                defer { place = oldest }
                return .missed(Int(clamping: oldest - place))
            }
            guard place < state.end else { return state.isFinished ? .finished : .nothingYet }
            defer { place += 1 }
            return .element(state.slots[Int(place % UInt64(self.capacity))])
        }
    }

    /// Waits until there is an element at `place`, or the task is cancelled.
    func wait(at place: UInt64, isolation: isolated (any Actor)? = #isolation) async {
        let id = self.state.withLock { state in
            state.lastWaiterID += 1
            return state.lastWaiterID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // Cancellation is checked under the lock: the handler below runs either before it, so that the task is cancelled, or finds
                // the waiter.
                let isWaiting = self.state.withLock { state in
                    guard state.end <= place, !state.isFinished, !Task.isCancelled else { return false }
                    state.waiters[id] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = self.state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }
}
