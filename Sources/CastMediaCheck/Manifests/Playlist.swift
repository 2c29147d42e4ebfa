/// The entries of a playlist that is no manifest: M3U or PLS. Pure.
package enum Playlist {
    package struct Entry: Sendable, Hashable {
        /// An address, or a place beside the playlist.
        package var location: String
        package var title: String?
    }

    package static let entryLimit = 500
    /// The bytes of a playlist that are read.
    package static let byteLimit = 256 << 10

    package static func read(_ bytes: [UInt8]) -> [Entry] {
        let lines = MediaBytes(bytes: bytes).text.split(whereSeparator: \.isNewline).map { String($0).trimmingSpace }.filter { !$0.isEmpty }
        if lines.first?.lowercased() == "[playlist]" { return self.pls(lines) }
        var entries: [Entry] = []
        var title: String?
        for line in lines where entries.count < self.entryLimit {
            if line.hasPrefix("#EXTINF:") {
                // Attributes in quotes may have commas, too.
                var isQuoted = false
                let comma = line.firstIndex { character in
                    if character == "\"" { isQuoted.toggle() }
                    return character == "," && !isQuoted
                }
                title = comma.map { String(String(line[line.index(after: $0)...]).trimmingSpace) }
            } else if !line.hasPrefix("#") {
                entries.append(Entry(location: String(line), title: title?.isEmpty == false ? title : nil))
                title = nil
            }
        }
        return entries
    }

    private static func pls(_ lines: [Substring]) -> [Entry] {
        var values: [String: String] = [:]
        for line in lines.prefix(4 * self.entryLimit) {
            guard let sign = line.firstIndex(of: "=") else { continue }
            values[line[..<sign].lowercased()] = String(String(line[line.index(after: sign)...]).trimmingSpace)
        }
        return (1...self.entryLimit).compactMap { number in
            values["file\(number)"].map { Entry(location: $0, title: values["title\(number)"]) }
        }
    }
}
