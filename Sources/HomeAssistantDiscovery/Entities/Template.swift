/// Templates in Home Assistant's language (Jinja), which turn a document into a state.
///
/// The exact result `None` means unknown, and a state has at most 255 characters.
enum Template {
    /// A text of the document, or unknown.
    static func text(_ path: String) -> String {
        "{% set t = ((value_json.\(path) or '') | trim)[:255] or none %}{{ \(self.visible("t")) }}"
    }

    /// The text of a variable, with an invisible character behind the word that would mean unknown.
    static func visible(_ name: String) -> String { "'None\\u200b' if \(name) == 'None' else \(name)" }

    /// A number of the document, or unknown; 0 is a number.
    static func number(_ path: String) -> String {
        "{{ value_json.\(path) if value_json.\(path) is not none else 'None' }}"
    }

    /// A time of the document, or unknown.
    static func time(_ path: String) -> String { "{{ value_json.\(path) or 'None' }}" }

    /// A boolean of the document as the words of switches and binary sensors, or unknown.
    static func flag(_ path: String) -> String {
        "{{ 'None' if value_json.\(path) is none else 'ON' if value_json.\(path) else 'OFF' }}"
    }

    /// `ON` while the text is one of `words`, else `OFF`.
    static func isOne(_ path: String, of words: [String]) -> String {
        "{{ 'ON' if value_json.\(path) in \(self.list(words)) else 'OFF' }}"
    }

    /// The text when it is one of a select's options, else unknown: any other makes Home Assistant log an error.
    /// - Parameter nothing: what is chosen when there is no text.
    static func choice(_ path: String, of options: [String], without nothing: String = "None") -> String {
        "{% set choice = (value_json.\(path) or '') | trim %}"
            + "{{ choice if choice in \(self.list(options)) else 'None' if choice else \(self.literal(nothing)) }}"
    }

    /// The plain payload, or unknown when it is empty.
    static let plain = "{{ value or 'None' }}"

    /// A list of texts as a literal of Jinja.
    static func list(_ words: [String]) -> String { "[" + words.map(self.literal).joined(separator: ", ") + "]" }

    /// A text as a literal of Jinja, which reads backslash sequences as Python does.
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
