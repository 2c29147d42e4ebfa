/// The reason why a text was refused.
package struct YAMLError: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The text is not a single YAML document; the message is libyaml's.
        case notYAML(String)
        /// A mapping has these keys twice, in alphabetical order.
        case repeatedKeys([String])
        case tooDeep
        /// There are more nodes than allowed, those behind aliases counted at each alias.
        case tooManyNodes
    }

    package var reason: Reason
    /// Counts from 1; `nil` for bytes that are not text.
    package var line: Int?
}
