import CastModels

/// The topic level that represents a device: 1 or more characters of `[a-z0-9-]`, chosen once and then kept.
package enum Slug {
    /// The longest slug made from a name, in bytes, before a suffix is appended to make it unique.
    package static let maximumBytes = 48
    /// Levels with another meaning at the position of the device.
    package static let reserved: Set<String> = ["bridge", "all", "client", "id", "group"]

    /// Returns the slug for a device called `name`, before it is made unique: letters are folded to lower-case ASCII, and every run of
    /// other characters becomes one hyphen. Names without a usable letter or digit give `cast-` and the first 8 digits of the id.
    package static func make(name: String, id: Device.ID) -> String {
        var bytes: [UInt8] = []
        for scalar in name.unicodeScalars {
            if scalar.isASCII {
                Self.append(UInt8(scalar.value), to: &bytes)
            } else if let folded = LetterFolding.folded(scalar) {
                for byte in folded.utf8 { Self.append(byte, to: &bytes) }
            } else if !Self.isMark(scalar) {
                Self.append(UInt8(ascii: "-"), to: &bytes)
            }
        }
        let cut = bytes.prefix(Self.maximumBytes)
        let slug = String(decoding: cut.last == UInt8(ascii: "-") ? cut.dropLast() : cut, as: UTF8.self)
        if slug.isEmpty { return "cast-\(id.prefix(8))" }
        return Self.reserved.contains(slug) ? slug + "-cast" : slug
    }

    /// Appends a letter or digit of a slug, or a hyphen unless the last byte is one.
    private static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): bytes.append(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
        default: if let last = bytes.last, last != UInt8(ascii: "-") { bytes.append(UInt8(ascii: "-")) }
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: true
        default: false
        }
    }

    /// Returns whether `text` is a valid slug, which every topic can contain.
    package static func isValid(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && !Self.reserved.contains(text)
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
