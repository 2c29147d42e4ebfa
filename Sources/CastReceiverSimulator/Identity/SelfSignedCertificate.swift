import CastTransport
import Crypto
import FoundationEssentials
import NIOSSL
import X509

/// The TLS identity of one device: as on real ones self-signed, valid for two days, and renewed before that.
struct SelfSignedCertificate: Sendable {
    static let validity: TimeInterval = 48 * 3_600

    let identity: CastServerIdentity
    let madeAt: Date

    /// - Throws: `SimulatorError` `resource` when the keys cannot be created.
    init(commonName: String, at now: Date) throws(SimulatorError) {
        do {
            let key = P256.Signing.PrivateKey()
            let signer = Certificate.PrivateKey(key)
            let name = try DistinguishedName { CommonName(commonName) }
            let certificate = try Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: signer.publicKey,
                notValidBefore: now.addingTimeInterval(-3_600),
                notValidAfter: now.addingTimeInterval(Self.validity), issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions(), issuerPrivateKey: signer)
            self.identity = try CastServerIdentity(
                certificateDER: try CertificateAuthority.der(certificate), privateKeyDER: Array(key.derRepresentation))
            self.madeAt = now
        } catch {
            throw SimulatorError(.resource, "no TLS certificate for \(commonName): \(error)")
        }
    }
}

/// The current certificate of a device.
final class DeviceCertificate {
    /// The age at which a device creates a new certificate, in seconds.
    private static let renewalAge: TimeInterval = 24 * 3_600

    private var current: (certificate: SelfSignedCertificate, context: NIOSSLContext)?

    var der: [UInt8] { self.current?.certificate.identity.certificateDER ?? [] }

    /// Returns a TLS handler with the certificate, which is renewed when it is old.
    func tlsHandler(of commonName: String) throws -> NIOSSLServerHandler {
        let now = Date()
        if let current, now.timeIntervalSince(current.certificate.madeAt) < Self.renewalAge {
            return NIOSSLServerHandler(context: current.context)
        }
        let certificate = try SelfSignedCertificate(commonName: commonName, at: now)
        let context = try CastTLS.serverContext(certificate.identity)
        self.current = (certificate, context)
        return NIOSSLServerHandler(context: context)
    }

    func forget() { self.current = nil }
}
