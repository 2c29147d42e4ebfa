/// Reads the header `Range` (RFC 9110, section 14). Pure.
enum ByteRange: Equatable {
    /// All of it: no range, several, or one that can't be read.
    case whole
    case part(Range<Int>)
    case unsatisfiable

    /// - Parameters:
    ///   - header: the values of all `Range` fields.
    ///   - size: the bytes of the content.
    init(_ header: [String], size: Int) {
        self = .whole
        guard header.count == 1, header[0].utf8.count <= 100, header[0].lowercased().hasPrefix("bytes=") else { return }
        let bounds = header[0].dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        guard bounds.count == 2, bounds.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        // A number of more digits than Int has lies beyond every end.
        let numbers = bounds.map { $0.isEmpty ? nil : Int($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, nil): return
        case (nil, let count?): self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
        case (let first?, let last) where last.map({ $0 >= first }) ?? true:
            self = first >= size ? .unsatisfiable : .part(first..<min(size - 1, last ?? .max) + 1)
        default: return
        }
    }
}
