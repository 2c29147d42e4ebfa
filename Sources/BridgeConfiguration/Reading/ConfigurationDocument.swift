import YAML

/// Parses a configuration file into a tree of values with their lines. The values are interpreted later.
enum ConfigurationDocument {
    /// The largest accepted file, in bytes.
    static let maximumBytes = 262_144

    /// Valid configurations stay far below these limits.
    private static let limits = YAMLDocument.Limits(depth: 250, nodes: 100_000)

    /// Returns the value of the whole file; `.null` for an empty one.
    static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationProblem) -> ConfigurationValue {
        let fail = { (line: Int?, message: String) in
            ConfigurationProblem(source: .file(path: path, line: line), message: message)
        }
        guard bytes.count <= self.maximumBytes else { throw fail(nil, "is larger than \(self.maximumBytes) bytes") }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fail(nil, "is not UTF-8 text") }
        do throws(YAMLError) {
            guard let node = try YAMLDocument.parse(bytes, limits: self.limits) else { return ConfigurationValue(form: .null, line: nil) }
            return self.value(node)
        } catch {
            switch error.reason {
            case .notYAML(let problem): throw fail(error.line, "is not YAML: \(problem)")
            case .tooDeep: throw fail(error.line, "is nested too deeply")
            case .tooManyNodes: throw fail(error.line, "has more than \(self.limits.nodes) values")
            case .repeatedKeys(let keys):
                throw fail(error.line, "has a key twice: \(keys.map { String($0.prefix(40)) }.joined(separator: ", "))")
            }
        }
    }

    private static func value(_ node: YAMLNode) -> ConfigurationValue {
        switch node.content {
        case .scalar(let text, _): ConfigurationValue(form: node.isNull ? .null : .text(text), line: node.line)
        case .sequence(let elements): ConfigurationValue(form: .list(elements.map { self.value($0) }), line: node.line)
        case .mapping(let pairs):
            ConfigurationValue(
                // A problem of a member is reported at the line of its key.
                form: .mapping(
                    pairs.map { pair in
                        (key: pair.key.text ?? "?", value: ConfigurationValue(form: self.value(pair.value).form, line: pair.key.line))
                    }), line: node.line)
        }
    }
}
