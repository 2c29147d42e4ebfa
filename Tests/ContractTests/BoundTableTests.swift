import Foundation
import Testing

@Suite("The table of queues, tables and buffers")
struct BoundTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The text of every Swift file of the tests.
    private static func sources() -> [String] {
        let files = FileManager.default.enumerator(at: Self.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }

    @Test("names a test for each bound, and each of them exists")
    func tests() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/BOUNDS.md"), encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| What | Bound | At the bound | Test |") })
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { row in
            row.dropFirst().dropLast().components(separatedBy: " | ").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        #expect(rows.count > 70)
        let sources = Self.sources()
        for cells in rows where !cells[0].hasPrefix("**") {
            let names =
                cells.count == 4 ? cells[3].split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) } : []
            #expect(!names.isEmpty, "no test for: \(cells[0])")
            for name in names {
                let parts = name.split(separator: ".").map(String.init)
                let exists = sources.contains { source in
                    ["struct \(parts[0]) {", "class \(parts[0]) {", "class \(parts[0]):"].contains { source.contains($0) }
                        && (parts.count == 1 || source.contains("func \(parts[1])("))
                }
                #expect(exists, "no test \(name) for: \(cells[0])")
            }
        }
    }
}
