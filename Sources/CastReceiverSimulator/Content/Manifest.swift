/// The content of an adaptive stream's manifest.
enum Manifest: Sendable, Hashable {
    /// Another playlist must be read; its address is relative to this one.
    case variant(String)
    case finite(seconds: Double)
    /// A broadcast that has not ended.
    case live
    /// The text is not a manifest.
    case broken

    /// Reads an HLS playlist (RFC 8216 sections 4.3.3 and 4.3.4).
    static func hls(_ text: String) -> Manifest {
        let lines = text.split(whereSeparator: \.isNewline).map {
            String($0.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        }
        guard lines.first?.hasPrefix("#EXTM3U") ?? false else { return .broken }
        if let stream = lines.firstIndex(where: { $0.hasPrefix("#EXT-X-STREAM-INF") }) {
            guard let variant = lines[stream...].first(where: { !$0.hasPrefix("#") }) else { return .broken }
            return .variant(variant)
        }
        let lengths = lines.filter { $0.hasPrefix("#EXTINF:") }.map { Double($0.dropFirst(8).prefix { $0 != "," }) }
        guard !lengths.isEmpty else { return .broken }
        guard lines.contains("#EXT-X-ENDLIST") else { return .live }
        return .finite(seconds: lengths.compactMap { $0 }.reduce(0, +))
    }

    /// Reads the attributes of an MPEG-DASH `MPD` element (ISO/IEC 23009-1 section 5.3.1).
    static func dash(_ text: String) -> Manifest {
        guard let start = text.firstRange(of: "<MPD"), let end = text[start.upperBound...].firstRange(of: ">") else {
            return .broken
        }
        let attributes = text[start.upperBound..<end.lowerBound]
        if self.attribute("type", in: attributes) == "dynamic" { return .live }
        guard text.contains("<Period") else { return .broken }
        guard let length = self.attribute("mediaPresentationDuration", in: attributes).flatMap(self.seconds) else { return .live }
        return .finite(seconds: length)
    }

    private static func attribute(_ name: String, in text: Substring) -> String? {
        let found = [" ", "\n", "\t"].lazy.compactMap { text.firstRange(of: "\($0)\(name)=\"") }.first
        return found.map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    /// Parses an XML Schema duration: `P0Y0M0DT1H2M3.5S`. A year is 365 days and a month 30.
    static func seconds(_ text: String) -> Double? {
        guard text.hasPrefix("P") else { return nil }
        var (total, number, isTime) = (0.0, "", false)
        for character in text.dropFirst() {
            switch character {
            case "T": isTime = true
            case "0"..."9", ".": number.append(character)
            default:
                let units: [Character: Double] =
                    isTime ? ["H": 3_600, "M": 60, "S": 1] : ["Y": 365 * 86_400, "M": 30 * 86_400, "D": 86_400]
                guard let unit = units[character], let value = Double(number) else { return nil }
                total += value * unit
                number = ""
            }
        }
        return number.isEmpty && total > 0 ? total : nil
    }
}
