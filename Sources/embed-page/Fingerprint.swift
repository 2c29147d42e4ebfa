/// A 64-bit hash of bytes (FNV-1a, draft-eastlake-fnv section 2). It distinguishes versions of the page; a collision has no security
/// effect.
struct Fingerprint {
    private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { self.hash = (self.hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    /// The hash as 16 hexadecimal digits.
    var text: String {
        let digits = String(self.hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
