/// How a device answers an authentication challenge: correctly, or with one fault.
public enum AuthenticationManner: String, Sendable, Hashable, CaseIterable {
    /// A complete answer whose chain ends in the simulator's root.
    case genuine
    /// Like `genuine`, with a certificate that covers audio devices only.
    case audioOnly = "audio-only"
    /// Like `genuine`, but without the nonce, which the signature then does not cover. Old devices answer like this.
    case noNonce = "no-nonce"
    /// The intermediate certificate expired yesterday.
    case expired
    /// The chain ends in a root that no file contains.
    case wrongRoot = "wrong-root"
    /// Nonce and signature belong to another challenge.
    case wrongNonce = "wrong-nonce"
    /// The signature covers a TLS certificate other than that of the connection.
    case otherCertificate = "other-certificate"
    /// Like `genuine`, with a revocation list that names unrelated keys and serial numbers.
    case revocationList = "revocation-list"
    /// Like `genuine`, with a revocation list that names the intermediate's key.
    case revokedKey = "revoked-key"
    /// Like `genuine`, with a revocation list that names the serial number of the device's certificate.
    case revokedSerialNumber = "revoked-serial-number"
    /// Like `genuine`, with a revocation list that expired yesterday.
    case staleRevocationList = "stale-revocation-list"
    /// Like `genuine`, with a revocation list that was changed after it was signed.
    case forgedRevocationList = "forged-revocation-list"
    /// The device answers with an `AuthError`.
    case error
    /// The device does not answer.
    case silent

    /// Whether the device passes on a revocation list.
    var hasRevocationList: Bool {
        [.revocationList, .revokedKey, .revokedSerialNumber, .staleRevocationList, .forgedRevocationList].contains(self)
    }
}
