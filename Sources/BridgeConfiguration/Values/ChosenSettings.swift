import BridgeCore
import CastModels

/// What was chosen at run time: the file `settings.yaml` in the state directory.
package struct ChosenSettings: Sendable, Hashable {
    package static let fileName = "settings.yaml"

    /// The values as they were chosen, by path.
    private var values: [String: JSONValue] = [:]

    package init() {}

    /// The paths of the keys that were chosen.
    package var paths: [String] { self.values.keys.sorted() }

    /// The members of a key that were chosen.
    package func members(of path: String) -> JSONObject { self.values[path]?.objectValue ?? [:] }

    /// Sets the value of a key; `nil` leaves it to the other places. It is checked when the file is loaded.
    package mutating func set(_ path: String, _ value: JSONValue?) { self.values[path] = value }

    /// The same without passwords and tokens.
    package var withoutSecrets: Self {
        var settings = self.without { ConfigurationKey.at($0)?.isSecret == true }
        // A preset with a secret would not play without it.
        let presets = self.members(of: "presets").members.filter { member in
            let text = JSONWriter.string(of: member.value)
            return SecretRedaction().redacted(text) == text && !EffectiveSettings.secretMembers.contains { member.value[$0] != nil }
        }
        settings.values["presets"] = presets.isEmpty ? nil : .object(JSONObject(presets.map { ($0.key, $0.value) }))
        return settings
    }

    /// Returns the same without some keys.
    func without(_ isLeftOut: (String) -> Bool) -> Self {
        var settings = self
        settings.values = settings.values.filter { path, _ in !isLeftOut(path) }
        return settings
    }

    /// The text of the file: YAML whose sections are written as JSON.
    package var bytes: [UInt8] {
        let sections = JSONObject(sections: self.paths.map { ($0, self.values[$0] ?? .null) })
        let lines = sections.members.map { "\($0.key): \(JSONWriter.string(of: $0.value))\n" }
        return Array(
            ("# Chosen on the web page or over the API. The configuration file and the environment come before it.\n" + lines.joined()).utf8
        )
    }
}

extension ConfigurationValue {
    /// The value as JSON with every scalar as text, which reads as the same value again.
    var written: JSONValue {
        switch self.form {
        case .null: .null
        case .text(let text): .string(text)
        case .list(let elements): .array(elements.map(\.written))
        case .mapping(let members): .object(JSONObject(members.map { ($0.key, $0.value.written) }))
        }
    }
}
