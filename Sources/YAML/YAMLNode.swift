/// A value of a YAML document with its position.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        /// A scalar as text. `isPlain` is `false` when it was quoted or written as a block.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// The pairs in written order. Scalar keys are unique.
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    package let content: Content
    /// The line, from 1. A node that an alias refers to keeps the position of its anchor.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int
    /// The number of nodes in this tree; nodes behind aliases count at each alias.
    let size: Int
    /// The depth of nested collections, including this one; 0 for a scalar.
    let depth: Int

    /// The text of a scalar; `nil` for other nodes.
    package var text: String? {
        guard case .scalar(let text, _) = self.content else { return nil }
        return text
    }

    /// Whether this is an unquoted null of YAML's core schema: empty, `~`, `null`, `Null` or `NULL`.
    package var isNull: Bool {
        guard case .scalar(let text, isPlain: true) = self.content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The value of a scalar key; `nil` for a missing key and for other nodes.
    package subscript(key: String) -> YAMLNode? {
        guard case .mapping(let pairs) = self.content else { return nil }
        return pairs.first { $0.key.text == key }?.value
    }
}
