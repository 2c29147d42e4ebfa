import CastModels
import CastProtocol
import FoundationEssentials
import X509

/// Checks a chain against the revocation list that the device sent. Does no I/O; the time is an argument.
enum RevocationCheck {
    /// Checks `chain` against the list.
    /// - Parameters:
    ///   - bundle: a serialized `CrlBundle`.
    ///   - chain: the leaf first, the anchor last.
    ///   - anchors: the issuers of certificates that may sign lists.
    ///   - now: seconds since 1970.
    /// - Throws: `crlInvalid` when no such certificate signed the list or it is not valid now, `crlCheckFailed` when it revokes a
    ///   certificate or key.
    static func check(bundle: [UInt8], chain: [Certificate], anchors: [Certificate], now: Int64) throws(CastError) {
        guard let list = try RevocationList.bundle(bundle).first(where: { $0.version == 0 }) else {
            throw CastError(.crlInvalid, detail: "there is no list of a version that we know")
        }
        try Self.verify(list, anchors, now)
        let hashes = chain.map(\.keyHash)
        guard !hashes.contains(where: list.revokedKeyHashes.contains) else {
            throw CastError(.crlCheckFailed, detail: "a key of the chain was revoked")
        }
        for range in list.revokedSerialNumbers {
            for index in hashes.indices.dropFirst() where hashes[index] == range.issuerKeyHash {
                guard let number = chain[index - 1].serialNumber.number, (range.first...range.last).contains(number) else { continue }
                throw CastError(.crlCheckFailed, detail: "a certificate's serial number was revoked")
            }
        }
    }

    private static func verify(_ list: RevocationList, _ anchors: [Certificate], _ now: Int64) throws(CastError) {
        guard let signer = try? Certificate(derEncoded: list.signerCertificate) else {
            throw CastError(.crlInvalid, detail: "the list's signer is no certificate")
        }
        // The signer's certificate must be issued directly by an anchor.
        guard let chain = try? CertificateChain(leaf: signer, intermediates: [], anchors: anchors, now: now), !chain.isExpired else {
            throw CastError(.crlInvalid, detail: "the list's signer is not trusted")
        }
        guard signer.publicKey.isValidSignature(list.signature, for: list.signedBytes, signatureAlgorithm: .sha256WithRSAEncryption) else {
            throw CastError(.crlInvalid, detail: "the list's signature is wrong")
        }
        guard Int64(clamping: list.notBefore) <= now, now <= Int64(clamping: list.notAfter) else {
            throw CastError(.crlInvalid, detail: "the list is out of date")
        }
        guard list.revokedSerialNumbers.allSatisfy({ $0.first <= $0.last }) else {
            throw CastError(.crlInvalid, detail: "a range of serial numbers ends before it begins")
        }
    }
}

extension Certificate.SerialNumber {
    /// The serial number; `nil` when it does not fit 64 bits.
    fileprivate var number: UInt64? {
        let digits = self.bytes.drop { $0 == 0 }
        guard digits.count <= 8 else { return nil }
        return digits.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
