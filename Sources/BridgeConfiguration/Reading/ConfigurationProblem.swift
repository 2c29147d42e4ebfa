/// One thing that is wrong with a configuration: where, which key, what, and what was probably meant. Never shows a value.
package struct ConfigurationProblem: Sendable, Hashable, CustomStringConvertible {
    package enum Source: Sendable, Hashable {
        /// A line counts from 1; `nil` concerns the whole file.
        case file(path: String, line: Int?)
        case environment(variable: String)
        /// Several keys that don't go together, wherever they came from.
        case combination
    }

    package var source: Source
    /// The dotted path; `nil` when no key is concerned.
    package var key: String?
    package var message: String
    /// The nearest key or variable there is.
    package var suggestion: String?

    package init(source: Source, key: String? = nil, message: String, suggestion: String? = nil) {
        self.source = source
        self.key = key
        self.message = message
        self.suggestion = suggestion
    }

    /// One line: `cast2mqtt.yaml:12: mqtt.prot: unknown key; did you mean mqtt.port?`
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

/// Everything that is wrong with a configuration; never empty.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    package var problems: [ConfigurationProblem]
    /// What was ignored or is deprecated; one of them may be the cause of a problem.
    package var warnings: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem], warnings: [ConfigurationProblem] = []) {
        self.problems = problems
        self.warnings = warnings
    }

    /// One line for each problem, then one for each warning.
    package var description: String {
        (self.problems.map(\.description) + self.warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }
}
