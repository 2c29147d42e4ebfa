import BridgeCore
import CastModels

/// The settings in force as JSON, by section, for those who may see the configuration: what was given, else the default.
struct EffectiveSettings {
    static let hidden = "…"

    /// The values that were given and accepted, by path.
    private(set) var given: [String: ConfigurationValue] = [:]

    mutating func note(_ key: ConfigurationKey, _ value: ConfigurationValue) { self.given[key.path] = value }

    /// - Parameter redaction: replaces secrets in web addresses.
    func json(_ redaction: SecretRedaction) -> JSONObject {
        Self.section(
            ConfigurationKey.all.map { key in
                let value = self.given[key.path] ?? Self.value(ofDefault: key.defaultText)
                return (key.path.split(separator: ".").map(String.init)[...], Self.json(value, of: key, redaction))
            })
    }

    private static func section(_ members: [(path: ArraySlice<String>, value: JSONValue)]) -> JSONObject {
        var object = JSONObject()
        var names: [String] = []
        for member in members { if let name = member.path.first, !names.contains(name) { names.append(name) } }
        for name in names {
            let own = members.filter { $0.path.first == name }
            if let leaf = own.first(where: { $0.path.count == 1 }) {
                object.append(name, leaf.value)
            } else {
                object.append(name, .object(self.section(own.map { ($0.path.dropFirst(), $0.value) })))
            }
        }
        return object
    }

    private static func value(ofDefault text: String) -> ConfigurationValue {
        (try? ConfigurationDocument.parse(Array(text.utf8), path: "")) ?? ConfigurationValue(form: .text(text), line: nil)
    }

    private static func json(_ value: ConfigurationValue, of key: ConfigurationKey, _ redaction: SecretRedaction) -> JSONValue {
        if key.isSecret { return Self.isEmpty(value) ? Self.json(value, redaction) : .string(Self.hidden) }
        return Self.json(value, redaction)
    }

    private static func isEmpty(_ value: ConfigurationValue) -> Bool {
        switch value.form {
        case .null: true
        case .text: false
        case .list(let elements): elements.isEmpty
        case .mapping(let members): members.isEmpty
        }
    }

    private static func json(_ value: ConfigurationValue, _ redaction: SecretRedaction) -> JSONValue {
        switch value.form {
        case .null: return .null
        case .text("true"): return .bool(true)
        case .text("false"): return .bool(false)
        case .text(let text):
            if let number = Int64(text) { return .integer(number) }
            return .string(redaction.redacted(text))
        case .list(let elements): return .array(elements.map { self.json($0, redaction) })
        case .mapping(let members):
            return .object(JSONObject(members.map { ($0.key, self.json($0.value, redaction)) }))
        }
    }
}

extension ConfigurationKey {
    /// Whether the value grants access: a password, its hash, or a token.
    var isSecret: Bool { self.path == "mqtt.password" || self.path.hasPrefix("web.passwords.") || self.path == "web.tokens" }
}
