/// Reads the beginning of an HLS playlist (RFC 8216).
package enum HLSPlaylist {
    package static func read(_ bytes: [UInt8]) -> ManifestContent {
        var content = ManifestContent()
        var isVariant = false
        for line in MediaBytes(bytes: bytes).text.split(whereSeparator: \.isNewline) {
            let line = String(line).trimmingSpace
            if line.isEmpty { continue }
            guard line.first == "#" else {
                // A segment, or the playlist of the previous variant. Later segments add no information.
                content.isEmpty = false
                content.add(String(line))
                if isVariant { isVariant = false } else { break }
                continue
            }
            guard let colon = line.firstIndex(of: ":") else { continue }
            let rest = line[line.index(after: colon)...]
            switch line[..<colon] {
            case "#EXT-X-STREAM-INF":
                isVariant = true
                if let codecs = self.attributes(rest)["CODECS"] { content.add(variant: ManifestContent.codecs(codecs)) }
            case "#EXT-X-MEDIA": if let item = self.attributes(rest)["URI"] { content.add(item) }
            case "#EXT-X-MAP": if let item = self.attributes(rest)["URI"] { content.add(item) }
            case "#EXT-X-KEY", "#EXT-X-SESSION-KEY":
                let key = self.attributes(rest)
                switch key["METHOD"] {
                case nil, "NONE": break
                case "AES-128" where key["KEYFORMAT"].map { $0 == "identity" } ?? true:
                    content.hasEncryptedSegments = true
                    if let item = key["URI"] { content.add(item) }
                default: content.isProtected = true
                }
            default: break
            }
        }
        return content
    }

    /// Parses an attribute list (RFC 8216 section 4.2): `NAME=value` or `NAME="value"`, separated by commas.
    private static func attributes(_ list: Substring) -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = list
        while let equals = rest.firstIndex(of: "="), attributes.count < 64 {
            let name = String(rest[..<equals]).trimmingSpace
            rest = rest[rest.index(after: equals)...]
            if rest.first == "\"" {
                rest.removeFirst()
                attributes[String(name)] = String(rest.prefix { $0 != "\"" })
                rest = rest.drop { $0 != "\"" }
            } else {
                attributes[String(name)] = String(rest.prefix { $0 != "," })
            }
            rest = rest.drop { $0 != "," }.dropFirst()
        }
        return attributes
    }
}
