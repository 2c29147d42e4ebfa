import Glibc

enum SocketOption {
    /// Returns and clears the error of a finished connection attempt; 0 means success.
    static func pendingError(of descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 else { return errno }
        // OpenSSL writes before the connection is made, and this write takes the error of a near host, nearly always a refusal: only a closed
        // socket is left.
        return error == 0 && self.neverConnected(descriptor) ? ECONNREFUSED : error
    }

    /// Returns whether a socket is closed and was never connected: no round trip was measured.
    private static func neverConnected(_ descriptor: Int32) -> Bool {
        var info = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 else { return false }
        return Int(info.tcpi_state) == Int(TCP_CLOSE) && info.tcpi_rtt == 0
    }

    /// Sets how long the kernel waits for the acknowledgement of sent bytes before it ends the connection (RFC 5482).
    static func setUserTimeout(_ limit: Duration, of descriptor: Int32) {
        self.set(TCP_USER_TIMEOUT, Int32(clamping: limit.wholeMilliseconds), descriptor)
    }

    /// Holds written bytes back until it is set to `false`, however small the writes (tcp(7), TCP_CORK).
    static func cork(_ isOn: Bool, _ descriptor: Int32) { self.set(TCP_CORK, isOn ? 1 : 0, descriptor) }

    /// Acknowledges received bytes without the usual delay of 40 ms; the kernel resets this option soon. A broker that gathers small
    /// packets (Nagle's algorithm, mosquitto's default) holds back everything after the first until it is acknowledged.
    static func acknowledgeNow(_ descriptor: Int32) { self.set(TCP_QUICKACK, 1, descriptor) }

    private static func set(_ option: Int32, _ value: Int32, _ descriptor: Int32) {
        var value = value
        setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Keeps child processes from inheriting the socket; otherwise the connection would stay open after we close it.
    static func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Returns whether the peer has ended the connection and all its bytes were read.
    static func isAtEnd(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }
}

extension Duration {
    static func earlier(_ left: Duration?, _ right: Duration?) -> Duration? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
    }

    /// The duration in milliseconds, rounded up.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}
