/// The reason why a text was rejected.
package struct YAMLError: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// The text is not a single YAML document; the message is libyaml's.
        case notYAML(String)
        /// A mapping contains these keys twice, in alphabetical order.
        case repeatedKeys([String])
        case tooDeep
        /// There are more nodes than allowed; nodes behind aliases count at each alias.
        case tooManyNodes
    }

    package var reason: Reason
    /// The line, from 1; `nil` for bytes that are not text.
    package var line: Int?
}
