/// A text that never appears in `description`, `dump` and string interpolation.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the code that authenticates with it.
    package let value: String

    package init(_ value: String) { self.value = value }

    package var description: String { "(secret)" }
    package var debugDescription: String { "(secret)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
