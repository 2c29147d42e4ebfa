import Foundation

/// The keywords that look at one value alone.
extension SchemaValidator {
    /// Keywords that describe a schema and do not restrict a value.
    private static let annotations: Set<String> = [
        "$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default", "deprecated",
    ]

    static func problem(_ keyword: String, _ rule: JSONTree, _ value: JSONTree, at path: String) throws -> String? {
        if self.annotations.contains(keyword) { return nil }
        switch (keyword, rule) {
        case ("type", .string(let type)): return value.isOf(type) ? nil : "is \(value.type), not \(type)"
        case ("type", .array(let types)):
            let names = types.compactMap(\.text)
            return names.contains(where: value.isOf) ? nil : "is \(value.type), not \(names.joined(separator: " or "))"
        case ("const", _): return value == rule ? nil : "is not \(rule)"
        case ("enum", .array(let values)): return values.contains(value) ? nil : "\(value) is none of the known values"
        case ("required", .array(let names)):
            guard case .object(let members) = value else { return nil }
            let missing = names.compactMap(\.text).filter { members[$0] == nil }
            return missing.isEmpty ? nil : "lacks \(missing.joined(separator: ", "))"
        case ("minimum", .number(let limit)): return value.number.map { $0 >= limit } ?? true ? nil : "is below \(limit)"
        case ("maximum", .number(let limit)): return value.number.map { $0 <= limit } ?? true ? nil : "is above \(limit)"
        case ("exclusiveMinimum", .number(let limit)): return value.number.map { $0 > limit } ?? true ? nil : "is not above \(limit)"
        case ("minLength", .number(let limit)):
            return (value.text?.unicodeScalars.count).map { Double($0) >= limit } ?? true ? nil : "is too short"
        case ("maxLength", .number(let limit)):
            return (value.text?.unicodeScalars.count).map { Double($0) <= limit } ?? true ? nil : "is too long"
        case ("minItems", .number(let limit)):
            return value.elements.map { Double($0.count) >= limit } ?? true ? nil : "has too few elements"
        case ("maxItems", .number(let limit)):
            return value.elements.map { Double($0.count) <= limit } ?? true ? nil : "has too many elements"
        case ("minProperties", .number(let limit)):
            return value.members.map { Double($0.count) >= limit } ?? true ? nil : "has too few members"
        case ("maxProperties", .number(let limit)):
            return value.members.map { Double($0.count) <= limit } ?? true ? nil : "has too many members"
        case ("uniqueItems", .bool(true)): return value.elements.map { Set($0).count == $0.count } ?? true ? nil : "repeats an element"
        case ("pattern", .string(let pattern)):
            guard let text = value.text else { return nil }
            let expression = try NSRegularExpression(pattern: pattern)
            let range = NSRange(text.startIndex..., in: text)
            return expression.firstMatch(in: text, range: range) == nil ? "\(text) does not match \(pattern)" : nil
        case ("format", .string("date-time")):
            guard let text = value.text else { return nil }
            return self.isTime(text) ? nil : "\(text) is no time"
        default: throw Violation(path: path, problem: "an unknown rule of the schema: \(keyword)")
        }
    }

    /// RFC 3339.
    private static func isTime(_ text: String) -> Bool {
        let formatter = ISO8601DateFormatter()
        for options: ISO8601DateFormatter.Options in [[.withInternetDateTime], [.withInternetDateTime, .withFractionalSeconds]] {
            formatter.formatOptions = options
            if formatter.date(from: text) != nil { return true }
        }
        return false
    }
}
