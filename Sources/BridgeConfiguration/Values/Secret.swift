/// A text that `description`, `dump` and string interpolation never show.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for the code that authenticates with it.
    public let value: String

    public init(_ value: String) { self.value = value }

    public var description: String { "(secret)" }
    public var debugDescription: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
