/// Replaces secrets in web addresses by `…`: the values of parameters that `SecretKeys` names, and the password in `user:password@`.
///
/// It works on any text, including a whole JSON document, and finds addresses that are escaped inside a parameter of another address. A
/// text without secrets costs one pass over its bytes and no memory.
public struct SecretRedaction: Sendable, Hashable {
    /// The largest number of `@` without a password that are checked in one address.
    private static let fruitlessLimit = 16

    /// For texts that are shortened, before the configured redaction sees them.
    static let standard = SecretRedaction()

    /// The names of secret parameters; `nil` disables redaction.
    private let keys: SecretKeys?

    /// - Parameters:
    ///   - isEnabled: whether secrets are replaced; `false` leaves every text unchanged.
    ///   - additional: names of parameters in addition to `SecretKeys.standard`.
    public init(isEnabled: Bool = true, additional: [String] = []) {
        self.keys = isEnabled ? SecretKeys(SecretKeys.standard + additional) : nil
    }

    public var isEnabled: Bool { self.keys != nil }

    /// Returns the text with its secrets replaced.
    public func redacted(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return self.redacted(bytes).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns whether the text contains a secret.
    public func finds(in text: String) -> Bool {
        var text = text
        return text.withUTF8 { !self.secrets(in: UnsafeRawBufferPointer($0)).isEmpty }
    }

    public func redacted(_ message: OutgoingMessage) -> OutgoingMessage {
        guard let payload = self.redacted(message.payload) else { return message }
        var message = message
        message.payload = payload
        return message
    }

    /// Returns the text with its secrets replaced; `nil` when it contains none.
    public func redacted(_ text: [UInt8]) -> [UInt8]? { text.withUnsafeBytes { self.redacted($0) } }

    /// Returns the text with its secrets replaced; `nil` when it contains none.
    func redacted(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        let secrets = self.secrets(in: bytes)
        guard !secrets.isEmpty else { return nil }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + 3 * secrets.count)
        var start = 0
        for secret in secrets {
            text += bytes[start..<secret.lowerBound]
            text += "…".utf8
            start = secret.upperBound
        }
        return text + bytes[start...]
    }

    /// Returns `false` when the text certainly contains no secret, after one pass over its bytes.
    func mayFind(in bytes: UnsafeRawBufferPointer) -> Bool { self.keys != nil && AddressMarks.areFound(in: bytes) }

    /// Returns the ranges of the secrets, in order.
    private func secrets(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        guard let keys else { return [] }
        let text = AddressText(bytes: bytes)
        var marks = AddressMarks(bytes)
        var found: [Range<Int>] = []
        var end = 0
        var (lastAt, fruitless): (Int?, Int) = (nil, 0)
        while let mark = marks.next(from: end) {
            let character = text.character(at: mark)
            end = character.end
            switch character.value {
            case UInt8(ascii: "="):
                guard text.endsName(of: keys, at: mark) else { break }
                let secret = character.end..<text.endOfValue(from: character.end, level: character.level)
                if !secret.isEmpty { found.append(secret) }
                end = secret.upperBound
            case UInt8(ascii: "@"):
                // Each check reads the bytes before the mark, so a long run of `@` is given up.
                if lastAt.map({ text.isOneAddress($0..<mark) }) != true { fruitless = 0 }
                lastAt = mark
                guard fruitless < Self.fruitlessLimit else { break }
                guard var password = text.password(before: mark) else {
                    fruitless += 1
                    break
                }
                // A password may contain an `@` or a parameter, or begin in the value of one.
                while let last = found.last, last.upperBound > password.lowerBound {
                    found.removeLast()
                    password = min(last.lowerBound, password.lowerBound)..<max(last.upperBound, password.upperBound)
                }
                found.append(password)
            default: break
            }
        }
        return found
    }
}
