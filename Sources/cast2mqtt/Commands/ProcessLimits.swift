import CProgramSupport
import Glibc

enum ProcessLimits {
    /// Raises the soft limit of open descriptors to the hard one: each device takes one.
    static func raiseDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Allocates blocks of 16 KiB and more in separate pages. Each TLS link has a buffer of 32 KiB for what it receives and one of 16 KiB
    /// for what it sends, and uses the first 2 KiB of them. Between small blocks, pages that others wrote to would stay in memory. With
    /// 32 KiB, 500 devices that all reconnect ten times need 7 MiB more anonymous memory, 16 %, because malloc puts the larger buffer into
    /// the room of the smaller one.
    static func separateLargeBlocks() { cast2mqtt_separate_blocks(16 << 10) }
}
