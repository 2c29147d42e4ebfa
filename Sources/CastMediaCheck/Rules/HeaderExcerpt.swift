extension StringProtocol {
    /// At most 60 characters, and of a longer text none behind a colon: there may be a password, which only the `@` after it shows to be one.
    var excerpt: String { self.count <= 60 ? String(self) : self.prefix(60).prefix { $0 != ":" && $0 != "%" } + "…" }
}
