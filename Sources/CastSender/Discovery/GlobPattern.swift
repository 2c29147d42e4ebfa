/// A pattern with `*` (any text) and `?` (one character), compared without regard to case.
public struct GlobPattern: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private let pattern: [Character]

    public init(_ pattern: String) {
        self.description = pattern
        self.pattern = Array(pattern.lowercased())
    }

    /// Whether the whole of `text` fits. Takes at most pattern × text steps, whatever both hold.
    public func matches(_ text: String) -> Bool {
        let text = Array(text.lowercased())
        var position = 0
        var index = 0
        var star: (pattern: Int, text: Int)?
        while index < text.count {
            if position < self.pattern.count, self.pattern[position] == "*" {
                star = (position, index)
                position += 1
            } else if position < self.pattern.count, self.pattern[position] == "?" || self.pattern[position] == text[index] {
                position += 1
                index += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                position = last.pattern + 1
                index = last.text + 1
            } else {
                return false
            }
        }
        return self.pattern[position...].allSatisfy { $0 == "*" }
    }
}
