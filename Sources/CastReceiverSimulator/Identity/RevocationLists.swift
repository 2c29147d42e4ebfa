import CastProtocol
import Crypto
import CryptoExtras
import FoundationEssentials
import SwiftASN1
import X509

/// Lists of revoked certificates, which devices pass on with their proof (openscreen `revocation.proto`).
struct RevocationLists: Sendable {
    private static let day: TimeInterval = 86_400

    private let key: _RSA.Signing.PrivateKey
    private let signer: [UInt8]

    init(authority: CertificateAuthority, at now: Date) throws {
        self.key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        self.signer = try CertificateAuthority.der(authority.listSigner(key: self.key.publicKey, at: now))
    }

    /// Returns a serialized `CrlBundle` with one list, as `manner` requires. In any case, the list also contains an unrelated key and unrelated numbers.
    func bundle(_ manner: AuthenticationManner, leaf: Certificate, intermediate: Certificate, at now: Date) throws -> [UInt8] {
        let end = now.addingTimeInterval(manner == .staleRevocationList ? -Self.day : 30 * Self.day)
        let issuer = try Self.hash(intermediate.publicKey)
        let serialNumber = leaf.serialNumber.bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        var list = ProtobufWriter()
        list.write(1, 0)
        list.write(2, UInt64(max(0, now.timeIntervalSince1970 - 10 * Self.day)))
        list.write(3, UInt64(max(0, end.timeIntervalSince1970)))
        list.write(4, Array(SHA256.hash(data: Array("another key".utf8))))
        if manner == .revokedKey { list.write(4, issuer) }
        list.write(5, Self.range(issuer: issuer, from: serialNumber ^ 1))
        if manner == .revokedSerialNumber { list.write(5, Self.range(issuer: issuer, from: serialNumber)) }
        let signature = try self.key.signature(for: SHA256.hash(data: list.bytes), padding: .insecurePKCS1v1_5)
        if manner == .forgedRevocationList { list.write(4, issuer) }
        var signed = ProtobufWriter()
        signed.write(1, list.bytes)
        signed.write(2, self.signer)
        signed.write(3, Array(signature.rawRepresentation))
        var bundle = ProtobufWriter()
        bundle.write(1, signed.bytes)
        return bundle.bytes
    }

    private static func range(issuer: [UInt8], from number: UInt64) -> [UInt8] {
        var range = ProtobufWriter()
        range.write(1, issuer)
        range.write(2, number)
        range.write(3, number)
        return range.bytes
    }

    /// Returns the SHA-256 of a SubjectPublicKeyInfo.
    private static func hash(_ key: Certificate.PublicKey) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(key)
        return Array(SHA256.hash(data: serializer.serializedBytes))
    }
}
