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

    /// What another member of a pair takes over, by path.
    package var handedOver: JSONObject {
        let settings = self.withoutSecrets.without { ConfigurationKey.at($0)?.isHandedOver != true }
        return JSONObject(settings.paths.map { ($0, settings.values[$0] ?? .null) })
    }

    /// Returns the value that another member has chosen, with the presets of this one that it can't know, because they have secrets.
    package func merged(_ value: JSONValue?, of path: String) -> JSONValue? {
        guard path == "presets" else { return value }
        var presets = value?.objectValue ?? [:]
        let known = self.withoutSecrets.members(of: path)
        for own in self.members(of: path).members where known[own.key] == nil { presets[own.key] = own.value }
        return presets.isEmpty ? nil : .object(presets)
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
