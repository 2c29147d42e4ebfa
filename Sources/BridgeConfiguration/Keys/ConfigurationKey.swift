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

    static func environmentName(_ path: String) -> String {
        self.environmentPrefix + String(path.map { $0 == "." ? "_" : $0 }).uppercased()
    }

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

// Keys whose type and default follow from the property that they set.
extension ConfigurationKey {
    typealias Property<Value> = WritableKeyPath<Configuration, Value> & Sendable

    static func flag(_ path: String, _ property: Property<Bool>, _ meaning: String) -> Self {
        Self(path, "true or false", default: "\(Configuration()[keyPath: property])", meaning) { $0[keyPath: property] = try $1.flag() }
    }

    /// - Parameter unit: what it is a number of.
    static func integer(
        _ path: String, _ range: ClosedRange<Int>, of unit: String? = nil, _ property: Property<Int>, _ meaning: String
    ) -> Self {
        let type = "whole number\(unit.map { " of \($0)" } ?? ""), \(range.lowerBound) to \(range.upperBound)"
        return Self(path, type, default: "\(Configuration()[keyPath: property])", meaning) { $0[keyPath: property] = try $1.integer(range) }
    }

    /// - Parameter read: reads an element.
    static func list<Element: Sendable>(
        _ path: String, of elements: String, limit: Int = 256, _ property: Property<[Element]>,
        _ read: @escaping @Sendable (ConfigurationValue) throws -> Element, _ meaning: String
    ) -> Self {
        Self(path, "list of \(elements)", default: "[]", meaning, isList: true) {
            $0[keyPath: property] = try $1.list(maximumCount: limit, read)
        }
    }

    static func choice<Word: RawRepresentable<String> & CaseIterable & Sendable>(
        _ path: String, _ property: Property<Word>, _ meaning: String
    ) -> Self {
        let words = Word.allCases.map(\.rawValue)
        let type = "\(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")"
        return Self(path, type, default: Configuration()[keyPath: property].rawValue, meaning) {
            $0[keyPath: property] = try $1.choice()
        }
    }

    static func text(_ path: String, _ maximumBytes: Int, _ property: Property<String?>, _ meaning: String) -> Self {
        Self(path, "text or null", default: "null", meaning) {
            $0[keyPath: property] = try $1.optional { try $0.text(maximumBytes: maximumBytes) }
        }
    }

    static func path(_ path: String, _ property: Property<String?>, _ meaning: String) -> Self {
        Self(path, "path or null", default: "null", meaning) {
            $0[keyPath: property] = try $1.optional { try $0.text(maximumBytes: 4096) }
        }
    }

    static func webAddress(_ path: String, _ property: Property<String?>, _ meaning: String) -> Self {
        Self(path, "web address or null", default: "null", meaning) { $0[keyPath: property] = try $1.optional { try $0.webAddress() } }
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
