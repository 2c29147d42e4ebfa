import CastProtocol
import CastTransport
import NIOCore
import NIOPosix
import NIOSSL

/// Listens as a receiver does.
struct CastServerBootstrap: Sendable {
    private let group: any EventLoopGroup
    private let context: NIOSSLContext

    /// - Throws: when certificate and key don't belong together.
    init(group: any EventLoopGroup, identity: CastServerIdentity) throws(CastError) {
        self.group = group
        self.context = try CastTLS.serverContext(identity)
    }

    /// Listens on `address`; port 0 takes a free one, which is in the channel's `localAddress`.
    ///
    /// - Parameter configure: adds the handlers that take the messages of one accepted connection; runs on its event loop before the
    ///   first byte. Messages may be written at once: they leave when the handshake is done.
    func bind(
        to address: SocketAddress, configure: @escaping @Sendable (any Channel) throws -> Void
    ) -> EventLoopFuture<any Channel> {
        let context = self.context
        return ServerBootstrap(group: self.group)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.addHandler(CastFrameHandler())
                    try configure(channel)
                }
            }
            .bind(to: address)
    }
}
