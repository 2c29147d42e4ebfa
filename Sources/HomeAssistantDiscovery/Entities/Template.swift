/// Templates in Home Assistant's language (Jinja) that convert a document to a state.
///
/// The exact result `None` means unknown, and a state has at most 255 characters.
enum Template {
    /// Returns a template for a text of the document, or unknown.
    static func text(_ path: String) -> String {
        "{% set t = ((value_json.\(path) or '') | trim)[:255] or none %}{{ \(self.visible("t")) }}"
    }

    /// Returns an expression for the text of a variable; an invisible character follows the word that would mean unknown.
    static func visible(_ name: String) -> String { "'None\\u200b' if \(name) == 'None' else \(name)" }

    /// Returns a template for a number of the document, or unknown; 0 is a number.
    static func number(_ path: String) -> String {
        "{{ value_json.\(path) if value_json.\(path) is not none else 'None' }}"
    }

    /// Returns a template for a time of the document, or unknown.
    static func time(_ path: String) -> String { "{{ value_json.\(path) or 'None' }}" }

    /// Returns a template for a boolean of the document in the words of switches and binary sensors, or unknown.
    static func flag(_ path: String) -> String {
        "{{ 'None' if value_json.\(path) is none else 'ON' if value_json.\(path) else 'OFF' }}"
    }

    /// Returns a template for a text that is one of a select's options, else unknown, because Home Assistant logs an error for any other
    /// text.
    /// - Parameter nothing: the option to select when there is no text.
    static func choice(_ path: String, of options: [String], without nothing: String = "None") -> String {
        "{% set choice = (value_json.\(path) or '') | trim %}"
            + "{{ choice if choice in \(self.list(options)) else 'None' if choice else \(self.literal(nothing)) }}"
    }

    /// The plain payload, or unknown when it is empty.
    static let plain = "{{ value or 'None' }}"

    static func list(_ words: [String]) -> String { "[" + words.map(self.literal).joined(separator: ", ") + "]" }

    /// Returns a text as a Jinja literal, in which backslash sequences work as in Python.
    static func literal(_ text: String) -> String {
        var literal = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": literal += "\\'"
            case "\\": literal += "\\\\"
            // Escaped, so that Jinja's lexer finds none of its delimiters.
            case "{", "}", "%", "#": literal += "\\x" + String(scalar.value, radix: 16)
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "'"
    }
}
