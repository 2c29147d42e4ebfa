import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

@testable import CastAuthentication
@testable import CastSender

/// Certificates and revocation lists of a test's own making. Keys are made once for all tests: they take their time.
enum TestChain {
    static let now: Int64 = 1_700_000_000
    private static let day: Int64 = 86_400

    /// Thrown away when the process ends; guards nothing.
    struct Keys: Sendable {
        let root: Certificate.PrivateKey
        let intermediate: Certificate.PrivateKey
        let leaf: _RSA.Signing.PrivateKey
        let stranger: Certificate.PrivateKey
    }

    static let keys: Result<Keys, any Error> = Result {
        Keys(
            root: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
            intermediate: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048)),
            leaf: try _RSA.Signing.PrivateKey(keySize: .bits2048), stranger: .init(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
    }

    /// The properties of one certificate of the chain.
    struct Shape {
        var notBefore = TestChain.now - 10 * TestChain.day
        var notAfter = TestChain.now + 10 * TestChain.day
        var isAuthority = true
        var pathLength: Int?
        var keyUsage: KeyUsage?
        var policy: ASN1ObjectIdentifier?
        var constraints: NameConstraints?
        var critical: ASN1ObjectIdentifier?
        /// An extension whose value is of the wrong type.
        var unreadable: ASN1ObjectIdentifier?
        var serial = 7
    }

    static func name(_ common: String, organisation: String = "Test") -> DistinguishedName {
        (try? DistinguishedName {
            OrganizationName(organisation)
            CommonName(common)
        }) ?? DistinguishedName()
    }

    static func certificate(
        _ subject: DistinguishedName, key: Certificate.PublicKey, issuer: DistinguishedName, signedBy: Certificate.PrivateKey,
        _ shape: Shape = Shape()
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(shape.serial), publicKey: key,
            notValidBefore: Date(timeIntervalSince1970: Double(shape.notBefore)),
            notValidAfter: Date(timeIntervalSince1970: Double(shape.notAfter)), issuer: issuer, subject: subject,
            signatureAlgorithm: .sha256WithRSAEncryption, extensions: try self.extensions(shape), issuerPrivateKey: signedBy)
    }

    private static func extensions(_ shape: Shape) throws -> Certificate.Extensions {
        var extensions = Certificate.Extensions()
        let constraints: BasicConstraints =
            shape.isAuthority ? .isCertificateAuthority(maxPathLength: shape.pathLength) : .notCertificateAuthority
        try extensions.append(Certificate.Extension(constraints, critical: true))
        if let usage = shape.keyUsage { try extensions.append(Certificate.Extension(usage, critical: true)) }
        if let constraints = shape.constraints { try extensions.append(Certificate.Extension(constraints, critical: true)) }
        if let policy = shape.policy {
            var serializer = DER.Serializer()
            try serializer.appendConstructedNode(identifier: .sequence) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in try coder.serialize(policy) }
            }
            try extensions.append(
                Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: ArraySlice(serializer.serializedBytes)))
        }
        if let critical = shape.critical {
            try extensions.append(Certificate.Extension(oid: critical, critical: true, value: [0x05, 0x00]))
        }
        if let unreadable = shape.unreadable {
            try extensions.append(Certificate.Extension(oid: unreadable, critical: false, value: [0x05, 0x00]))
        }
        return extensions
    }

    static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    // MARK: - Whole chains

    struct Chain {
        var root: Certificate
        var intermediate: Certificate
        var leaf: Certificate
    }

    static func chain(root: Shape = Shape(), intermediate: Shape = Shape(), leaf: Shape? = nil) throws -> Chain {
        let keys = try Self.keys.get()
        let (rootName, middleName) = (Self.name("root"), Self.name("intermediate"))
        var leafShape = leaf ?? Shape()
        if leaf == nil { leafShape.keyUsage = KeyUsage(digitalSignature: true) }
        leafShape.isAuthority = false
        return Chain(
            root: try Self.certificate(rootName, key: keys.root.publicKey, issuer: rootName, signedBy: keys.root, root),
            intermediate: try Self.certificate(
                middleName, key: keys.intermediate.publicKey, issuer: rootName, signedBy: keys.root, intermediate),
            leaf: try Self.certificate(
                Self.name("device"), key: .init(keys.leaf.publicKey), issuer: middleName, signedBy: keys.intermediate, leafShape))
    }

    /// The certificate of a TLS link.
    static func tlsCertificate(notBefore: Int64 = now - 3600, notAfter: Int64 = now + 86_400) throws -> [UInt8] {
        let keys = try Self.keys.get()
        var shape = Shape()
        (shape.notBefore, shape.notAfter, shape.isAuthority) = (notBefore, notAfter, false)
        return try Self.der(
            Self.certificate(Self.name("tls"), key: keys.stranger.publicKey, issuer: Self.name("tls"), signedBy: keys.stranger, shape))
    }

    static func signature(_ data: [UInt8], usesSHA256: Bool = true) throws -> [UInt8] {
        let key = try Self.keys.get().leaf
        let signature =
            usesSHA256
            ? try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
            : try key.signature(for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5)
        return Array(signature.rawRepresentation)
    }

    static func anchors(_ root: Certificate, revocation: Certificate? = nil) throws -> TrustAnchors {
        try TrustAnchors(
            devicesPEM: root.serializeAsPEM().pemString, revocationPEM: revocation?.serializeAsPEM().pemString ?? "")
    }

    // MARK: - Revocation lists

    struct List {
        var version: UInt64 = 0
        var notBefore = UInt64(TestChain.now - 100)
        var notAfter = UInt64(TestChain.now + 100)
        var revokedHashes: [[UInt8]] = []
        var ranges: [(issuer: [UInt8], first: UInt64, last: UInt64)] = []
        var isSignatureRight = true
        var isSignerTrusted = true
    }

    static func bundle(_ list: List, root: Certificate) throws -> [UInt8] {
        let keys = try Self.keys.get()
        var signed = Self.field(1, list.version) + Self.field(2, list.notBefore) + Self.field(3, list.notAfter)
        for hash in list.revokedHashes { signed += Self.field(4, hash) }
        for range in list.ranges {
            signed += Self.field(5, Self.field(1, range.issuer) + Self.field(2, range.first) + Self.field(3, range.last))
        }
        var shape = Shape()
        shape.keyUsage = KeyUsage(digitalSignature: true)
        shape.isAuthority = false
        let signer = try Self.certificate(
            Self.name("list signer"), key: .init(keys.leaf.publicKey), issuer: root.subject,
            signedBy: list.isSignerTrusted ? keys.root : keys.stranger, shape)
        let signature = try Self.signature(list.isSignatureRight ? signed : signed + [0])
        return Self.field(1, Self.field(1, signed) + Self.field(2, try Self.der(signer)) + Self.field(3, signature))
    }

    private static func varint(_ value: UInt64) -> [UInt8] {
        value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + Self.varint(value >> 7)
    }

    private static func field(_ number: UInt64, _ value: UInt64) -> [UInt8] { Self.varint(number << 3) + Self.varint(value) }

    private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
        Self.varint(number << 3 | 2) + Self.varint(UInt64(bytes.count)) + bytes
    }
}
