extension Device {
    /// Returns a name or model as people read it: without whitespace around it, and with one blank for whitespace inside; `nil` when nothing
    /// is left.
    package static func name(normalizing text: String) -> String? {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
