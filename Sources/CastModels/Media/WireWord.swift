/// A value that is a word on the wire, and keeps a word that it doesn't know.
public protocol WireWord: Sendable, Hashable {
    /// The known values by their words.
    static var words: KeyValuePairs<String, Self> { get }
    /// A value with a word that `words` does not have.
    static func unknown(_ word: String) -> Self
    /// The word of a value that `words` does not have; `nil` for the others.
    var unknownWord: String? { get }
}

extension WireWord {
    /// The value of a word on the wire.
    @inlinable public init(wireValue: String) { self = Self.words.first { $0.key == wireValue }?.value ?? .unknown(wireValue) }

    /// The word on the wire.
    @inlinable public var wireValue: String { self.unknownWord ?? Self.words.first { $0.value == self }?.key ?? "" }
}
