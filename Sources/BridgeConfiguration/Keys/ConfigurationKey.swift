import BridgeCore

/// One configuration key: its spelling, its type and its effect. The table of all keys (`all`) is the source for reading files and the
/// environment and for `--help`; a test compares the documentation with it.
package struct ConfigurationKey: Sendable {
    /// The sections and the name, joined by dots: `mqtt.tls.ca_file`.
    package let path: String
    /// The type of the value with its range: `whole number, 1 to 65535`.
    package let type: String
    /// The default as written in the file.
    package let defaultText: String
    /// The meaning, in one sentence.
    package let meaning: String
    /// Whether the value is the path of a file that contains the password.
    let isPasswordFile: Bool
    let isList: Bool
    let apply: @Sendable (inout Configuration, ConfigurationValue) throws -> Void

    /// The environment variable: `CAST2MQTT_MQTT_TLS_CA_FILE` for `mqtt.tls.ca_file`.
    package var environmentName: String { Self.environmentName(self.path) }

    /// Returns the environment variable of the key with this path.
    static func environmentName(_ path: String) -> String {
        self.environmentPrefix + String(path.map { $0 == "." ? "_" : $0 }).uppercased()
    }

    /// The prefix of every variable of this program.
    package static let environmentPrefix = "CAST2MQTT_"
    /// The variable that names the configuration file.
    package static let fileVariable = "CAST2MQTT_CONFIG"

    init(
        _ path: String, _ type: String, default defaultText: String, _ meaning: String, isPasswordFile: Bool = false, isList: Bool = false,
        apply: @escaping @Sendable (inout Configuration, ConfigurationValue) throws -> Void
    ) {
        self.path = path
        self.type = type
        self.defaultText = defaultText
        self.meaning = meaning
        self.isPasswordFile = isPasswordFile
        self.isList = isList
        self.apply = apply
    }
}

extension ConfigurationKey {
    /// The rows of the table in `docs/CONFIGURATION.md`, without its head.
    package static var markdownRows: [String] {
        self.all.map { key in
            "| `\(key.path)` | `\(key.environmentName)` | \(key.type) | `\(key.defaultText)` | \(key.meaning) |"
        }
    }

    /// All keys for a terminal: a line with key, type and default, a line with the variable, a line with the meaning.
    package static var help: String {
        self.all.map { key in
            "  \(key.path)  (\(key.type); default \(key.defaultText))\n      \(key.environmentName)\n      \(key.meaning)"
        }.joined(separator: "\n")
    }
}
