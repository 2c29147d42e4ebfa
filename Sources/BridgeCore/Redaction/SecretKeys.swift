/// The names of query parameters whose values are secrets. Case, `-` and `_` in a name are ignored.
///
/// A set of digests, because names are compared while documents are written: each name is read once, without a copy.
public struct SecretKeys: Sendable, Hashable {
    /// The default names, as listed in `docs/CONFIGURATION.md`. The configuration can add names, or switch redaction off.
    public static let standard = [
        // Media servers: Plex, Jellyfin and Emby, Synology, Home Assistant.
        "X-Plex-Token", "X-Emby-Token", "X-MediaBrowser-Token", "api_key", "SynoToken", "_sid", "authSig",
        // Tokens and passwords by their usual names.
        "token", "access_token", "auth_token", "id_token", "refresh_token", "session_token", "security_token", "oauth_token", "jwt",
        "bearer",
        "auth", "authorization", "access_key", "secret", "client_secret", "password", "passwd", "pwd", "sid", "session_id", "jsessionid",
        "phpsessid",
        // Signed addresses: Amazon, CloudFront, Google, Azure, Akamai.
        "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "X-Goog-Signature", "X-Goog-Credential", "signature", "sig", "lsig",
        "hmac", "hdnts", "hdnea", "oauth_signature",
    ]

    /// The longest name, in bytes without `-` and `_`.
    public static let maximumLength = 63

    private var digests: Set<UInt64> = []
    /// Bit n is set when a name has n characters.
    private var lengths: UInt64 = 0

    public init(_ names: [String]) {
        for name in names {
            var digest = Digest()
            for byte in name.utf8 { digest.add(byte) }
            guard (1...Self.maximumLength).contains(digest.count) else { continue }
            self.digests.insert(digest.value)
            self.lengths |= 1 << digest.count
        }
    }

    func contains(_ digest: Digest) -> Bool {
        digest.count <= Self.maximumLength && self.lengths & 1 << digest.count != 0 && self.digests.contains(digest.value)
    }

    /// The FNV-1a digest of a name while it is read, without case, `-` and `_`.
    struct Digest {
        private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325
        private(set) var count = 0

        mutating func add(_ byte: UInt8) {
            guard byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") else { return }
            let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            self.value = (self.value ^ UInt64(lower)) &* 0x100_0000_01B3
            self.count += 1
        }
    }
}
