import CastModels

/// The JSON Schema of the configuration file, for editors: what the table of keys says of names, types, ranges, words and defaults.
package enum ConfigurationSchema {
    package static let id = "https://cast2mqtt.example/schema/1/configuration.json"

    private indirect enum Node {
        case key(ConfigurationKey)
        case section([(name: String, node: Node)])
    }

    /// The document, with a line for each key.
    package static var text: String {
        let keys = ConfigurationKey.all.map { (path: $0.path.split(separator: ".").map { String($0) }[...], key: $0) }
        var lines = [
            "{", #"  "$schema": "https://json-schema.org/draft/2020-12/schema","#, "  \"$id\": \"\(self.id)\",",
            #"  "title": "The configuration file of cast2mqtt","#,
        ]
        lines += self.section(self.tree(keys), "  ")
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func tree(_ keys: [(path: ArraySlice<String>, key: ConfigurationKey)]) -> [(name: String, node: Node)] {
        var names: [String] = []
        for key in keys { if let name = key.path.first, !names.contains(name) { names.append(name) } }
        return names.map { name in
            let own = keys.filter { $0.path.first == name }
            if let leaf = own.first(where: { $0.path.count == 1 }) { return (name, .key(leaf.key)) }
            return (name, .section(self.tree(own.map { ($0.path.dropFirst(), $0.key) })))
        }
    }

    private static func section(_ members: [(name: String, node: Node)], _ indent: String) -> [String] {
        var lines = [
            "\(indent)\"type\": [\"object\", \"null\"],", "\(indent)\"additionalProperties\": false,", "\(indent)\"properties\": {",
        ]
        for (index, member) in members.enumerated() {
            let comma = index == members.count - 1 ? "" : ","
            switch member.node {
            case .key(let key): lines.append("\(indent)  \"\(member.name)\": \(JSONWriter.string(of: self.schema(of: key)))\(comma)")
            case .section(let inner):
                lines.append("\(indent)  \"\(member.name)\": {")
                lines += self.section(inner, indent + "    ")
                lines.append("\(indent)  }\(comma)")
            }
        }
        return lines + ["\(indent)}"]
    }

    /// What the text of a key's type says.
    private static func schema(of key: ConfigurationKey) -> JSONValue {
        var schema: JSONObject = ["description": .string(key.meaning)]
        let words = key.type.replacing(", or ", with: " or ")
        let mayBeNull = words.hasSuffix(" or null")
        let type = mayBeNull ? String(words.dropLast(8)) : words
        func types(_ names: [String]) -> JSONValue { .array((names + (mayBeNull ? ["null"] : [])).map { .string($0) }) }
        if type == "true or false" {
            schema["type"] = types(["boolean"])
        } else if type.hasPrefix("list of ") {
            schema["type"] = types(["array"])
        } else if type.hasPrefix("mapping") {
            schema["type"] = types(["object"])
        } else if type.hasPrefix("whole number") || type.hasPrefix("seconds") || type.hasPrefix("number") {
            schema["type"] = types([type.hasPrefix("whole") ? "integer" : "number"])
            let bounds = type.split(separator: ", ").dropFirst().first?.split(separator: " or ")[0].components(around: " to ") ?? []
            // "or 0" lies outside of the range.
            if bounds.count == 2, !type.hasSuffix(" or 0") {
                (schema["minimum"], schema["maximum"]) = (self.number(bounds[0]), self.number(bounds[1]))
            }
        } else if let choices = self.choices(type) {
            // Some editors read 5 as a number, and off as YAML 1.1 did.
            let isNumeric = choices.contains { Int64($0) != nil }
            var words = choices.map { JSONValue.string($0) }
            if isNumeric { words += choices.compactMap { Int64($0).map { .integer($0) } } }
            if choices.contains("off") { words.append(.bool(false)) }
            schema["enum"] = .array(words + (mayBeNull ? [.null] : []))
        } else {
            // A text may look like a number: a client id, a name.
            schema["type"] = types(["string", "number"])
        }
        if let value = try? ConfigurationDocument.parse(Array(key.defaultText.utf8), path: "") { schema["default"] = self.json(value) }
        return .object(schema)
    }

    /// The words of a type such as `keep or follow`; `nil` when it is prose.
    private static func choices(_ type: String) -> [String]? {
        let words = type.components(around: " or ").flatMap { $0.components(around: ", ") }
        return words.count > 1 && words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "_.".contains($0) } } ? words : nil
    }

    private static func number(_ text: String) -> JSONValue? { Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) } }

    private static func json(_ value: ConfigurationValue) -> JSONValue {
        switch value.form {
        case .text("true"): .bool(true)
        case .text("false"): .bool(false)
        case .text(let text): self.number(text) ?? .string(text)
        case .null: .null
        case .list(let elements): .array(elements.map { self.json($0) })
        case .mapping(let members): .object(JSONObject(members.map { ($0.key, self.json($0.value)) }))
        }
    }
}

extension StringProtocol {
    /// The parts between occurrences of `mark`.
    fileprivate func components(around mark: String) -> [String] {
        var (parts, rest) = ([String](), self[...])
        while let place = rest.firstRange(of: mark) {
            parts.append(String(rest[..<place.lowerBound]))
            rest = rest[place.upperBound...]
        }
        return parts + [String(rest)]
    }
}
