import NIOCore
import Synchronization

/// Keeps the number of handshakes that run at once small, so that a thousand devices at start don't time each other out.
///
/// One gate serves a whole process. Waiters are served in the order in which they came, but devices that were just seen before all others: they answer,
/// while any number of others may not.
public final class HandshakeGate: Sendable {
    private struct Waiter {
        let id: UInt64
        let eventLoop: any EventLoop
        let enter: @Sendable (Permit) -> Void
    }

    private struct State {
        var held: Set<UInt64> = []
        /// Waiters that go first.
        var preferred: [Waiter] = []
        var others: [Waiter] = []
        var lastID: UInt64 = 0
    }

    /// The right to shake hands, to be given back to the gate once.
    struct Permit: Sendable, Hashable { fileprivate let id: UInt64 }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: handshakes at once.
    public init(limit: Int = 32) { self.limit = max(1, limit) }

    /// Calls `enter` on `eventLoop` when there is room, at once if there is now. The permit also cancels the wait.
    /// - Parameter isPreferred: whether it goes before those that are not.
    func request(on eventLoop: any EventLoop, isPreferred: Bool = false, enter: @escaping @Sendable (Permit) -> Void) -> Permit {
        let (permit, isFree) = self.state.withLock { state in
            state.lastID += 1
            let isFree = state.held.count < self.limit
            if isFree {
                state.held.insert(state.lastID)
            } else {
                let waiter = Waiter(id: state.lastID, eventLoop: eventLoop, enter: enter)
                if isPreferred { state.preferred.append(waiter) } else { state.others.append(waiter) }
            }
            return (Permit(id: state.lastID), isFree)
        }
        if isFree { eventLoop.execute { enter(permit) } }
        return permit
    }

    /// Gives a permit back, or ends the wait for it; a second time does nothing.
    func release(_ permit: Permit) {
        let next = self.state.withLock { state -> Waiter? in
            guard state.held.remove(permit.id) != nil else {
                state.preferred.removeAll { $0.id == permit.id }
                state.others.removeAll { $0.id == permit.id }
                return nil
            }
            guard !state.preferred.isEmpty || !state.others.isEmpty else { return nil }
            let next = state.preferred.isEmpty ? state.others.removeFirst() : state.preferred.removeFirst()
            state.held.insert(next.id)
            return next
        }
        if let next { next.eventLoop.execute { next.enter(Permit(id: next.id)) } }
    }

    /// Handshakes that run, and devices that wait for one.
    var occupancy: (held: Int, waiting: Int) { self.state.withLock { ($0.held.count, $0.preferred.count + $0.others.count) } }
}
