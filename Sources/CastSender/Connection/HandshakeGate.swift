import EventLoopTiming
import NIOCore
import Synchronization

/// Limits the number of concurrent handshakes, so that a thousand devices at start do not time each other out.
///
/// Use one gate for a whole process. Waiters are served in order, but devices that were just seen go before all others: they are known to
/// answer, while any number of others may not.
public final class HandshakeGate: Sendable {
    private struct Waiter {
        let id: UInt64
        let eventLoop: any EventLoop
        let enter: @Sendable (Permit) -> Void
    }

    private struct State {
        var held: Set<UInt64> = []
        /// Waiters with priority.
        var preferred: [Waiter] = []
        var others: [Waiter] = []
        var lastID: UInt64 = 0
    }

    /// The permission for one handshake. Release it once.
    struct Permit: Sendable, Hashable { fileprivate let id: UInt64 }

    /// The alarms of all heartbeats.
    let alarms = SharedAlarms()
    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: the number of concurrent handshakes.
    public init(limit: Int = 32) { self.limit = max(1, limit) }

    /// How long a handshake occupies the gate. A dead address must not delay reachable devices.
    private static let time = TimeAmount.milliseconds(500)

    /// Calls `enter` on `eventLoop` as soon as a handshake is permitted. The permit also cancels the wait, and ends by itself after 500 ms.
    ///
    /// - Parameter isPreferred: whether the waiter has priority over those without.
    func request(on eventLoop: any EventLoop, isPreferred: Bool = false, enter: @escaping @Sendable (Permit) -> Void) -> Permit {
        let (waiter, isFree) = self.state.withLock { state in
            state.lastID += 1
            let waiter = Waiter(id: state.lastID, eventLoop: eventLoop, enter: enter)
            let isFree = state.held.count < self.limit
            if isFree {
                state.held.insert(waiter.id)
            } else if isPreferred {
                state.preferred.append(waiter)
            } else {
                state.others.append(waiter)
            }
            return (waiter, isFree)
        }
        if isFree { self.admit(waiter) }
        return Permit(id: waiter.id)
    }

    private func admit(_ waiter: Waiter) {
        waiter.eventLoop.execute { waiter.enter(Permit(id: waiter.id)) }
        waiter.eventLoop.scheduleTask(in: Self.time) { self.release(Permit(id: waiter.id)) }
    }

    /// Releases a permit, or cancels the wait for it; a second call does nothing.
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
        if let next { self.admit(next) }
    }

    /// The number of running handshakes, and of waiting devices.
    var occupancy: (held: Int, waiting: Int) { self.state.withLock { ($0.held.count, $0.preferred.count + $0.others.count) } }
}
