import CastModels

/// What a device's proof is worth.
public struct DeviceAuthenticationResult: Sendable, Hashable {
    /// How far the proof goes.
    public enum Verdict: Sendable, Hashable {
        /// A chain leads to a trust anchor, and the device's key signed the TLS link's certificate.
        case authentic
        /// As authentic, but for a certificate of the chain that is out of date: Google let whole generations of devices expire.
        case expiredChain
        /// The signature is right; without trust anchors nobody can tell whose it is. See `keyContinuity`.
        case unverified
        /// `code` and `detail` say which check failed.
        case failed(CastError)
    }

    /// What became of the random bytes that we sent.
    public enum Nonce: Sendable, Hashable {
        case echoed
        /// Old devices return none; the proof could then be a recorded one for the same TLS certificate.
        case missing
    }

    /// What the chain certifies.
    public enum Policy: Sendable, Hashable { case unrestricted, audioOnly }

    /// What the device's revocation list says about the chain.
    public enum Revocation: Sendable, Hashable {
        case notRevoked
        /// The device sent no list, so a revoked chain can't be recognised. openscreen's senders accept that, too.
        case listMissing
    }

    /// How the device's key compares with the one remembered.
    public enum KeyContinuity: Sendable, Hashable {
        case firstSeen, unchanged
        /// Another key answered before: a factory reset, a repair, or another device.
        case changed(former: String)
    }

    public var verdict: Verdict
    /// `nil` when it failed before that was known.
    public var nonce: Nonce?
    public var policy: Policy?
    /// `nil` without trust anchors for such lists, and when the proof failed before.
    public var revocation: Revocation?
    /// SHA-256 of the device's public key (SubjectPublicKeyInfo), hexadecimal, lower case.
    public var keyFingerprint: String?
    /// `nil` when the proof failed, and as long as the device's id is not known.
    public var keyContinuity: KeyContinuity?

    init(_ verdict: Verdict) { self.verdict = verdict }

    /// Whether `require` is content: authentic, also with an expired chain; without trust anchors the key of before, or a first
    /// one, of a device whose id is known. A device with a first key that never says over the link who it is, is refused all the same.
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

    var isFailure: Bool { if case .failed = self.verdict { true } else { false } }
}
