import BridgeCore
import CastModels

/// The settings in force as JSON, by section, for those who may see the configuration: what was given, else the default.
struct EffectiveSettings {
    static let hidden = "…"
    /// Members of presets that may be secrets.
    static let secretMembers: Set = ["credentials", "atv_credentials", "custom_data", "media_custom_data", "params"]

    /// The values that were given and accepted, by path.
    private(set) var given: [String: ConfigurationValue] = [:]

    mutating func note(_ key: ConfigurationKey, _ value: ConfigurationValue) {
        var value = value
        if key.isAdded, case .mapping(let members) = value.form, case .mapping(let weaker)? = self.given[key.path]?.form {
            value.form = .mapping(weaker.filter { old in !members.contains { $0.key == old.key } } + members)
        }
        self.given[key.path] = value
    }

    /// - Parameter redaction: replaces secrets in web addresses.
    func json(_ redaction: SecretRedaction) -> JSONObject {
        JSONObject(
            sections: ConfigurationKey.all.map { key in
                (key.path, Self.json(self.given[key.path] ?? key.defaultValue, of: key, redaction))
            })
    }

    private static func json(_ value: ConfigurationValue, of key: ConfigurationKey, _ redaction: SecretRedaction) -> JSONValue {
        let json = value.json(redaction)
        return key.isSecret && ![.null, [], [:]].contains(json) ? .string(Self.hidden) : json
    }
}

extension JSONObject {
    /// Puts values by path, such as `mqtt.host`, into objects in objects; sections stand where their first key does.
    init(sections members: [(path: String, value: JSONValue)]) {
        self.init()
        var names: [Substring] = []
        for member in members { if let name = member.path.split(separator: ".").first, !names.contains(name) { names.append(name) } }
        for name in names {
            let own = members.filter { $0.path == name || $0.path.hasPrefix(name + ".") }
            if let leaf = own.first(where: { $0.path == name }) {
                self.append(String(name), leaf.value)
            } else {
                self.append(String(name), .object(Self(sections: own.map { (String($0.path.dropFirst(name.count + 1)), $0.value) })))
            }
        }
    }
}

extension ConfigurationValue {
    /// The value as JSON, with words and whole numbers in their own form.
    ///
    /// - Parameter redaction: replaces secrets in web addresses.
    func json(_ redaction: SecretRedaction) -> JSONValue {
        switch self.form {
        case .null: return .null
        case .text("true"): return .bool(true)
        case .text("false"): return .bool(false)
        case .text(let text):
            if let number = Int64(text) { return .integer(number) }
            let isNumber = text.utf8.count < 16 && text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") }
            if isNumber, let number = Double(text) { return .number(number) }
            return .string(redaction.redacted(text))
        case .list(let elements): return .array(elements.map { $0.json(redaction) })
        case .mapping(let members):
            return .object(
                JSONObject(
                    members.map { member in
                        let isHidden = redaction.isEnabled && EffectiveSettings.secretMembers.contains(member.key)
                        return (member.key, isHidden ? .string(EffectiveSettings.hidden) : member.value.json(redaction))
                    }))
        }
    }
}

extension ConfigurationKey {
    /// The default, read as it is written in the file.
    var defaultValue: ConfigurationValue {
        (try? ConfigurationDocument.parse(Array(self.defaultText.utf8), path: ""))
            ?? ConfigurationValue(form: .text(self.defaultText), line: nil)
    }

    /// Whether the value grants access: a password, its hash, or a token.
    var isSecret: Bool { self.path == "mqtt.password" || self.path.hasPrefix("web.passwords.") || self.path == "web.tokens" }
}
