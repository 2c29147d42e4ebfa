/// A pattern in which `*` stands for any run of characters, also none, and `?` for exactly one. Letters match in either case.
public struct GlobPattern: Sendable, Hashable, CustomStringConvertible {
    /// Longest accepted pattern, in characters.
    public static let maximumLength = 200

    /// The pattern as it was written.
    public let pattern: String
    private let characters: [Character]

    /// `nil` for an empty pattern and for one above `maximumLength`.
    public init?(_ pattern: String) {
        guard !pattern.isEmpty, pattern.count <= Self.maximumLength else { return nil }
        self.pattern = pattern
        self.characters = Array(pattern.lowercased())
    }

    public var description: String { self.pattern }

    /// Whether the whole of `text` fits. Takes time in proportion to the product of both lengths at worst.
    public func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased())
        var position = 0
        var next = 0
        var star: (pattern: Int, text: Int)?
        while position < text.count {
            if next < self.characters.count, self.characters[next] == "*" {
                star = (next, position)
                next += 1
            } else if next < self.characters.count, self.characters[next] == "?" || self.characters[next] == text[position] {
                next += 1
                position += 1
            } else if let last = star {
                // Let the last star swallow one more character.
                star = (last.pattern, last.text + 1)
                next = last.pattern + 1
                position = last.text + 1
            } else {
                return false
            }
        }
        return self.characters[next...].allSatisfy { $0 == "*" }
    }
}
