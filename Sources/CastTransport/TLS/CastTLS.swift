import CastProtocol
import NIOCore
import NIOSSL

/// TLS in the form of Cast devices: TLS 1.2 or later, self-signed certificates without names, which change every day or two.
package enum CastTLS {
    /// How long a peer may take to acknowledge the end of a connection before it is closed.
    static let shutdownTimeout = TimeAmount.milliseconds(500)

    /// The groups of a key exchange that devices know, the cheapest first. A share for a post-quantum group, which they don't, would be half
    /// of the work of a handshake.
    private static let curves: [NIOTLSCurve] = [.secp256r1, .x25519, .secp384r1]

    /// Returns the TLS context for all connections of a sender. It verifies nothing, because device authentication, and not TLS, proves
    /// that a device is genuine.
    package static func clientContext() throws(CastError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.minimumTLSVersion = .tlsv12
        configuration.curves = Self.curves
        configuration.shutdownTimeout = Self.shutdownTimeout
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw CastError(.networkError, detail: "no TLS: \(error)")
        }
    }

    /// Returns the TLS context for all connections of a receiver.
    package static func serverContext(_ identity: CastServerIdentity) throws(CastError) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(identity.certificate)], privateKey: .privateKey(identity.privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.curves = Self.curves
        configuration.shutdownTimeout = Self.shutdownTimeout
        do { return try NIOSSLContext(configuration: configuration) } catch {
            throw CastError(.networkError, detail: "certificate and key make no TLS server: \(error)")
        }
    }

    /// Returns the DER bytes of the peer's certificate, which device authentication signs; `nil` without TLS or before the end of the
    /// handshake.
    package static func peerCertificateDER(of channel: any Channel) -> EventLoopFuture<[UInt8]?> {
        channel.eventLoop.submit { try channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self).peerCertificate?.toDERBytes() }
            .flatMapErrorThrowing { error in
                guard error is ChannelPipelineError else { throw error }
                return nil
            }
    }
}

/// The certificate and private key of a receiver.
package struct CastServerIdentity: Sendable {
    package let certificateDER: [UInt8]
    let certificate: NIOSSLCertificate
    let privateKey: NIOSSLPrivateKey

    /// - Parameters:
    ///   - certificatePEM: one X.509 certificate.
    ///   - privateKeyPEM: its key (PKCS #1, PKCS #8 or SEC 1).
    /// - Throws: `invalidRequest` for text of another kind.
    package init(certificatePEM: String, privateKeyPEM: String) throws(CastError) {
        try self.init(certificate: Array(certificatePEM.utf8), privateKey: Array(privateKeyPEM.utf8), format: .pem)
    }

    /// - Parameters:
    ///   - certificateDER: one X.509 certificate.
    ///   - privateKeyDER: its key.
    /// - Throws: `invalidRequest` for bytes of another kind.
    package init(certificateDER: [UInt8], privateKeyDER: [UInt8]) throws(CastError) {
        try self.init(certificate: certificateDER, privateKey: privateKeyDER, format: .der)
    }

    private init(certificate: [UInt8], privateKey: [UInt8], format: NIOSSLSerializationFormats) throws(CastError) {
        do {
            self.certificate = try NIOSSLCertificate(bytes: certificate, format: format)
            self.privateKey = try NIOSSLPrivateKey(bytes: privateKey, format: format)
            self.certificateDER = try self.certificate.toDERBytes()
        } catch {
            throw CastError(.invalidRequest, detail: "not a certificate and its key: \(error)")
        }
    }
}
