import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import Synchronization
import X509

/// Answers authentication challenges with a chain of the simulator's own: a root made once for the fleet and an RSA key for each device.
///
/// The chain ends in no root that Google vouches for: a sender that checks it must find it untrusted, one that looks only for an error is
/// content. Keys are made at the first challenge, which takes about a second; call it off the event loop.
final class DeviceAuthenticator: Sendable {
    private struct Authority {
        let key: Certificate.PrivateKey
        let name: DistinguishedName
        let der: [UInt8]
    }

    private struct Leaf {
        let key: _RSA.Signing.PrivateKey
        let der: [UInt8]
    }

    private struct Keys {
        var authority: Authority?
        /// By device id; as many as the fleet has devices.
        var leaves: [String: Leaf] = [:]
    }

    private let keys = Mutex(Keys())

    /// The serialized `DeviceAuthMessage` that answers `challenge`: an `AuthResponse`, or an `AuthError` when the challenge is none or asks
    /// for another algorithm than RSASSA-PKCS1-v1_5.
    ///
    /// - Parameter tlsCertificate: DER bytes of the certificate of the connection, which the signature covers.
    func answer(challenge bytes: [UInt8], device: DeviceDescription, tlsCertificate: [UInt8], at now: Date) -> [UInt8] {
        guard let message = ProtobufMessage(bytes), let inner = message.bytes(1), let challenge = ProtobufMessage(inner) else {
            return Self.failure(.internalError)
        }
        guard [nil, 0, 1].contains(challenge.number(1)) else { return Self.failure(.signatureAlgorithmUnavailable) }
        let nonce = challenge.bytes(2) ?? []
        let usesSHA256 = challenge.number(3) == 1
        do {
            let (leaf, authority) = try self.keys.withLock { keys in
                let authority = try keys.authority ?? Self.makeAuthority(at: now)
                keys.authority = authority
                let leaf = try keys.leaves[device.id] ?? Self.makeLeaf(for: device, by: authority, at: now)
                keys.leaves[device.id] = leaf
                return (leaf, authority.der)
            }
            let data = nonce + tlsCertificate
            let signature =
                usesSHA256
                ? try leaf.key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
                : try leaf.key.signature(for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5)
            var response = ProtobufWriter()
            response.write(1, Array(signature.rawRepresentation))
            response.write(2, leaf.der)
            response.write(3, authority)
            response.write(4, 1)
            if !nonce.isEmpty { response.write(5, nonce) }
            response.write(6, usesSHA256 ? 1 : 0)
            var answer = ProtobufWriter()
            answer.write(2, response.bytes)
            return answer.bytes
        } catch {
            return Self.failure(.internalError)
        }
    }

    private enum Failure: UInt64 {
        case internalError = 0
        case signatureAlgorithmUnavailable = 2
    }

    private static func failure(_ type: Failure) -> [UInt8] {
        var error = ProtobufWriter()
        error.write(1, type.rawValue)
        var answer = ProtobufWriter()
        answer.write(3, error.bytes)
        return answer.bytes
    }

    private static func makeAuthority(at now: Date) throws -> Authority {
        let key = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let name = try DistinguishedName {
            OrganizationName("cast-simulator")
            CommonName("Simulated Cast Root CA")
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(10 * 365 * 86_400), issuer: name, subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 1))
                KeyUsage(keyCertSign: true)
            }, issuerPrivateKey: key)
        return Authority(key: key, name: name, der: try self.der(certificate))
    }

    /// As on real devices the subject is a serial number and the hot-spot address.
    private static func makeLeaf(for device: DeviceDescription, by authority: Authority, at now: Date) throws -> Leaf {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now.addingTimeInterval(-86_400), notValidAfter: now.addingTimeInterval(10 * 365 * 86_400),
            issuer: authority.name,
            subject: try DistinguishedName { CommonName("\(device.controlName.uppercased()) \(device.hotspotAddress)") },
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: try Certificate.Extensions { Critical(KeyUsage(digitalSignature: true)) }, issuerPrivateKey: authority.key)
        return Leaf(key: key, der: try self.der(certificate))
    }

    private static func der(_ certificate: Certificate) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
