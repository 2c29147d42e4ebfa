import Glibc

enum SocketOption {
    /// The error of a connection attempt that ended, 0 for success; reading it clears it.
    static func pendingError(of descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
    }

    /// How long the kernel lets sent bytes go unacknowledged before it ends the connection (RFC 5482).
    static func setUserTimeout(_ limit: Duration, of descriptor: Int32) {
        var milliseconds = Int32(clamping: limit.wholeMilliseconds)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Gathers what is written until it is `false` again, however small (tcp(7), TCP_CORK).
    static func cork(_ isOn: Bool, _ descriptor: Int32) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Acknowledges what has arrived without the usual delay of 40 ms; the kernel forgets the wish soon. A broker that gathers small packets
    /// (Nagle's algorithm, mosquitto's default) holds back everything after the first until it is acknowledged.
    static func acknowledgeNow(_ descriptor: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Keeps child processes from inheriting the socket: held open by one, the connection would outlive our closing it.
    static func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Whether the peer has ended the connection and everything that it sent was read.
    static func isAtEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }
}

extension Duration {
    /// Rounded up.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
