/// A text that is searched for web addresses. It decodes characters: `%3D` is read as `=`, and so is `%253D`.
struct AddressText {
    let bytes: UnsafeRawBufferPointer

    /// The largest number of bytes before a `=` that are read as a name: a long one, escaped twice.
    private static let nameReach = 192
    /// The largest number of bytes before an `@` that are read as a user and a password.
    private static let userReach = 512

    /// A character, the position of the next one, and how often it is escaped.
    struct Character {
        var value: UInt8
        var end: Int
        var level: Int
    }

    /// Returns the character at a position.
    func character(at index: Int) -> Character {
        var (end, level) = (index + 1, 0)
        guard self.bytes[index] == UInt8(ascii: "%") else { return Character(value: self.bytes[index], end: end, level: 0) }
        while end + 1 < self.bytes.count, let high = Self.hexadecimal(self.bytes[end]), let low = Self.hexadecimal(self.bytes[end + 1]) {
            (end, level) = (end + 2, level + 1)
            let value = high << 4 | low
            // An escaped percent sign may begin another escape.
            if value != UInt8(ascii: "%") { return Character(value: value, end: end, level: level) }
        }
        return Character(value: UInt8(ascii: "%"), end: end, level: level)
    }

    /// Returns whether a parameter name of `keys` ends at a position.
    func endsName(of keys: SecretKeys, at end: Int) -> Bool {
        var start = end
        let limit = max(0, end - Self.nameReach)
        while start > limit, Self.isOfName(self.bytes[start - 1]) { start -= 1 }
        var name = start > 0 && Self.isSeparator(self.bytes[start - 1]) ? SecretKeys.Digest() : nil
        var index = start
        while index < end {
            // Unescaped bytes of a name are no separators.
            if self.bytes[index] != UInt8(ascii: "%") {
                name?.add(self.bytes[index])
                index += 1
                continue
            }
            let character = self.character(at: index)
            if Self.isSeparator(character.value) {
                name = SecretKeys.Digest()
            } else if character.value == UInt8(ascii: "=") {
                name = nil
            } else {
                name?.add(character.value)
            }
            index = character.end
        }
        return name.map { keys.contains($0) } ?? false
    }

    /// Returns the end of the value that begins at a position.
    /// - Parameter level: how often the preceding `=` is escaped; the separator after the value is not escaped more often.
    func endOfValue(from start: Int, level: Int) -> Int {
        var index = start
        while index < self.bytes.count, !Self.endsAddress(self.bytes[index]) {
            let character = self.character(at: index)
            if character.level <= level {
                if character.value == UInt8(ascii: "&") || character.value == UInt8(ascii: "#") { break }
                // A semicolon separates parameters only where another one follows.
                if character.value == UInt8(ascii: ";"), self.beginsParameter(at: character.end) { break }
            }
            index = character.end
        }
        return min(index, self.bytes.count)
    }

    private func beginsParameter(at start: Int) -> Bool {
        var index = start
        let limit = min(self.bytes.count, start + Self.nameReach)
        while index < limit, Self.isOfName(self.bytes[index]) {
            let character = self.character(at: index)
            if character.value == UInt8(ascii: "=") { break }
            index = character.end
        }
        guard index > start, index < self.bytes.count else { return false }
        return self.character(at: index).value == UInt8(ascii: "=")
    }

    /// Returns whether no character in the range ends an address.
    func isOneAddress(_ range: Range<Int>) -> Bool { !self.bytes[range].contains(where: Self.endsAddress) }

    /// Returns the range of the password in `//user:password` before an `@`; `nil` if there is none.
    func password(before end: Int) -> Range<Int>? {
        var start = end
        let limit = max(0, end - Self.userReach)
        while start > limit, !Self.endsAddress(self.bytes[start - 1]) { start -= 1 }
        var slashes = 0
        var isAuthority = false
        var password: Int?
        var index = start
        while index < end {
            let character = self.character(at: index)
            switch character.value {
            case UInt8(ascii: "/"):
                slashes += 1
                (isAuthority, password) = (slashes == 2, nil)
            case UInt8(ascii: "?"), UInt8(ascii: "#"): (slashes, isAuthority, password) = (0, false, nil)
            case UInt8(ascii: ":") where isAuthority && password == nil: password = character.end
            default: slashes = 0
            }
            index = character.end
        }
        return password.flatMap { $0 < end ? $0..<end : nil }
    }

    // MARK: Characters

    /// Returns whether a parameter can begin after this character.
    private static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"): true
        default: false
        }
    }

    /// Returns whether a name may contain this byte, plain or as part of an escape.
    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "$"), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// Returns whether this byte ends an address. In JSON texts these are the quotation mark and the backslash before an escaped character.
    private static func endsAddress(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
