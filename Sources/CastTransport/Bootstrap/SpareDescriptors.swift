import Glibc
import NIOCore

/// The descriptors that links to devices leave to the rest of the process: a fleet that connects again must not take the one of the broker's
/// link, of a file that is written, or of a request.
enum SpareDescriptors {
    static let count: UInt = 16

    /// - Throws: `IOError` with `EMFILE` when one more link would leave fewer.
    static func check(limit: UInt = Self.limit) throws(IOError) {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        // It has the lowest number that is free.
        guard descriptor >= 0, UInt(descriptor) + Self.count < limit else { throw IOError(errnoCode: EMFILE, reason: "socket") }
    }

    private static var limit: UInt {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit.rlim_cur : .max
    }
}
