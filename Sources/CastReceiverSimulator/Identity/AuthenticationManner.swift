/// How a device answers an authentication challenge: rightly, or wrong in one way.
public enum AuthenticationManner: String, Sendable, Hashable, CaseIterable {
    /// A complete answer whose chain ends in the simulator's root.
    case genuine
    /// As `genuine`, with the device's certificate for audio devices only.
    case audioOnly = "audio-only"
    /// As `genuine`, without the nonce, which the signature does not cover then; so do old devices.
    case noNonce = "no-nonce"
    /// The intermediate certificate ended yesterday.
    case expired
    /// The chain ends in a root that is in no file.
    case wrongRoot = "wrong-root"
    /// Nonce and signature belong to another challenge.
    case wrongNonce = "wrong-nonce"
    /// The signature covers another TLS certificate than that of the connection.
    case otherCertificate = "other-certificate"
    /// An `AuthError`.
    case error
    /// No answer at all.
    case silent
}
