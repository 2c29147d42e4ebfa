import CastModels

/// What was chosen at run time: the file `settings.yaml` in the state directory.
package struct ChosenSettings: Sendable, Hashable {
    package static let fileName = "settings.yaml"

    /// The values as they were chosen, by path.
    private var values: [String: JSONValue] = [:]

    package init() {}

    /// The paths of the keys that were chosen.
    package var paths: [String] { self.values.keys.sorted() }

    /// Sets the value of a key; `nil` leaves it to the other places. It is checked when the file is loaded.
    package mutating func set(_ path: String, _ value: JSONValue?) { self.values[path] = value }

    /// The same without passwords and tokens.
    package var withoutSecrets: Self { self.without { ConfigurationKey.at($0)?.isSecret == true } }

    /// Returns the same without some keys.
    func without(_ isLeftOut: (String) -> Bool) -> Self {
        var settings = self
        settings.values = settings.values.filter { path, _ in !isLeftOut(path) }
        return settings
    }

    /// The text of the file: YAML whose sections are written as JSON.
    package var bytes: [UInt8] {
        let members = self.values.map { (path: $0.key.split(separator: ".").map { String($0) }[...], value: $0.value) }
        let lines = Self.section(members).members.map { "\($0.key): \(JSONWriter.string(of: $0.value))\n" }
        return Array(
            ("# Chosen on the web page or over the API. The configuration file and the environment come before it.\n" + lines.joined()).utf8
        )
    }

    private static func section(_ members: [(path: ArraySlice<String>, value: JSONValue)]) -> JSONObject {
        var object = JSONObject()
        for name in Set(members.compactMap(\.path.first)).sorted() {
            let own = members.filter { $0.path.first == name }
            let leaf = own.first { $0.path.count == 1 }
            object.append(name, leaf?.value ?? .object(self.section(own.map { ($0.path.dropFirst(), $0.value) })))
        }
        return object
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
