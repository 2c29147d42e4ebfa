import Glibc

/// The text of an `errno`.
struct SystemError: CustomStringConvertible {
    var code: Int32

    /// Whether the peer closed an established connection.
    var isPeerClosing: Bool { self.code == ECONNRESET || self.code == EPIPE }

    /// Whether the peer's host answered that no process listens at the port.
    var isRefusal: Bool { self.code == ECONNREFUSED }

    static var last: SystemError { SystemError(code: errno) }

    var description: String {
        // A peer that closes a connection leaves no `errno`.
        guard self.code != 0 else { return "closed by the peer" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
            guard let start = text.baseAddress, strerror_r(self.code, start, text.count) == 0 else { return "error \(self.code)" }
            return String(cString: start)
        }
    }
}
