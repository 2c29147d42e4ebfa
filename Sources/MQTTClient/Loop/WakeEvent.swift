internal import CMosquitto
import Glibc

/// Wakes a poll from another thread. The descriptor is closed with the last reference to the object.
final class WakeEvent: Sendable {
    let descriptor: Int32

    /// - Returns: `nil` when the process has no descriptors left.
    init?() {
        self.descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        if self.descriptor < 0 { return nil }
    }

    /// Makes the descriptor readable until `drain`.
    func signal() { eventfd_write(self.descriptor, 1) }

    func drain() {
        var count: eventfd_t = 0
        eventfd_read(self.descriptor, &count)
    }

    deinit { close(self.descriptor) }
}
