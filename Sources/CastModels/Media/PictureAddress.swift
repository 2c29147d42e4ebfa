/// Reads the addresses of pictures like the browser that a receiver is (URL standard of the WHATWG, special schemes): blanks around it are
/// ignored, a missing scheme is that of receiver pages, and characters that no address may contain are encoded.
package enum PictureAddress {
    /// Returns the complete address, or `text` itself if it is no http or https address. A relative one is not completed: it depends on the
    /// page of the receiver, which senders don't know.
    package static func resolved(_ text: String) -> String {
        var text = text
        if text.withUTF8(Self.isComplete) { return text }
        let bytes = text.utf8.drop { $0 <= 0x20 }.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
        guard let end = bytes.lastIndex(where: { $0 > 0x20 }), let (scheme, start) = Self.scheme(of: bytes), start <= end else {
            return text
        }
        let rest = bytes[start...end].drop(while: Self.isSlash)
        let host = rest.prefix { !Self.isSlash($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard !host.isEmpty, host.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return text }
        var address = Array("\(scheme)://".utf8) + host
        var part = Part.path
        for byte in rest[host.endIndex...] {
            switch (part, byte) {
            case (.path, UInt8(ascii: "\\")): address.append(UInt8(ascii: "/"))
            case (.path, UInt8(ascii: "?")):
                part = .query
                address.append(byte)
            case (.path, UInt8(ascii: "#")), (.query, UInt8(ascii: "#")):
                part = .fragment
                address.append(byte)
            default: if part.isEncoded(byte) { address += Self.escape(byte) } else { address.append(byte) }
            }
        }
        return String(decoding: address, as: UTF8.self)
    }

    /// Whether it is a complete address that no part needs to be encoded of.
    private static func isComplete(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        func begins(with scheme: StaticString) -> Bool {
            let scheme = UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount)
            return text.count >= scheme.count && scheme.indices.allSatisfy { text[$0] == scheme[$0] }
        }
        let plain = Self.plainBytes
        return (begins(with: "https://") || begins(with: "http://")) && text.allSatisfy { plain[Int($0)] }
    }

    private enum Part {
        case path, query, fragment

        func isEncoded(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...0x20, 0x7F...0xFF, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
            case UInt8(ascii: "`"): self != .query
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"): self == .path
            case UInt8(ascii: "'"): self == .query
            default: false
            }
        }
    }

    /// Returns the scheme and where the rest begins; `nil` for a relative address and for another scheme.
    private static func scheme(of bytes: [UInt8]) -> (String, Int)? {
        for scheme in ["https", "http"] {
            let name = "\(scheme):".utf8
            if bytes.count > name.count, zip(name, bytes).allSatisfy({ $0 == $1 || $0 == $1 | 0x20 }) { return (scheme, name.count) }
        }
        return bytes.count > 2 && bytes.prefix(2).allSatisfy(Self.isSlash) ? ("https", 0) : nil
    }

    private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

    /// Whether no part of an address encodes or changes a byte. A table, because each byte of each address is looked up.
    private static let plainBytes = (UInt8.min...UInt8.max).map(Self.isPlain)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"), UInt8(ascii: "'"): false
        default: !Part.fragment.isEncoded(byte)
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}

extension MediaMetadata {
    /// The pictures that the medium lists; if it lists none, its poster.
    package var offeredImages: [MediaImage] {
        guard self.images.isEmpty else { return self.images }
        return self[.posterURL].map { [MediaImage(url: PictureAddress.resolved($0))] } ?? []
    }
}
