import NIOCore
import NIOPosix
import NIOSSL
import NetworkReach
import Synchronization

extension HTTPFetcher {
    /// Reads a server's certificates without trusting them: the handshake is aborted when they have arrived.
    ///
    /// - Parameter timeLimit: the limit for name resolution, connection and handshake together.
    /// - Returns: the certificates in DER, the server's own first; empty when the server sent none or could not be reached, and when the
    ///   caller was cancelled.
    package func certificates(of url: String, timeLimit: Duration) async -> [[UInt8]] {
        let end = ContinuousClock.now + timeLimit
        guard let target = FetchAddress(url),
            let address = try? await self.permittedAddresses(of: target, within: timeLimit).first,
            let context = try? NIOSSLContext(configuration: .makeClientConfiguration())
        else { return [] }
        let handshake = Handshake()
        await withTaskCancellationHandler {
            await self.shakeHands(handshake, context, host: target.host, at: address, limit: TimeAmount(end - .now))
        } onCancel: {
            handshake.cancel()
        }
        return handshake.chain
    }

    /// Connects, and returns when the connection is closed again.
    private func shakeHands(
        _ handshake: Handshake, _ context: NIOSSLContext, host: String, at address: NumericAddress, limit: TimeAmount
    ) async {
        let channel = try? await ClientBootstrap(group: self.group)
            .connectTimeout(limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    // RFC 6066 permits no numeric addresses in server_name.
                    let isNumeric = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                    let refuse: @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void = { chain, verdict in
                        handshake.received(chain.compactMap { try? $0.toDERBytes() })
                        verdict.succeed(.failed)
                    }
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: isNumeric ? nil : host, customVerificationCallback: refuse)
                    try channel.pipeline.syncOperations.addHandlers(handler, EndOfHandshake())
                    let alarm = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
                    channel.closeFuture.whenComplete { _ in alarm.cancel() }
                    try handshake.begin(on: channel)
                }
            }
            .connect(to: SocketAddress(ipAddress: address.host, port: Int(address.port))).get()
        try? await channel?.closeFuture.get()
    }

    /// One handshake: its connection, and the received certificates.
    private final class Handshake: Sendable {
        private struct State {
            var channel: (any Channel)?
            var isCancelled = false
            var chain: [[UInt8]] = []
        }

        private let state = Mutex(State())

        var chain: [[UInt8]] { self.state.withLock { $0.chain } }

        /// - Throws: `CancellationError` when it was already cancelled.
        func begin(on channel: any Channel) throws {
            let isCancelled = self.state.withLock { state in
                state.channel = channel
                return state.isCancelled
            }
            if isCancelled { throw CancellationError() }
        }

        func received(_ chain: [[UInt8]]) { self.state.withLock { $0.chain = chain } }

        func cancel() {
            let channel = self.state.withLock { state in
                state.isCancelled = true
                return state.channel
            }
            channel?.close(promise: nil)
        }
    }
}

/// Closes the connection at the first error, which is the rejected certificate.
private final class EndOfHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
