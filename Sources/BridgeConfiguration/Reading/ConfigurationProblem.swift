/// One problem of a configuration: its place, its key, the fault, and a suggestion. Never contains a value.
package struct ConfigurationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Source: Sendable, Hashable {
        /// A line of a file, from 1; `nil` means the whole file.
        case file(path: String, line: Int?)
        case environment(variable: String)
        /// A combination of keys that exclude each other, from any source.
        case combination
    }

    package var source: Source
    /// The dotted path; `nil` when the problem concerns no key.
    package var key: String?
    package var message: String
    /// The nearest existing key or variable.
    package var suggestion: String?

    package init(source: Source, key: String? = nil, message: String, suggestion: String? = nil) {
        (self.source, self.key, self.message, self.suggestion) = (source, key, message, suggestion)
    }

    /// The problem on one line: `cast2mqtt.yaml:12: mqtt.prot: unknown key; did you mean mqtt.port?`
    package var description: String {
        let place =
            switch self.source {
            case .file(let path, let line): line.map { "\(path):\($0): " } ?? "\(path): "
            case .environment(let variable): "\(variable): "
            case .combination: ""
            }
        return place + (self.key.map { "\($0): " } ?? "") + self.message + (self.suggestion.map { "; did you mean \($0)?" } ?? "")
    }
}

/// All problems of a configuration; never empty.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var problems: [ConfigurationProblem]
    /// The warnings about ignored or deprecated keys and variables; one of them may be the cause of a problem.
    package var warnings: [ConfigurationProblem] = []

    /// One line for each problem, then one line for each warning.
    package var description: String {
        (self.problems.map(\.description) + self.warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }
}
