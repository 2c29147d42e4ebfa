import CastModels
import Crypto
import CryptoExtras
import FoundationEssentials
import SwiftASN1
import X509

/// The chain from a device's certificate to a trust anchor, by the rules for Cast devices (openscreen `boringssl_trust_store.cc`,
/// `cast_cert_validator.cc`). Does no I/O; the time is an argument.
struct CertificateChain {
    /// The reason why there is no chain.
    enum Failure: Error, Equatable {
        /// The first certificate itself violates the rules.
        case malformedLeaf(String)
        case notTrusted(String)
    }

    /// The longest chain, the anchor included.
    private static let maximumLength = 6
    /// The largest number of certificates that are tried, because issuers may share a name.
    private static let maximumSteps = 64

    /// The certificates, each followed by its issuer; the anchor comes last.
    let certificates: [Certificate]
    /// Whether a certificate other than the anchor has expired.
    let isExpired: Bool

    /// Searches for a chain.
    /// - Parameters:
    ///   - leaf: the certificate that the chain starts with.
    ///   - intermediates: in any order; unused ones are ignored.
    ///   - anchors: trusted whatever their dates.
    ///   - now: seconds since 1970.
    init(leaf: Certificate, intermediates: [Certificate], anchors: [Certificate], now: Int64) throws(Failure) {
        try Self.checkLeaf(leaf)
        var steps = 0
        var refusal = "no issuer of it is known"
        guard let chain = Self.extend([leaf], intermediates, anchors, now, &steps, &refusal) else { throw .notTrusted(refusal) }
        self.certificates = chain
        self.isExpired = chain.dropLast().contains { !$0.isValid(at: now) }
    }

    private static func checkLeaf(_ leaf: Certificate) throws(Failure) {
        guard let key = _RSA.Signing.PublicKey(leaf.publicKey), key.keySizeInBits >= 2048 else {
            throw .malformedLeaf("its key is not RSA of 2048 bits or more")
        }
        guard let usage = try? leaf.extensions.keyUsage, usage.digitalSignature else {
            throw .malformedLeaf("its key may not be used for signatures")
        }
    }

    /// Searches depth first; `chain` is valid up to its last certificate.
    private static func extend(
        _ chain: [Certificate], _ intermediates: [Certificate], _ anchors: [Certificate], _ now: Int64, _ steps: inout Int,
        _ refusal: inout String
    ) -> [Certificate]? {
        guard let last = chain.last, chain.count < Self.maximumLength else { return nil }
        // Some callers accept an expired certificate, but none accepts one that is not valid yet.
        guard !last.isFuture(at: now) else {
            refusal = "a certificate is not valid yet"
            return nil
        }
        for (candidates, isAnchor) in [(anchors, true), (intermediates, false)] {
            for candidate in candidates where candidate.subject == last.issuer && !chain.contains(candidate) {
                steps += 1
                guard steps <= Self.maximumSteps else { return nil }
                if let reason = Self.refusal(of: candidate, issuing: chain) {
                    refusal = reason
                    continue
                }
                if isAnchor { return chain + [candidate] }
                if let whole = Self.extend(chain + [candidate], intermediates, anchors, now, &steps, &refusal) { return whole }
            }
        }
        return nil
    }

    /// Returns why `issuer` cannot have issued the last certificate of `chain`; `nil` when it can.
    private static func refusal(of issuer: Certificate, issuing chain: [Certificate]) -> String? {
        guard let last = chain.last, let key = _RSA.Signing.PublicKey(issuer.publicKey), key.keySizeInBits >= 2048 else {
            return "an issuer's key is not RSA of 2048 bits or more"
        }
        guard Self.signatureAlgorithms.contains(last.signatureAlgorithm), issuer.publicKey.isValidSignature(last.signature, for: last)
        else {
            return "a certificate's signature is not its issuer's"
        }
        guard let constraints = try? issuer.extensions.basicConstraints, case .isCertificateAuthority(let pathLength) = constraints else {
            return "an issuer is no certificate authority"
        }
        // The path length counts certificates between the issuer and the leaf that are not self-issued.
        let between = chain.dropFirst().count { $0.subject != $0.issuer }
        if let pathLength, between > pathLength { return "the chain is longer than an issuer allows" }
        do {
            if let usage = try issuer.extensions.keyUsage, !usage.keyCertSign { return "an issuer may not sign certificates" }
        } catch {
            return "what an issuer's key may be used for can't be read"
        }
        return CertificateRules.refusal(ofExtensionsOf: issuer, for: chain)
    }

    private static let signatureAlgorithms: Set<Certificate.SignatureAlgorithm> = [
        .sha1WithRSAEncryption, .sha256WithRSAEncryption, .sha384WithRSAEncryption, .sha512WithRSAEncryption,
    ]
}

extension Certificate {
    /// - Parameter now: seconds since 1970.
    func isValid(at now: Int64) -> Bool {
        let now = Date(timeIntervalSince1970: Double(now))
        return self.notValidBefore <= now && now <= self.notValidAfter
    }

    /// - Parameter now: seconds since 1970.
    func isFuture(at now: Int64) -> Bool { Date(timeIntervalSince1970: Double(now)) < self.notValidBefore }

    /// SHA-256 of the public key (SubjectPublicKeyInfo).
    var keyHash: [UInt8] {
        var serializer = DER.Serializer()
        // Serializing a parsed key cannot fail; empty bytes would match no key.
        try? serializer.serialize(self.publicKey)
        return Array(SHA256.hash(data: serializer.serializedBytes))
    }
}
