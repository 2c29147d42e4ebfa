import Foundation
import Testing

@Suite struct GuideTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func lines(_ url: URL) throws -> [String] {
        try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// The blocks of Swift in a document.
    private static func blocks(in document: URL) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try Self.lines(document) {
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

    /// The files of a folder whose names end in `suffix`.
    private static func files(_ folder: String, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: Self.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(suffix) }
    }

    /// The guide and the articles of one library, and the files in which their Swift stands.
    struct Library: Sendable, CustomTestStringConvertible {
        let name: String
        let guide: String
        let snippets: (folder: String, suffix: String)
        let leastCount: Int
        var testDescription: String { self.name }
    }

    private static let libraries = [
        Library(
            name: "CastSender", guide: "docs/LIBRARY.md", snippets: ("Tests/CastSenderTests/Guide", "Snippets.swift"), leastCount: 30),
        Library(
            name: "CastReceiverSimulator", guide: "docs/SIMULATOR.md",
            snippets: ("Tests/IntegrationTests/Cast", "SimulatorGuideTests.swift"), leastCount: 3),
    ]

    @Test("every Swift block of the guide and the articles is compiled: it stands in a file of the tests", arguments: Self.libraries)
    func snippets(_ library: Library) throws {
        let sources = try Self.files(library.snippets.folder, library.snippets.suffix).map(Self.lines)
        let articles = try Self.files("Sources/\(library.name)/\(library.name).docc", ".md")
        #expect(articles.count > 1)
        let documents = [Self.root.appendingPathComponent(library.guide)] + articles
        let blocks = try documents.flatMap(Self.blocks)
        #expect(blocks.count >= library.leastCount)
        for block in blocks where !block.isEmpty {
            let isCompiled = sources.contains { source in
                source.indices.contains { source[$0...].starts(with: block) }
            }
            #expect(isCompiled, "not compiled: \(block.joined(separator: "\n"))")
        }
    }

    /// The code of all tests by the name of its file, without comments; files of equal names together.
    private static func testCode() throws -> [String: String] {
        let tests = Self.root.appendingPathComponent("Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        var code: [String: String] = [:]
        for file in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
                .filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
            code[file.deletingPathExtension().lastPathComponent, default: ""] += lines.joined(separator: "\n") + "\n"
        }
        return code
    }

    /// A member of a suite, with its attributes.
    private struct Member {
        let name: String?
        let text: String
        var isTest: Bool { self.text.hasPrefix("    @Test") }

        /// - Parameter text: the lines of the member; the declaration is the first one that names it.
        init(_ text: String) {
            self.text = text
            let lines = text.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.hasPrefix("     ") }
            self.name = lines.lazy.compactMap { $0.firstMatch(of: /^ {4}(?:@\w+ )?[a-z ]*(?:func|let|var) (\w+)/)?.1 }.first.map(
                String.init)
        }
    }

    /// The members of the types in a file, as the formatter's indentation shows them.
    private static func members(of code: String) -> [Member] {
        var texts: [String] = []
        for line in code.components(separatedBy: "\n") {
            let depth = line.prefix { $0 == " " }.count
            let first = line.dropFirst(depth).first ?? "}"
            // Attributes on lines of their own belong to the declaration that follows.
            let isAttribute = texts.last.map { $0.hasPrefix("    @") && !$0.contains("func ") } ?? false
            let begins = depth == 0 ? !line.isEmpty : depth == 4 && (first.isLetter || first == "@") && !isAttribute
            if begins || texts.isEmpty { texts.append(line) } else { texts[texts.count - 1] += "\n" + line }
        }
        return texts.map(Member.init)
    }

    /// Returns a test together with the members of its suite that it names after `Self.`, and those that these name.
    private static func whole(_ test: Member, in members: [Member]) -> String {
        var (pending, known, text) = ([test], Set<String>(), "")
        while let member = pending.popLast() {
            text += member.text + "\n"
            for name in member.text.matches(of: /\bSelf\.(\w+)/).map({ String($0.1) }) where known.insert(name).inserted {
                pending += members.filter { $0.name == name && !$0.isTest }
            }
        }
        return text
    }

    /// A row of the guide's table: one part of the API.
    private struct Row {
        let title: String
        /// The last words of the names in the second column: `setPassive` of `DiscoveryManager.setPassive`.
        let names: [String]
        /// `Suite` or `Suite.function`.
        let tests: [String]

        init(_ line: String) {
            let cells = line.dropFirst().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            self.title = cells.first ?? ""
            let code = (cells.dropFirst().first ?? "").split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map(\.element)
            self.names = code.compactMap {
                $0.split { !$0.isLetter && $0 != "_" && $0 != "." }.first?.split(separator: ".").last.map(String.init)
            }
            self.tests = (cells.last ?? "").split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
    }

    @Test("the functions that a row of the guide's table names assert, and use each API of the row")
    func table() throws {
        let text = try Self.lines(Self.root.appendingPathComponent("docs/LIBRARY.md"))
        let start = try #require(text.lastIndex { $0.hasPrefix("| Row |") })
        let rows = text[(start + 2)...].prefix { $0.hasPrefix("|") }.map(Row.init)
        #expect(rows.count > 20)
        let code = try Self.testCode()
        for row in rows {
            #expect(!row.tests.isEmpty)
            var used = ""
            for test in row.tests {
                let parts = test.split(separator: ".", maxSplits: 1).map(String.init)
                guard let suite = code[parts[0]] else {
                    Issue.record("no test file \(test) for: \(row.title)")
                    continue
                }
                let members = Self.members(of: suite)
                let named = members.filter { $0.isTest && (parts.count == 1 || $0.name == parts[1]) }
                let asserting = named.map { Self.whole($0, in: members) }.filter { $0.contains("#expect") || $0.contains("#require") }
                #expect(!asserting.isEmpty, "no function of \(test) that asserts for: \(row.title)")
                used += asserting.joined(separator: "\n")
            }
            let words = Set(used.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
            let unused = row.names.filter { !words.contains($0) }
            #expect(unused == [], "names of the row \(row.title) that its tests don't use")
        }
    }
}
