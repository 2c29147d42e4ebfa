import Foundation
import Testing

@Suite struct GuideTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ url: URL) throws -> [String] {
        try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The blocks of Swift in the guide.
    private static func blocks() throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try Self.lines(Self.root.appendingPathComponent("docs/LIBRARY.md")) {
            switch (line, block) {
            case ("```swift", _): block = []
            case ("```", .some(let finished)):
                blocks.append(finished)
                block = nil
            case (_, .some(let open)): block = open + [line]
            case (_, nil): break
            }
        }
        return blocks
    }

    @Test("every Swift block of the guide is compiled: it stands in a file of this folder")
    func snippets() throws {
        let sources = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix("Snippets.swift") }.map(Self.lines)
        let blocks = try Self.blocks()
        #expect(blocks.count > 10)
        for block in blocks where !block.isEmpty {
            let isCompiled = sources.contains { source in
                source.indices.contains { source[$0...].starts(with: block) }
            }
            #expect(isCompiled, "not compiled: \(block.joined(separator: "\n"))")
        }
    }

    /// The Swift files of all tests, by name.
    private static func testFiles() -> [String: URL] {
        let tests = Self.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        return Dictionary(
            files.filter { $0.pathExtension == "swift" }.map { ($0.deletingPathExtension().lastPathComponent, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test("every test that the guide's table names exists, and so does a function named after a dot")
    func table() throws {
        let text = try Self.lines(Self.root.appendingPathComponent("docs/LIBRARY.md"))
        guard let start = text.lastIndex(where: { $0.hasPrefix("| Row |") }) else {
            Issue.record("the table is missing")
            return
        }
        let files = Self.testFiles()
        let rows = text[(start + 2)...].prefix { $0.hasPrefix("|") }
        #expect(rows.count > 20)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let named = (cells.last ?? "").split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
            #expect(!named.isEmpty)
            for name in named {
                let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
                guard let file = files[parts[0]] else {
                    Issue.record("no test file \(name) for: \(cells.first ?? "")")
                    continue
                }
                guard parts.count == 2 else { continue }
                let isThere = try String(contentsOf: file, encoding: .utf8).contains("func \(parts[1])(")
                #expect(isThere, "no function \(name) for: \(cells.first ?? "")")
            }
        }
    }
}
