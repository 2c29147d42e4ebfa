import BridgeCore
import Crypto

/// Comparisons and values that reveal nothing to an attacker.
enum ConstantTime {
    /// Returns whether both are equal. The duration depends on their lengths alone.
    static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for (a, b) in zip(left, right) { difference |= a ^ b }
        return difference == 0
    }
}

/// Creates random texts and their digests.
package enum RandomText {
    /// Returns 256 random bits from the system as 64 hexadecimal digits.
    package static func make() -> String { HexadecimalText.of(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }) }

    package static func digest(_ text: some StringProtocol) -> [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }
}
