/// Detects text formats: manifests, playlists, subtitles and web pages.
enum TextFormatReader {
    static func read(_ head: MediaBytes) -> MediaFormat? {
        // Binary files contain zero bytes or other control characters near their start.
        guard !head.bytes.prefix(512).contains(where: { $0 < 0x09 }) else { return nil }
        let text = head.text.drop(while: \.isWhitespace)
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("#EXTM3U") { return MediaFormat(text.contains("#EXT-X-") ? .hls : .m3u) }
        if text.hasPrefix("WEBVTT") { return MediaFormat(.webVTT) }
        let start = text.prefix(4096).lowercased()
        if start.hasPrefix("[playlist]") { return MediaFormat(.pls) }
        if start.hasPrefix("[script info]") { return MediaFormat(.ssa) }
        if start.hasPrefix("<") { return self.markup(start) }
        return self.isSubRip(text) ? MediaFormat(.srt) : nil
    }

    private static func markup(_ start: String) -> MediaFormat? {
        var scan = MarkupScan(Array(start.utf8))
        while let tag = scan.next() {
            switch tag.name {
            case "mpd": return MediaFormat(.dash)
            case "tt": return MediaFormat(.ttml)
            case "smoothstreamingmedia": return MediaFormat(.smoothStreaming)
            case "html", "head", "body", "!doctype": return MediaFormat(.html)
            default: if !tag.name.hasPrefix("?"), !tag.name.hasPrefix("!") { return nil }
            }
        }
        return nil
    }

    /// Returns whether the text is SubRip: a number, then a line of times with a comma before the milliseconds.
    private static func isSubRip(_ text: Substring) -> Bool {
        let lines = text.prefix(200).split(whereSeparator: \.isNewline).prefix(2)
        guard lines.count == 2, Int(lines[0].filter { !$0.isWhitespace }) != nil else { return false }
        return lines[1].contains("-->") && lines[1].contains(",")
    }
}
