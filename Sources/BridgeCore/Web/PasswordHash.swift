/// A password as the configuration has it: the result of scrypt (RFC 7914) with its parameters, `scrypt:16384:8:5:<salt>:<key>` with salt and
/// key as hexadecimal digits. `cast2mqtt hash-password` makes it.
public struct PasswordHash: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// N, r and p of scrypt. One computation takes `128 · N · r` bytes of memory while it runs.
    public struct Cost: Sendable, Hashable {
        public let rounds: Int
        public let blockSize: Int
        public let parallelism: Int

        /// - Returns: `nil` outside the bounds: N a power of two from 2^14, r from 1, p from 1; at most 128 MiB, and no more time than four times that of
        ///   N 2^17, r 8, p 1.
        public init?(rounds: Int, blockSize: Int, parallelism: Int) {
            guard (1 << 14...1 << 20).contains(rounds), rounds & (rounds - 1) == 0, (1...32).contains(blockSize),
                (1...32).contains(parallelism), 128 * rounds * blockSize <= 128 << 20,
                rounds * blockSize * parallelism <= 4 << 20
            else { return nil }
            (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
        }

        private init(_ rounds: Int, _ blockSize: Int, _ parallelism: Int) {
            (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
        }

        /// 16 MiB. OWASP lists it as strong as N 2^17, r 8, p 1 with 128 MiB, which would end a bridge in a small container.
        public static let standard = Cost(1 << 14, 8, 5)
    }

    /// How many bytes a password has that browsers may send.
    public static let lengths = 8...1024

    public let cost: Cost
    public let salt: [UInt8]
    public let key: [UInt8]

    public init(cost: Cost, salt: [UInt8], key: [UInt8]) { (self.cost, self.salt, self.key) = (cost, salt, key) }

    /// - Returns: `nil` for anything but the form above with a salt of 16 to 64 bytes and a key of 32.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt" else { return nil }
        let numbers = parts[1...3].compactMap { part in
            part.utf8.count <= 7 && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard numbers.count == 3, let cost = Cost(rounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2]),
            let salt = HexadecimalText.bytes(parts[4]), (16...64).contains(salt.count),
            let key = HexadecimalText.bytes(parts[5]), key.count == 32
        else { return nil }
        self.init(cost: cost, salt: salt, key: key)
    }

    /// The text for the configuration. Not `description`, so that no log line contains it.
    public var text: String {
        "scrypt:\(self.cost.rounds):\(self.cost.blockSize):\(self.cost.parallelism):\(HexadecimalText.of(self.salt)):\(HexadecimalText.of(self.key))"
    }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A token for the API: its name for people, its role, and the SHA-256 of its text. `cast2mqtt make-token` makes it.
public struct AccessToken: Sendable, Hashable {
    public let name: String
    public let role: WebRole
    /// 32 bytes.
    public let digest: [UInt8]

    /// - Returns: `nil` for a digest of another length.
    public init?(name: String, role: WebRole, digest: [UInt8]) {
        guard digest.count == 32 else { return nil }
        (self.name, self.role, self.digest) = (name, role, digest)
    }
}

/// Bytes as pairs of hexadecimal digits.
public enum HexadecimalText {
    /// - Returns: `nil` for an odd number of digits or anything else; empty for an empty text.
    public static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// In lower case.
    public static func of(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
