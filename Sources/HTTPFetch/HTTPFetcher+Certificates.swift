import NIOCore
import NIOSSL
import NetworkReach

extension HTTPFetcher {
    /// Reads a server's certificates without trusting them: the handshake is aborted when they have arrived.
    ///
    /// - Parameter timeLimit: the limit for name resolution, connection and handshake together.
    /// - Returns: the certificates in DER, the server's own first; empty when the server sent none or could not be reached, and when the
    ///   caller was cancelled.
    package func certificates(of url: String, in scopes: Set<AddressPolicy.Scope>? = nil, timeLimit: Duration) async -> [[UInt8]] {
        let end = ContinuousClock.now + timeLimit
        guard let target = FetchAddress(url),
            let address = try? await self.permittedAddresses(of: target, within: timeLimit, in: scopes).first,
            let context = try? NIOSSLContext(configuration: .makeClientConfiguration())
        else { return [] }
        let limit = TimeAmount(end - .now)
        let chain = self.group.any().makePromise(of: [[UInt8]].self)
        let received = try? await FetchConnection.open(to: address, limit: limit, result: chain) { channel in
            let handler = try NIOSSLClientHandler(
                context: context, serverHostname: target.serverName,
                customVerificationCallback: { certificates, verdict in
                    chain.succeed(certificates.compactMap { try? $0.toDERBytes() })
                    verdict.succeed(.failed)
                })
            try channel.pipeline.syncOperations.addHandlers(handler, EndOfHandshake())
            let alarm = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in
                alarm.cancel()
                chain.succeed([])
            }
        }
        return received ?? []
    }
}

/// Closes the connection at the first error, which is the rejected certificate.
private final class EndOfHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
