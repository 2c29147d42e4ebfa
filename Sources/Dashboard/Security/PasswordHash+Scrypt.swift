import BridgeCore
import Crypto
import CryptoExtras

extension PasswordHash {
    /// Hashes a password with a random salt. Takes the memory and the time of `cost`.
    /// - Throws: when there is not enough memory.
    package static func make(_ password: String, cost: Cost = .standard) throws -> PasswordHash {
        let salt = SymmetricKey(size: .bits128).withUnsafeBytes { Array($0) }
        return PasswordHash(cost: cost, salt: salt, key: try Self.key(password, salt: salt, cost: cost))
    }

    /// Returns whether this is the hash of `password`. Takes the memory and the time of `cost`, whatever the result.
    /// - Throws: when there is not enough memory.
    package func matches(_ password: String) throws -> Bool {
        ConstantTime.isEqual(try Self.key(password, salt: self.salt, cost: self.cost), self.key)
    }

    private static func key(_ password: String, salt: [UInt8], cost: Cost) throws -> [UInt8] {
        let key = try KDF.Scrypt.deriveKey(
            from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: cost.rounds, blockSize: cost.blockSize,
            parallelism: cost.parallelism)
        return key.withUnsafeBytes { Array($0) }
    }
}
