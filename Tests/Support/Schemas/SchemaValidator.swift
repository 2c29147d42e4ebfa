import Foundation

/// Checks JSON against JSON Schema, draft 2020-12, as far as our schemas go. A keyword it doesn't know is an error of the schema, so that
/// nothing is left unchecked by mistake.
public struct SchemaValidator: Sendable {
    /// A value that breaks a rule, and where.
    public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
        /// A JSON pointer; empty for the whole value.
        public var path: String
        public var problem: String
        public var description: String { "\(self.path.isEmpty ? "/" : self.path): \(self.problem)" }
    }

    /// Schemas by `$id`.
    private let schemas: [String: JSONTree]

    /// - Parameter schemas: the contents of schema files, each with an `$id`.
    public init(_ schemas: [Data]) throws {
        var byID: [String: JSONTree] = [:]
        for data in schemas {
            let schema = try JSONTree(data)
            guard case .object(let members) = schema, case .string(let id)? = members["$id"] else {
                throw Violation(path: "", problem: "a schema without $id")
            }
            guard byID.updateValue(schema, forKey: id) == nil else { throw Violation(path: "", problem: "two schemas with the id \(id)") }
        }
        self.schemas = byID
    }

    /// The ids of the schemas.
    public var ids: [String] { self.schemas.keys.sorted() }

    /// The members of a schema's `$defs`.
    public func definitions(of id: String) -> [String] { self.schemas[id]?["$defs"]?.members?.keys.sorted() ?? [] }

    /// All faults of `value`; empty when it fits the schema.
    /// - Parameter id: of a schema, or of a part of one, with a JSON pointer behind `#`.
    /// - Throws: when the schema itself is wrong or missing.
    public func violations(of value: JSONTree, schema id: String) throws -> [Violation] {
        var found: [Violation] = []
        let (schema, home) = try self.resolve(id, from: Place(path: "", schemaID: id))
        try self.check(value, schema, Place(path: "", schemaID: home), &found)
        return found
    }

    struct Place {
        var path: String
        var schemaID: String
        var depth = 0

        func at(_ step: String) -> Self {
            Self(
                path: self.path + "/" + step.replacingOccurrences(of: "~", with: "~0").replacingOccurrences(of: "/", with: "~1"),
                schemaID: self.schemaID, depth: self.depth + 1)
        }
    }

    func check(_ value: JSONTree, _ schema: JSONTree, _ place: Place, _ found: inout [Violation]) throws {
        guard place.depth < 200 else { throw Violation(path: place.path, problem: "the schema never ends") }
        let rules: [String: JSONTree]
        switch schema {
        case .bool(true): return
        case .bool(false): return found.append(Violation(path: place.path, problem: "must not be there"))
        case .object(let members): rules = members
        case .null, .number, .string, .array: throw Violation(path: place.path, problem: "a schema must be an object or a truth value")
        }
        for (keyword, rule) in rules.sorted(by: { $0.key < $1.key }) {
            if try self.combined(keyword, rule, value, rules, place, &found) { continue }
            if try self.structured(keyword, rule, value, rules, place, &found) { continue }
            if let problem = try Self.problem(keyword, rule, value, at: place.path) {
                found.append(Violation(path: place.path, problem: problem))
            }
        }
    }

    func isValid(_ value: JSONTree, _ schema: JSONTree, _ place: Place) throws -> Bool {
        var found: [Violation] = []
        var deeper = place
        deeper.depth += 1
        try self.check(value, schema, deeper, &found)
        return found.isEmpty
    }

    /// Keywords that are made of whole schemas for the same value.
    private func combined(
        _ keyword: String, _ rule: JSONTree, _ value: JSONTree, _ rules: [String: JSONTree], _ place: Place, _ found: inout [Violation]
    ) throws -> Bool {
        switch (keyword, rule) {
        case ("$ref", .string(let reference)):
            let (schema, id) = try self.resolve(reference, from: place)
            try self.check(value, schema, Place(path: place.path, schemaID: id, depth: place.depth + 1), &found)
        case ("allOf", .array(let schemas)): for schema in schemas { try self.check(value, schema, place, &found) }
        case ("anyOf", .array(let schemas)):
            if try !schemas.contains(where: { try self.isValid(value, $0, place) }) {
                found.append(Violation(path: place.path, problem: "is none of \(schemas.count) alternatives"))
            }
        case ("oneOf", .array(let schemas)):
            let count = try schemas.filter { try self.isValid(value, $0, place) }.count
            if count != 1 { found.append(Violation(path: place.path, problem: "is \(count) of \(schemas.count) alternatives, not one")) }
        case ("not", _):
            if try self.isValid(value, rule, place) { found.append(Violation(path: place.path, problem: "is what it must not be")) }
        case ("if", _):
            let branch = try self.isValid(value, rule, place) ? rules["then"] : rules["else"]
            if let branch { try self.check(value, branch, place, &found) }
        case ("then", _), ("else", _): guard rules["if"] != nil else { throw Violation(path: place.path, problem: "\(keyword) without if") }
        default: return false
        }
        return true
    }

    func resolve(_ reference: String, from place: Place) throws -> (JSONTree, String) {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        var id = String(parts[0])
        if id.isEmpty {
            id = place.schemaID
        } else if !id.contains(":") {
            // Relative to the schema that refers to it.
            var levels = place.schemaID.components(separatedBy: "/").dropLast()
            for step in id.components(separatedBy: "/") { if step == ".." { levels = levels.dropLast() } else { levels.append(step) } }
            id = levels.joined(separator: "/")
        }
        guard var schema = self.schemas[id] else { throw Violation(path: place.path, problem: "no schema \(id)") }
        for step in (parts.count > 1 ? String(parts[1]) : "").split(separator: "/") {
            let name = step.replacingOccurrences(of: "~1", with: "/").replacingOccurrences(of: "~0", with: "~")
            guard case .object(let members) = schema, let next = members[name] else {
                throw Violation(path: place.path, problem: "\(reference) leads nowhere")
            }
            schema = next
        }
        return (schema, id)
    }
}
