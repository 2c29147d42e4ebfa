import CryptoExtras
import FoundationEssentials
import SwiftASN1
import X509

#if !DeviceAuthentication
    #error("CastReceiverSimulator makes certificates: add the trait DeviceAuthentication to the dependency on cast2mqtt")
#endif

/// A root and its intermediate certificate, like those of device makers; the simulator creates its own.
struct CertificateAuthority: Sendable {
    /// certificatePolicies with Google's policy for audio devices.
    private static let audioOnlyPolicy: [UInt8] = [
        0x30, 0x0E, 0x30, 0x0C, 0x06, 0x0A, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xD6, 0x79, 0x02, 0x05, 0x02,
    ]
    private static let day: TimeInterval = 86_400
    private static let lifetime = 10 * 365 * day

    let root: Certificate
    let intermediate: Certificate
    /// The intermediate certificate with a validity that ended yesterday.
    let expiredIntermediate: Certificate
    private let rootKey: Certificate.PrivateKey
    private let intermediateKey: Certificate.PrivateKey

    init(name: String, at now: Date) throws {
        let (rootKey, intermediateKey) = (try Self.makeKey(), try Self.makeKey())
        let (rootName, name) = (try Self.name("\(name) Root CA"), try Self.name("\(name) ICA"))
        func issue(_ key: Certificate.PrivateKey, to subject: DistinguishedName, until end: Date, pathLength: Int) throws -> Certificate {
            try Self.issue(
                key.publicKey, to: subject, from: now.addingTimeInterval(-10 * Self.day), until: end, by: (rootName, rootKey),
                try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: pathLength))
                    KeyUsage(keyCertSign: true)
                })
        }
        let end = now.addingTimeInterval(Self.lifetime)
        self.root = try issue(rootKey, to: rootName, until: end, pathLength: 1)
        self.intermediate = try issue(intermediateKey, to: name, until: end, pathLength: 0)
        self.expiredIntermediate = try issue(intermediateKey, to: name, until: now.addingTimeInterval(-Self.day), pathLength: 0)
        self.rootKey = rootKey
        self.intermediateKey = intermediateKey
    }

    static func makeKey() throws -> Certificate.PrivateKey { Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048)) }

    /// Returns the certificate of a device. As on real ones, the subject is a serial number and the hot-spot address. The certificate's own
    /// serial number has 64 bits, the size that revocation lists support.
    func certificate(for device: DeviceDescription, key: _RSA.Signing.PublicKey, audioOnly: Bool, at now: Date) throws -> Certificate {
        try Self.issue(
            Certificate.PublicKey(key),
            to: try DistinguishedName { CommonName("\(device.controlName.uppercased()) \(device.hotspotAddress)") },
            serialNumber: Certificate.SerialNumber(UInt64.random(in: 1...UInt64.max)), from: now.addingTimeInterval(-Self.day),
            until: now.addingTimeInterval(Self.lifetime), by: (self.intermediate.subject, self.intermediateKey),
            try Certificate.Extensions {
                Critical(KeyUsage(digitalSignature: true))
                if audioOnly { Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: Self.audioOnlyPolicy[...]) }
            })
    }

    /// Returns the certificate of the signer of revocation lists, issued directly by the root.
    func listSigner(key: _RSA.Signing.PublicKey, at now: Date) throws -> Certificate {
        try Self.issue(
            Certificate.PublicKey(key), to: try Self.name("Revocation list signer"), from: now.addingTimeInterval(-Self.day),
            until: now.addingTimeInterval(Self.lifetime), by: (self.root.subject, self.rootKey),
            try Certificate.Extensions { Critical(KeyUsage(digitalSignature: true)) })
    }

    private static func name(_ name: String) throws -> DistinguishedName {
        try DistinguishedName {
            OrganizationName("cast-simulator")
            CommonName(name)
        }
    }

    private static func issue(
        _ key: Certificate.PublicKey, to subject: DistinguishedName, serialNumber: Certificate.SerialNumber = Certificate.SerialNumber(),
        from start: Date, until end: Date, by issuer: (name: DistinguishedName, key: Certificate.PrivateKey),
        _ extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: serialNumber, publicKey: key, notValidBefore: start, notValidAfter: end, issuer: issuer.name,
            subject: subject, signatureAlgorithm: .sha256WithRSAEncryption, extensions: extensions, issuerPrivateKey: issuer.key)
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
