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
    /// As `genuine`, with a revocation list that names keys and serial numbers of others.
    case revocationList = "revocation-list"
    /// As `genuine`, with a revocation list that names the intermediate's key.
    case revokedKey = "revoked-key"
    /// As `genuine`, with a revocation list that names the serial number of the device's certificate.
    case revokedSerialNumber = "revoked-serial-number"
    /// As `genuine`, with a revocation list that held until yesterday.
    case staleRevocationList = "stale-revocation-list"
    /// As `genuine`, with a revocation list that was changed after it was signed.
    case forgedRevocationList = "forged-revocation-list"
    /// An `AuthError`.
    case error
    /// No answer at all.
    case silent
}
