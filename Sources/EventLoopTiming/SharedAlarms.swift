import NIOCore
import Synchronization

/// Alarms at full quarters of a second. Those of one event loop and quarter share one timer, because a timer of a loop with many costs more
/// than what such an alarm does: with one for each of 100 devices a heartbeat costs two thirds more.
package final class SharedAlarms: Sendable {
    private struct Key: Hashable {
        let eventLoop: ObjectIdentifier
        let time: NIODeadline
    }

    private let waiting = Mutex<[Key: [NIOLoopBound<Deadline>]]>([:])

    package init() {}

    /// Returns the first full quarter of a second that is not before `time`.
    package static func quarter(from time: NIODeadline) -> NIODeadline {
        let quarter: UInt64 = 250_000_000
        return .uptimeNanoseconds((time.uptimeNanoseconds + quarter - 1) / quarter * quarter)
    }

    /// Rings a deadline at the first full quarter from `time` on.
    ///
    /// - Returns: that quarter.
    func add(_ deadline: Deadline, at time: NIODeadline, on eventLoop: any EventLoop) -> NIODeadline {
        let key = Key(eventLoop: ObjectIdentifier(eventLoop), time: Self.quarter(from: time))
        let bound = NIOLoopBound(deadline, eventLoop: eventLoop)
        let isFirst = self.waiting.withLock { waiting in
            func isFirst(of deadlines: inout [NIOLoopBound<Deadline>]) -> Bool {
                deadlines.append(bound)
                return deadlines.count == 1
            }
            return isFirst(of: &waiting[key, default: []])
        }
        if isFirst { eventLoop.scheduleTask(deadline: key.time) { self.ring(key, on: eventLoop) } }
        return key.time
    }

    private func ring(_ key: Key, on eventLoop: any EventLoop) {
        for deadline in self.waiting.withLock({ $0.removeValue(forKey: key) }) ?? [] { deadline.value.ring(at: eventLoop.now) }
    }
}
