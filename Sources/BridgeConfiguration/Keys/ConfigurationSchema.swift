import BridgeCore
import CastModels

/// The JSON Schema of the configuration file, for editors: what the table of keys says of names, types, ranges, words and defaults.
package enum ConfigurationSchema {
    package static let id = "https://cast2mqtt.example/schema/1/configuration.json"

    /// The document, with a line for each key.
    package static var text: String {
        // A key is the text of its schema here, so that it stays on one line; a section is an object.
        let tree = JSONObject(sections: ConfigurationKey.all.map { ($0.path, .string(JSONWriter.string(of: self.schema(of: $0)))) })
        var lines = [
            "{", #"  "$schema": "https://json-schema.org/draft/2020-12/schema","#, "  \"$id\": \"\(self.id)\",",
            #"  "title": "The configuration file of cast2mqtt","#,
        ]
        lines += self.section(tree, "  ")
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func section(_ members: JSONObject, _ indent: String) -> [String] {
        var lines = [
            "\(indent)\"type\": [\"object\", \"null\"],", "\(indent)\"additionalProperties\": false,", "\(indent)\"properties\": {",
        ]
        for (index, member) in members.members.enumerated() {
            let comma = index == members.members.count - 1 ? "" : ","
            if let key = member.value.stringValue { lines.append("\(indent)  \"\(member.key)\": \(key)\(comma)") }
            if let inner = member.value.objectValue {
                lines.append("\(indent)  \"\(member.key)\": {")
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
            schema["type"] = types(type.contains(" or list of ") ? ["object", "array"] : ["object"])
        } else if type.hasPrefix("whole number") || type.hasPrefix("seconds") || type.hasPrefix("number") {
            schema["type"] = types([type.hasPrefix("whole") ? "integer" : "number"])
            let bounds = type.split(separator: ", ").dropFirst().first?.split(separator: " or ")[0].split(separator: " to ") ?? []
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
        schema["default"] = key.defaultValue.json(SecretRedaction(isEnabled: false))
        return .object(schema)
    }

    /// The words of a type such as `keep or follow`; `nil` when it is prose.
    private static func choices(_ type: String) -> [String]? {
        let words = type.split(separator: " or ").flatMap { $0.split(separator: ", ") }.map { String($0) }
        return words.count > 1 && words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || "_.".contains($0) } } ? words : nil
    }

    private static func number(_ text: Substring) -> JSONValue? { Int64(text).map { .integer($0) } ?? Double(text).map { .number($0) } }
}
