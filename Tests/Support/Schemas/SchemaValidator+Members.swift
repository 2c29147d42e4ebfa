/// The keywords about the members of objects and the elements of arrays.
extension SchemaValidator {
    /// Checks the keyword if it is one of these; otherwise returns `false`.
    func structured(
        _ keyword: String, _ rule: JSONTree, _ value: JSONTree, _ rules: [String: JSONTree], _ place: Place, _ found: inout [Violation]
    ) throws -> Bool {
        switch (keyword, rule) {
        case ("properties", .object(let properties)):
            guard case .object(let members) = value else { break }
            for (name, schema) in properties {
                if let member = members[name] { try self.check(member, schema, place.at(name), &found) }
            }
        case ("additionalProperties", _):
            guard case .object(let members) = value else { break }
            var known: Set<String> = []
            if case .object(let properties)? = rules["properties"] { known = Set(properties.keys) }
            for (name, member) in members where !known.contains(name) { try self.check(member, rule, place.at(name), &found) }
        case ("unevaluatedProperties", _):
            guard case .object(let members) = value else { break }
            let others = JSONTree.object(rules.filter { $0.key != keyword })
            let known = try self.evaluatedNames(of: value, by: others, place)
            for (name, member) in members where !known.contains(name) { try self.check(member, rule, place.at(name), &found) }
        case ("propertyNames", _):
            guard case .object(let members) = value else { break }
            for name in members.keys { try self.check(.string(name), rule, place.at(name), &found) }
        case ("items", _):
            guard case .array(let elements) = value else { break }
            var first = 0
            if case .array(let prefix)? = rules["prefixItems"] { first = prefix.count }
            for (index, element) in elements.enumerated().dropFirst(first) { try self.check(element, rule, place.at("\(index)"), &found) }
        case ("prefixItems", .array(let schemas)):
            guard case .array(let elements) = value else { break }
            for (index, (element, schema)) in zip(elements, schemas).enumerated() {
                try self.check(element, schema, place.at("\(index)"), &found)
            }
        default: return false
        }
        return true
    }

    /// The names of members that the keywords of `schema` cover, for `unevaluatedProperties`: an alternative counts if the value fits it.
    private func evaluatedNames(of value: JSONTree, by schema: JSONTree, _ place: Place) throws -> Set<String> {
        guard place.depth < 200 else { throw Violation(path: place.path, problem: "the schema never ends") }
        guard case .object(let rules) = schema, case .object(let members) = value else { return [] }
        var names: Set<String> = []
        var deeper = place
        deeper.depth += 1
        for (keyword, rule) in rules {
            switch (keyword, rule) {
            case ("properties", .object(let properties)): names.formUnion(properties.keys)
            case ("additionalProperties", _), ("unevaluatedProperties", _): names.formUnion(members.keys)
            case ("$ref", .string(let reference)):
                let (target, id) = try self.resolve(reference, from: place)
                names.formUnion(
                    try self.evaluatedNames(of: value, by: target, Place(path: place.path, schemaID: id, depth: place.depth + 1)))
            case ("allOf", .array(let schemas)), ("anyOf", .array(let schemas)), ("oneOf", .array(let schemas)):
                for part in schemas where try self.isValid(value, part, place) {
                    names.formUnion(try self.evaluatedNames(of: value, by: part, deeper))
                }
            case ("if", _):
                let isValid = try self.isValid(value, rule, place)
                if isValid { names.formUnion(try self.evaluatedNames(of: value, by: rule, deeper)) }
                if let branch = isValid ? rules["then"] : rules["else"] {
                    names.formUnion(try self.evaluatedNames(of: value, by: branch, deeper))
                }
            default: break
            }
        }
        return names
    }
}
