/// Finds the known name that is most similar to a misspelt one.
public enum NearestName {
    /// Returns the candidate with the fewest edits from `name`; `nil` when none is similar enough.
    ///
    /// - Parameter isPath: whether names are dotted paths. The only candidate with the same last part is then preferred, however long the rest is.
    public static func of(_ name: String, among candidates: [String], isPath: Bool = false) -> String? {
        let name = String(name.prefix(80)).lowercased()
        if isPath {
            let last = name.split(separator: ".").last
            let sameEnd = candidates.filter { $0.lowercased().split(separator: ".").last == last }
            if sameEnd.count == 1 { return sameEnd[0] }
        }
        let measured = candidates.map { ($0, self.distance(Array(name.utf8), Array($0.lowercased().utf8))) }
        guard let nearest = measured.min(by: { $0.1 < $1.1 }), nearest.1 < name.utf8.count, nearest.1 <= max(2, name.utf8.count / 3) else {
            return nil
        }
        return nearest.0
    }

    /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let isSame = left[row - 1] == right[column - 1]
                var best = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, before[column - 2] + 1)
                }
                current.append(best)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
