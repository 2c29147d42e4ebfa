import Glibc
import Synchronization

/// Until when this member of a pair may act. Any thread may ask; the answer holds at the moment of asking, also after the process or the
/// machine has slept.
final class PairLease: Sendable {
    /// Nanoseconds of CLOCK_BOOTTIME, which goes on while the machine sleeps; `nil` while another member leads.
    private let end = Mutex<UInt64?>(nil)

    var isHeld: Bool {
        let end = self.end.withLock { $0 }
        return end.map { Self.now < $0 } ?? false
    }

    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// - Parameter start: `now` when the renewal was sent.
    func extend(from start: UInt64, by duration: Duration) {
        let end = start + UInt64(max(0, duration.wholeNanoseconds))
        self.end.withLock { $0 = max($0 ?? 0, end) }
    }

    func giveUp() { self.end.withLock { $0 = nil } }
}
