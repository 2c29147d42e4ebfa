/// The result of a device's proof.
public struct DeviceAuthenticationResult: Sendable, Hashable {
    /// The outcome of the proof.
    public enum Verdict: Sendable, Hashable {
        /// The chain leads to a trust anchor, and the device's key signed the certificate of the TLS link.
        case authentic
        /// As `authentic`, except that a certificate of the chain has expired. The certificates of whole generations of devices have
        /// expired.
        case expiredChain
        /// The signature is correct, but without trust anchors its origin is unknown. See `keyContinuity`.
        case unverified
        /// A check failed; `code` and `detail` name it.
        case failed(CastError)
    }

    /// The check of the random bytes that we sent.
    public enum Nonce: Sendable, Hashable {
        case echoed
        /// Old devices return no nonce; the proof could then be a recorded one for the same TLS certificate.
        case missing
    }

    /// The policy that the chain certifies.
    public enum Policy: Sendable, Hashable { case unrestricted, audioOnly }

    /// The check of the chain against the device's revocation list.
    public enum Revocation: Sendable, Hashable {
        case notRevoked
        /// The device sent no list, so a revoked chain cannot be detected. openscreen's senders accept that, too.
        case listMissing
    }

    /// The comparison of the device's key with the remembered one.
    public enum KeyContinuity: Sendable, Hashable {
        case firstSeen, unchanged
        /// The device answered with another key earlier: after a factory reset, a repair, or it is another device.
        case changed(former: String)
    }

    public var verdict: Verdict
    /// `nil` when the proof failed before the nonce was checked.
    public var nonce: Nonce?
    public var policy: Policy?
    /// `nil` without trust anchors for such lists, and when the proof failed earlier.
    public var revocation: Revocation?
    /// SHA-256 of the device's public key (SubjectPublicKeyInfo), hexadecimal, lower case.
    public var keyFingerprint: String?
    /// `nil` when the proof failed, and while the device's id is unknown.
    public var keyContinuity: KeyContinuity?

    package init(_ verdict: Verdict) { self.verdict = verdict }

    /// Whether the mode `require` accepts the result: authentic, also with an expired chain. Without trust anchors it accepts the
    /// remembered key, or the first key of a device whose id is known. It refuses a device with a first key that never reports its id over
    /// the link.
    public var isAcceptable: Bool {
        switch self.verdict {
        case .authentic, .expiredChain: true
        case .unverified:
            switch self.keyContinuity {
            case .firstSeen, .unchanged: true
            case .changed, nil: false
            }
        case .failed: false
        }
    }

    package var isFailure: Bool { if case .failed = self.verdict { true } else { false } }
}
