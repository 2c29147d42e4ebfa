extension ConfigurationKey {
    /// Each former path, and the current one: these keys were later grouped. Former paths are still read, with a warning that names the
    /// current one.
    private static let formerPaths = [
        ("topic_identity", "topics.identity"), ("rename", "topics.rename"), ("clean_on_start", "topics.clean_on_start"),
        ("clear_on_exit", "topics.clear_on_exit"), ("availability_grace", "availability.grace"),
        ("forget_after", "availability.forget_after"), ("authentication", "authentication.mode"),
        ("authentication_roots", "authentication.roots_file"), ("volume_scale", "commands.volume_scale"), ("strict", "commands.strict"),
        ("fan_out", "commands.fan_out"), ("applications", "commands.applications"),
        ("custom_namespaces", "commands.custom_namespaces"), ("allow_raw", "commands.allow_raw"),
    ]

    /// A former path and the key that it sets.
    package struct Former: Sendable {
        package let path: String
        package let key: ConfigurationKey

        /// The environment variable of the former path.
        package var environmentName: String { ConfigurationKey.environmentName(self.path) }
    }

    /// Every former path, in the order of the documentation.
    package static let former: [Former] = Self.formerPaths.compactMap { path, current in
        Self.all.first { $0.path == current }.map { Former(path: path, key: $0) }
    }

    /// The rows of the table of former keys in `docs/CONFIGURATION.md`, without its header.
    package static var formerMarkdownRows: [String] {
        Self.former.map { "| `\($0.path)` | `\($0.environmentName)` | `\($0.key.path)` | `\($0.key.environmentName)` |" }
    }
}
