import BridgeCore

/// The path of an offer: `/m/<token>/<name>`. The token has 128 random bits, so that only a client that was given the path can know it.
package struct OfferPath: Sendable, Hashable, CustomStringConvertible {
    let token: String
    let name: String

    init(token: String, name: String) { (self.token, self.name) = (token, name) }

    package var description: String { "/m/\(self.token)/\(self.name)" }

    static func randomToken() -> String { HexadecimalText.of((0..<16).map { _ in UInt8.random(in: 0...255) }) }

    static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Returns a name without what URLs, receivers or people could misread; the extension stays.
    static func harmless(_ name: String) -> String {
        let allowed = name.unicodeScalars.map { Character($0) }.map { character in
            character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character)) ? character : "_"
        }
        let text = String(allowed.suffix(80)).drop { $0 == "." }
        return text.isEmpty ? "media" : String(text)
    }

    /// The parts of a requested path, decoded once: the token, and the names behind it.
    /// - Returns: `nil` for anything that is no path of an offer.
    static func parse(_ target: String) -> (token: String, names: [String])? {
        let parts = target.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
        guard target.utf8.count <= MediaPath.maximumBytes * 3, parts.count >= 4, parts[0].isEmpty, parts[1] == "m",
            self.isToken(parts[2])
        else { return nil }
        let names = parts[3...].compactMap(self.decoded).filter(MediaPath.isName)
        return names.count == parts.count - 3 ? (String(parts[2]), names) : nil
    }

    private static func decoded(_ text: Substring) -> String? {
        let (bytes, isWhole) = text.percentDecodedBytes()
        return isWhole ? String(validating: bytes, as: UTF8.self) : nil
    }
}
