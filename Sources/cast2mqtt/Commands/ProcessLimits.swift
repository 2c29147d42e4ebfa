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

    /// Allocates blocks of 16 KiB and more in pages of their own, which go back to the system as soon as they are freed. Between small blocks,
    /// such pages would stay in memory. Buffers of Cast links have pages of their own anyhow (`CastTransport`).
    static func separateLargeBlocks() { cast2mqtt_separate_blocks(16 << 10) }
}
