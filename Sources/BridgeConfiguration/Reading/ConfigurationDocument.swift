import Yams

/// A configuration file as a tree of values with their lines, before anyone asks what they mean.
enum ConfigurationDocument {
    /// Largest accepted file, in bytes.
    static let maximumBytes = 262_144

    /// The value of the whole file; null for one without content.
    static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationProblem.Thrown) -> ConfigurationValue {
        let fail = { (line: Int?, message: String) in
            ConfigurationProblem.Thrown(problem: ConfigurationProblem(source: .file(path: path, line: line), message: message))
        }
        guard bytes.count <= self.maximumBytes else { throw fail(nil, "is larger than \(self.maximumBytes) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw fail(nil, "is not UTF-8 text") }
        if let line = self.tooDeepLine(text) { throw fail(line, "is nested too deeply") }
        do {
            guard let node = try Yams.compose(yaml: text) else { return ConfigurationValue(form: .null, line: nil) }
            return self.value(node)
        } catch let error as YamlError {
            switch error {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _), .composer(_, let problem, let mark, _):
                throw fail(mark.line, "is not YAML: \(problem)")
            case .duplicatedKeysInMapping(let keys, let context):
                throw fail(context.mark.line, "has a key twice: \(keys.map { String($0.prefix(40)) }.joined(separator: ", "))")
            case .reader(let problem, _, _, _): throw fail(nil, "is not YAML: \(problem)")
            default: throw fail(nil, "is not YAML")
            }
        } catch {
            throw fail(nil, "is not YAML")
        }
    }

    /// The parser below recurses: the first line that could take it more than a few hundred levels down.
    private static func tooDeepLine(_ text: String) -> Int? {
        var depth = 0
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.prefix(while: { [0x20, 0x09, 0x2D, 0x3A, 0x3F].contains($0) }).count > 500 { return index + 1 }
            for byte in line {
                if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{") { depth += 1 }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { depth = max(0, depth - 1) }
                if depth > 250 { return index + 1 }
            }
        }
        return nil
    }

    private static func value(_ node: Node) -> ConfigurationValue {
        let line = node.mark?.line
        switch node {
        case .scalar(let scalar):
            let isNull = (scalar.style == .plain || scalar.style == .any) && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
            return ConfigurationValue(form: isNull ? .null : .text(scalar.string), line: line)
        case .sequence(let sequence):
            return ConfigurationValue(form: .list(sequence.map { self.value($0) }), line: line)
        case .mapping(let mapping):
            let members = mapping.map { member in
                (key: member.key.scalar?.string ?? "?", value: self.withLine(self.value(member.value), of: member.key))
            }
            return ConfigurationValue(form: .mapping(members), line: line)
        case .alias:
            return ConfigurationValue(form: .mapping([]), line: line)
        }
    }

    /// A member's problems are told at its key's line.
    private static func withLine(_ value: ConfigurationValue, of key: Node) -> ConfigurationValue {
        ConfigurationValue(form: value.form, line: key.mark?.line ?? value.line)
    }
}

extension ConfigurationProblem {
    /// A single problem on its way up.
    struct Thrown: Error { var problem: ConfigurationProblem }
}
