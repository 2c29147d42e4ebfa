/// A value that is a word on the wire. An unknown word is kept as it is.
public protocol WireWord: Sendable, Hashable {
    /// The known values with their words.
    static var words: KeyValuePairs<String, Self> { get }
    /// Returns the value of a word that `words` does not contain.
    static func unknown(_ word: String) -> Self
    /// The word of a value that `words` does not contain; `nil` for known values.
    var unknownWord: String? { get }
}

extension WireWord {
    /// Creates the value from a word on the wire.
    @inlinable public init(wireValue: String) { self = Self.words.first { $0.key == wireValue }?.value ?? .unknown(wireValue) }

    /// The word on the wire.
    @inlinable public var wireValue: String { self.unknownWord ?? Self.words.first { $0.value == self }?.key ?? "" }
}
