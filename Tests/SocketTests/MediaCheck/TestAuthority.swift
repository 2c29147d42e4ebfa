import Crypto
import Foundation
import NIOSSL
import X509

/// An authority that issues certificates for web servers of the tests.
struct TestAuthority: Sendable {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    private let certificate: Certificate

    init(_ name: String) throws {
        self.name = try DistinguishedName { CommonName(name) }
        self.certificate = try Self.issue(
            subject: self.name, issuer: self.name, subjectKey: self.key, issuerKey: self.key, days: -10...3650, names: [], isAuthority: true
        )
    }

    /// Trusts what this authority issued.
    func trust() throws -> NIOSSLTrustRoots { .certificates([try Self.encoded(self.certificate)]) }

    /// A server whose certificate has these names.
    /// - Parameter days: when it is valid, counted from now.
    func server(names: [String], days: ClosedRange<Int> = -5...90) throws -> NIOSSLContext {
        let key = P256.Signing.PrivateKey()
        let certificate = try Self.issue(
            subject: try DistinguishedName { CommonName(names[0]) }, issuer: self.name, subjectKey: key, issuerKey: self.key, days: days,
            names: names, isAuthority: false)
        return try Self.context(certificate, key)
    }

    /// A server that signed its certificate itself.
    static func selfSignedServer(names: [String]) throws -> NIOSSLContext {
        let key = P256.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(names[0]) }
        return try self.context(
            self.issue(subject: name, issuer: name, subjectKey: key, issuerKey: key, days: -5...90, names: names, isAuthority: false), key)
    }

    private static func issue(
        subject: DistinguishedName, issuer: DistinguishedName, subjectKey: P256.Signing.PrivateKey, issuerKey: P256.Signing.PrivateKey,
        days: ClosedRange<Int>, names: [String], isAuthority: Bool
    ) throws -> Certificate {
        let now = Date()
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(subjectKey.publicKey),
            notValidBefore: now + 86_400 * Double(days.lowerBound), notValidAfter: now + 86_400 * Double(days.upperBound), issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                if isAuthority { Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil)) }
                if !names.isEmpty { SubjectAlternativeNames(names.map { .dnsName($0) }) }
            }, issuerPrivateKey: .init(issuerKey))
    }

    private static func encoded(_ certificate: Certificate) throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(certificate.serializeAsPEM().pemString.utf8), format: .pem)
    }

    private static func context(_ certificate: Certificate, _ key: P256.Signing.PrivateKey) throws -> NIOSSLContext {
        try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: [.certificate(self.encoded(certificate))],
                privateKey: .privateKey(NIOSSLPrivateKey(bytes: Array(key.pemRepresentation.utf8), format: .pem))))
    }
}
