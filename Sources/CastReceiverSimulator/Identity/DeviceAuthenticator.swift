import CastProtocol
import Crypto
import CryptoExtras
import FoundationEssentials
import Synchronization
import X509

/// Answers authentication challenges with the simulator's own chain: one root for the fleet and an RSA key for each device.
///
/// The chain does not end in a root of Google: a sender that verifies it must reject it unless it trusts `rootPEM`; a sender that only
/// checks for an error accepts it. Keys are created at the first challenge, which takes about a second; call it off the event loop.
final class DeviceAuthenticator: Sendable {
    private struct LeafName: Hashable {
        var device: String
        var isStrange: Bool
        var isAudioOnly: Bool
    }

    private struct Chain {
        var key: _RSA.Signing.PrivateKey
        var leaf: Certificate
        var intermediate: Certificate
        /// A serialized `CrlBundle`.
        var revocationLists: [UInt8]?
    }

    private struct Keys {
        var authority: CertificateAuthority?
        /// An authority that no sender trusts.
        var stranger: CertificateAuthority?
        /// The keys by device id; one for each device of the fleet.
        var deviceKeys: [String: _RSA.Signing.PrivateKey] = [:]
        var leaves: [LeafName: Certificate] = [:]
        var lists: RevocationLists?
    }

    private let keys = Mutex(Keys())

    func rootPEM(at now: Date) throws -> String {
        let root = try self.keys.withLock { try Self.authority(isStrange: false, of: &$0, at: now).root }
        return try root.serializeAsPEM().pemString + "\n"
    }

    /// Returns the serialized `DeviceAuthMessage` that answers `challenge`: an `AuthResponse`, or an `AuthError` when the challenge is
    /// malformed or requires an algorithm other than RSASSA-PKCS1-v1_5. `nil` when no answer is to be sent.
    ///
    /// - Parameter tlsCertificate: the DER bytes of the connection's certificate, which the signature covers.
    func answer(
        challenge bytes: [UInt8], device: DeviceDescription, tlsCertificate: [UInt8], manner: AuthenticationManner = .genuine, at now: Date
    ) -> [UInt8]? {
        if manner == .silent { return nil }
        guard manner != .error, let message = ProtobufMessage(bytes), let inner = message.bytes(1), let challenge = ProtobufMessage(inner)
        else { return Self.failure(.internalError) }
        guard [nil, 0, 1].contains(challenge.number(1)) else { return Self.failure(.signatureAlgorithmUnavailable) }
        var nonce = manner == .noNonce ? [] : challenge.bytes(2) ?? []
        if manner == .wrongNonce { nonce = nonce.isEmpty ? [0] : nonce.map { $0 ^ 0xFF } }
        var covered = tlsCertificate
        if manner == .otherCertificate, let last = covered.indices.last { covered[last] ^= 0xFF }
        do {
            let chain = try self.chain(for: device, manner: manner, at: now)
            let usesSHA256 = challenge.number(3) == 1
            var response = ProtobufWriter()
            response.write(1, try Self.signature(of: nonce + covered, by: chain.key, usesSHA256: usesSHA256))
            response.write(2, try CertificateAuthority.der(chain.leaf))
            response.write(3, try CertificateAuthority.der(chain.intermediate))
            response.write(4, 1)
            if !nonce.isEmpty { response.write(5, nonce) }
            response.write(6, usesSHA256 ? 1 : 0)
            if let lists = chain.revocationLists { response.write(7, lists) }
            var answer = ProtobufWriter()
            answer.write(2, response.bytes)
            return answer.bytes
        } catch {
            return Self.failure(.internalError)
        }
    }

    private static func signature(of data: [UInt8], by key: _RSA.Signing.PrivateKey, usesSHA256: Bool) throws -> [UInt8] {
        let signature =
            usesSHA256
            ? try key.signature(for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
            : try key.signature(for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5)
        return Array(signature.rawRepresentation)
    }

    // MARK: Keys

    private func chain(for device: DeviceDescription, manner: AuthenticationManner, at now: Date) throws -> Chain {
        let name = LeafName(device: device.id, isStrange: manner == .wrongRoot, isAudioOnly: manner == .audioOnly)
        return try self.keys.withLock { keys in
            let authority = try Self.authority(isStrange: name.isStrange, of: &keys, at: now)
            let key = try keys.deviceKeys[device.id] ?? _RSA.Signing.PrivateKey(keySize: .bits2048)
            keys.deviceKeys[device.id] = key
            let leaf =
                try keys.leaves[name]
                ?? authority.certificate(for: device, key: key.publicKey, audioOnly: name.isAudioOnly, at: now)
            keys.leaves[name] = leaf
            let intermediate = manner == .expired ? authority.expiredIntermediate : authority.intermediate
            var chain = Chain(key: key, leaf: leaf, intermediate: intermediate)
            if manner.hasRevocationList {
                let lists = try keys.lists ?? RevocationLists(authority: authority, at: now)
                keys.lists = lists
                chain.revocationLists = try lists.bundle(manner, leaf: leaf, intermediate: intermediate, at: now)
            }
            return chain
        }
    }

    private static func authority(isStrange: Bool, of keys: inout Keys, at now: Date) throws -> CertificateAuthority {
        if let known = isStrange ? keys.stranger : keys.authority { return known }
        let made = try CertificateAuthority(name: isStrange ? "Strange" : "Simulated Cast", at: now)
        if isStrange { keys.stranger = made } else { keys.authority = made }
        return made
    }

    // MARK: Errors

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
}
