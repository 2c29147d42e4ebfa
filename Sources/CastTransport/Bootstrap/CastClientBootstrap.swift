import CastProtocol
import NIOCore
import NIOPosix
import NIOSSL

/// Opens connections to receivers. Use one for a whole sender, so that its connections share one TLS context.
package struct CastClientBootstrap: Sendable {
    private let context: NIOSSLContext

    /// - Throws: `networkError` when TLS cannot be set up.
    package init() throws(CastError) { self.context = try CastTLS.clientContext() }

    /// Connects with TCP and TLS. The channel reads and writes `CastMessage`s and is ready when the future succeeds.
    ///
    /// - Parameters:
    ///   - eventLoop: the event loop of the connection.
    ///   - timeout: the limit for TCP and TLS together.
    ///   - configure: adds the handlers for messages; runs on `eventLoop` before the first byte. Closing the passed channel ends the
    ///     attempt.
    /// - Returns: the channel; fails with `timeout` or `networkError`, and the channel is then closed or about to be. Fails without an attempt
    ///   while the process has few descriptors left (`SpareDescriptors`).
    package func connect(
        to address: SocketAddress, eventLoop: any EventLoop, timeout: TimeAmount,
        configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) -> EventLoopFuture<any Channel> {
        do { try SpareDescriptors.check() } catch { return eventLoop.makeFailedFuture(CastError(connection: error)) }
        let handshake = eventLoop.makePromise(of: Void.self)
        let context = self.context
        let attempt = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeout)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try ConnectionOptions.apply(to: channel)
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(try NIOSSLClientHandler(context: context, serverHostname: nil))
                    try pipeline.addHandler(TLSHandshakeHandler(promise: handshake))
                    try pipeline.addHandler(CastFrameHandler())
                    try configure(channel)
                    let deadline = channel.eventLoop.scheduleTask(in: timeout) {
                        handshake.fail(CastError(.timeout, detail: "no connection within \(timeout.nanoseconds / 1_000_000) ms"))
                        channel.close(promise: nil)
                    }
                    handshake.futureResult.whenComplete { _ in deadline.cancel() }
                }
            }
            .connect(to: address)
        attempt.whenFailure { handshake.fail(CastError(connection: $0)) }
        handshake.futureResult.whenFailure { _ in attempt.whenSuccess { $0.close(promise: nil) } }
        return handshake.futureResult.and(attempt).map { $0.1 }.flatMapErrorThrowing { throw CastError(connection: $0) }
    }
}
