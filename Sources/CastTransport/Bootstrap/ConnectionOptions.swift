import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Socket and buffer settings of both ends.
enum ConnectionOptions {
    /// The number of bytes read at a time. Statuses are 1 to 4 KiB and devices send few. Received bytes are decoded at once, so small reads
    /// cost little, and 100 idle connections need no large buffers.
    static let receiveBufferSize = 4096
    /// The number of bytes that may wait for the peer before writing fails.
    static let sendBufferLimit = 262_144
    /// Milliseconds that sent data may stay unacknowledged. Longer than the heartbeat's limit: it ends connections that no heartbeat
    /// watches any more.
    static let userTimeoutMilliseconds: ChannelOptions.Types.SocketOption.Value = 15_000
    /// Seconds of silence before the kernel probes.
    static let keepAliveIdleSeconds: ChannelOptions.Types.SocketOption.Value = 30

    /// Applies every setting; call it on the channel's event loop.
    static func apply(to channel: any Channel) throws {
        guard let options = channel.syncOptions else { return }
        try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
        try options.setOption(.socketOption(.so_keepalive), value: 1)
        #if os(Linux)
            try options.setOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_KEEPIDLE)), value: keepAliveIdleSeconds)
            try options.setOption(.tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), value: userTimeoutMilliseconds)
        #endif
        try options.setOption(.allocator, value: .separate)
        try options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: receiveBufferSize))
        try options.setOption(.writeBufferWaterMark, value: .init(low: sendBufferLimit / 4, high: sendBufferLimit))
    }
}
