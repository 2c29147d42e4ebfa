import NIOCore
import NIOPosix
import NIOSSL
import NetworkReach
import Synchronization

extension HTTPFetcher {
    /// Asks a server for its certificates without trusting them: the handshake is broken off when they have come.
    ///
    /// - Parameter timeLimit: for the name, the connection and the handshake.
    /// - Returns: the certificates in DER, the server's own first; none when the server sent none or could not be reached.
    package func certificates(of url: String, timeLimit: Duration) async -> [[UInt8]] {
        guard let target = FetchAddress(url), let address = try? await self.permittedAddresses(of: target).first else { return [] }
        let seen = ReceivedChain()
        do {
            let context = try NIOSSLContext(configuration: .makeClientConfiguration())
            let host = target.host
            let channel = try await ClientBootstrap(group: self.group)
                .connectTimeout(TimeAmount(timeLimit))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        // RFC 6066 has no numeric addresses in server_name.
                        let isNumeric = (try? SocketAddress(ipAddress: host, port: 0)) != nil
                        let refuse: @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResult>) -> Void = {
                            chain, verdict in
                            seen.chain.withLock { $0 = chain.compactMap { try? $0.toDERBytes() } }
                            verdict.succeed(.failed)
                        }
                        let handler = try NIOSSLClientHandler(
                            context: context, serverHostname: isNumeric ? nil : host, customVerificationCallback: refuse)
                        try channel.pipeline.syncOperations.addHandlers(handler, EndOfHandshake())
                    }
                }
                .connect(to: SocketAddress(ipAddress: address.host, port: Int(address.port))).get()
            let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(timeLimit)) { channel.close(promise: nil) }
            try? await channel.closeFuture.get()
            alarm.cancel()
        } catch {
            return []
        }
        return seen.chain.withLock { $0 }
    }

    private final class ReceivedChain: Sendable { let chain = Mutex<[[UInt8]]>([]) }
}

/// Closes the connection at the first error, which the refused certificate is.
private final class EndOfHandshake: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
