/// A pattern in which `*` matches any run of characters, including an empty one, and `?` matches exactly one. Case is ignored.
public struct GlobPattern: Sendable, Hashable, CustomStringConvertible {
    /// The longest accepted pattern, in characters.
    public static let maximumLength = 200

    /// The pattern as written.
    public let pattern: String
    private let characters: [Character]

    /// Creates a pattern; `nil` for an empty one and for one longer than `maximumLength`.
    public init?(_ pattern: String) {
        guard !pattern.isEmpty, pattern.count <= Self.maximumLength else { return nil }
        self.pattern = pattern
        self.characters = Array(pattern.lowercased())
    }

    public var description: String { self.pattern }

    /// Returns whether the pattern matches the whole of `text`. The worst case takes time proportional to the product of both lengths.
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
                // Extend the match of the last star by one character.
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
