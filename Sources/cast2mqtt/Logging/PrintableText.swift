extension String {
    /// The text with a space for each character that acts on a terminal instead of being shown: control characters (C0, DEL and C1, with
    /// them escape sequences and line feeds), line separators, and marks that change the direction of writing.
    /// Names of devices come from the network, so they must not write over lines of a terminal or forge one in a log.
    var printable: String { self.replacingActiveScalars { _ in " " } }

    /// The same JSON document, or YAML with texts as in JSON, with these characters escaped, except for line feeds.
    var printableJSON: String {
        self.replacingActiveScalars { $0 == "\n" ? "\n" : "\\u" + String(0x1_0000 + $0.value, radix: 16).dropFirst() }
    }

    private func replacingActiveScalars(by replacement: (Unicode.Scalar) -> String) -> String {
        self.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: replacement(scalar)
            default: String(scalar)
            }
        }.joined()
    }
}
