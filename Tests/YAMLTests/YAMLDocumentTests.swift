import Testing
import Yams

@testable import YAML

private let limits = YAMLDocument.Limits(depth: 100, nodes: 10_000)

private func parse(_ text: String, _ limits: YAMLDocument.Limits = limits) throws(YAMLError) -> YAMLNode? {
    try YAMLDocument.parse(Array(text.utf8), limits: limits)
}

private func error(_ text: String, _ limits: YAMLDocument.Limits = limits) -> YAMLError? {
    do throws(YAMLError) {
        _ = try parse(text, limits)
        return nil
    } catch { return error }
}

extension YAMLNode {
    /// All of the tree but its positions, on one line.
    fileprivate var outline: String {
        switch self.content {
        case .scalar(let text, let isPlain): isPlain ? text : "\"\(text)\""
        case .sequence(let elements): "[" + elements.map(\.outline).joined(separator: ",") + "]"
        case .mapping(let pairs): "{" + pairs.map { "\($0.key.outline):\($0.value.outline)" }.joined(separator: ",") + "}"
        }
    }
}

extension Yams.Node {
    /// The same of another reader's tree.
    fileprivate var outline: String {
        switch self {
        case .scalar(let scalar): scalar.style == .plain ? scalar.string : "\"\(scalar.string)\""
        case .sequence(let elements): "[" + elements.map(\.outline).joined(separator: ",") + "]"
        case .mapping(let pairs): "{" + pairs.map { "\($0.key.outline):\($0.value.outline)" }.joined(separator: ",") + "}"
        case .alias: "alias"
        }
    }

    fileprivate var lines: [Int] {
        let children: [Yams.Node] =
            switch self {
            case .sequence(let elements): Array(elements)
            case .mapping(let pairs): pairs.flatMap { [$0.key, $0.value] }
            default: []
            }
        return [self.mark?.line ?? 0] + children.flatMap(\.lines)
    }
}

extension YAMLNode {
    fileprivate var lines: [Int] {
        switch self.content {
        case .scalar: [self.line]
        case .sequence(let elements): [self.line] + elements.flatMap(\.lines)
        case .mapping(let pairs): [self.line] + pairs.flatMap { $0.key.lines + $0.value.lines }
        }
    }
}

@Suite("A YAML document")
struct YAMLDocumentTests {
    static let texts = [
        "a: 1\nb: [x, 'y', \"z\\n\"]\nc:\n  - d: {e: ~}\n  -\n  - |\n    two\n    lines\n  - >-\n    folded\n    text\n",
        "- &one [1, 2]\n- *one\n- &one three\n- *one\n", "base: &b {x: 1}\nother: {<<: *b, y: 2}\n", "? [complex, key]\n: value\n",
        "--- !!map\na: !!str 5\n...\n", "%YAML 1.1\n---\n\"quoted\\u00e9\\x41\": 'it''s'\n", "a: b # comment\r\nc: d\r\n",
        "just text", "'1': a\n", "key: \"with\\0NUL\"", "emoji: 🎵\n日本: 語\n", "- \n- - - nested\n", "a:\n  b:\n\n\n    c: 1\n# end",
        "[a, b, {c: d}, ]", "{a, b: , c: }", "long: \(String(repeating: "word ", count: 2_000))\n",
    ]

    @Test("has the tree and the lines that Yams reads", arguments: texts)
    func likeYams(text: String) throws {
        let (ours, theirs) = (try #require(try parse(text)), try #require(try Yams.compose(yaml: text)))
        #expect(ours.outline == theirs.outline)
        #expect(ours.lines == theirs.lines)
    }

    @Test("is empty without content", arguments: ["", "\n\n", "# only a comment\n", "\u{FEFF}"])
    func empty(text: String) throws {
        #expect(try parse(text) == nil)
    }

    @Test("may begin with a byte order mark")
    func byteOrderMark() throws {
        let root = try #require(try parse("\u{FEFF}a: b\nc: d\n"))
        #expect(root.outline == "{a:b,c:d}")
        #expect(root.column == 1)
    }

    @Test("has lines and columns that count from 1")
    func positions() throws {
        let root = try #require(try parse("# head\na: 1\nlist:\n  - {é: x, b: y}\n"))
        let element = try #require(root["list"])
        guard case .sequence(let elements) = element.content, case .mapping(let pairs) = elements.first?.content else {
            Issue.record("\(root.outline)")
            return
        }
        #expect([root.line, root.column] == [2, 1])
        #expect([pairs[1].key.line, pairs[1].key.column] == [4, 12])
    }

    @Test("distinguishes an unquoted null from a quoted one")
    func null() throws {
        let root = try #require(try parse("[~, null, Null, NULL, '', 'null', nULL, x, ]"))
        guard case .sequence(let elements) = root.content else { return }
        #expect(elements.map(\.isNull) == [true, true, true, true, false, false, false, false])
        #expect(try parse("a:")?["a"]?.isNull == true)
    }

    @Test("finds the value of a key, quoted or not")
    func subscripts() throws {
        let root = try #require(try parse("a: 1\n\"b\": 2\n"))
        #expect(root["a"]?.text == "1")
        #expect(root["b"]?.text == "2")
        #expect(root["c"] == nil)
        #expect(root["a"]?["b"] == nil)
    }

    @Test(
        "that is invalid is refused with its line",
        arguments: [
            ("a: [1", 2), ("a: b: c", 1), ("x:\n\t- y", 2), ("a: 1\n---\nb: 2", 2), ("a: 1\n- b", 2), ("'open", 2), ("a: *b", 1),
            ("&a [*a]", 1),
            ("a: \"\\q\"", 1), ("a: \"\\ud800\"", 1), ("%YAML 9.9\n---\na", 1), ("a: @b", 1), ("- a\n]", 2),
        ])
    func refused(text: String, line: Int) throws {
        // Two of these are errors at the end of the text, whose line depends on whether it ends with a newline.
        let found = try #require(error(text))
        guard case .notYAML = found.reason else {
            Issue.record("\(found)")
            return
        }
        #expect(found.line.map { $0 == line || $0 == line - 1 } == true, "\(found)")
    }

    @Test(
        "with a tag that another program would resolve is refused with its line",
        arguments: [
            ("a: !secret x", 1, "!secret"), ("a: 1\nb: !env_var X", 2, "!env_var"), ("a:\n- !include x.yaml", 2, "!include"),
            ("a: !foo [1]", 1, "!foo"), ("a: !foo {b: 1}", 1, "!foo"), ("- !!binary aGk=", 1, "tag:yaml.org,2002:binary"),
        ])
    func unknownTag(text: String, line: Int, tag: String) {
        #expect(error(text) == YAMLError(reason: .notYAML("found the unknown tag \(tag); write the value itself"), line: line))
    }

    @Test("with a key twice is refused at its first use, with all such keys")
    func repeatedKeys() {
        #expect(error("x: 1\nb: 1\na: 1\nb: 2\n'a': 2\n") == YAMLError(reason: .repeatedKeys(["a", "b"]), line: 3))
        #expect(error("- {a: {c: 1, c: 2}}") == YAMLError(reason: .repeatedKeys(["c"]), line: 1))
        #expect(error("[a]: 1\n[a]: 2") == nil)
    }
}

@Suite("Hostile YAML")
struct HostileYAMLTests {
    @Test("is refused when it is nested too deeply, however that is done")
    func deep() {
        let few = YAMLDocument.Limits(depth: 3, nodes: 1_000)
        #expect(error("[[[x]]]", few) == nil)
        #expect(error("\n[[[[x]]]]", few) == YAMLError(reason: .tooDeep, line: 2))
        #expect(error("a:\n  b:\n    c:\n      d: 1", few) == YAMLError(reason: .tooDeep, line: 4))
        #expect(error("- &a [x]\n- &b [*a]\n- *b", few) == nil)
        #expect(error("- &a [x]\n- &b [*a]\n- [*b]", few) == YAMLError(reason: .tooDeep, line: 3))
        for text in ["[", "{a: ", "- ", "? ", "{? ", "[{"] {
            #expect(error(String(repeating: text, count: 20_000))?.reason == .tooDeep)
        }
        // Each line holds the one before: deep without a bracket inside a bracket.
        let chain = "- &a0 [x]\n" + (1..<5_000).map { "- &a\($0) [*a\($0 - 1)]\n" }.joined()
        #expect(error(chain, YAMLDocument.Limits(depth: 100, nodes: .max))?.reason == .tooDeep)
    }

    @Test("is refused when aliases make much of it")
    func aliases() {
        let laughs = "a0: &a0 [x, x]\n" + (1..<40).map { "a\($0): &a\($0) [*a\($0 - 1), *a\($0 - 1)]\n" }.joined()
        #expect(error(laughs)?.reason == .tooManyNodes)
        #expect(error(String(repeating: "- x\n", count: 10_001))?.reason == .tooManyNodes)
        #expect(error(String(repeating: "- x\n", count: 9_999)) == nil)
    }

    @Test(
        "is refused when it is no text",
        arguments: [
            [0xFF], [0xFE, 0xFF, 0x00, 0x61], [0xFF, 0xFE, 0x61, 0x00], [0xC3], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
            [0xC0, 0x80], [0x61, 0x3A, 0x20, 0x00], [0x00], [0x61, 0x3A, 0x20, 0x01], [0x61, 0x3A, 0x20, 0x7F],
            [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func notText(bytes: [UInt8]) {
        #expect { try YAMLDocument.parse(bytes, limits: limits) } throws: { ($0 as? YAMLError)?.line == nil }
    }

    @Test("is read to an end whatever bytes it has, and to the same end as by Yams")
    func mutated() throws {
        var seed: UInt64 = 7
        func random(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: seed >> 33) % bound
        }
        var accepted = 0
        let alphabet = Array("[]{},:-?&*!|>'\"%@`#~ \n\tab1\\\u{85}\u{2028}é".utf8)
        for round in 0..<4_000 {
            var bytes = Array(YAMLDocumentTests.texts[round % 15].utf8)
            for _ in 0...random(4) {
                let place = random(bytes.count)
                switch random(3) {
                case 0: bytes[place] = alphabet[random(alphabet.count)]
                case 1: bytes.insert(alphabet[random(alphabet.count)], at: place)
                default: bytes[place] = UInt8(random(256))
                }
            }
            let ours = try? YAMLDocument.parse(bytes, limits: limits)
            guard let ours, let text = String(validating: bytes, as: UTF8.self) else { continue }
            accepted += 1
            #expect(try Yams.compose(yaml: text)?.outline == ours.outline, "\(text)")
        }
        #expect(accepted > 400)
    }
}
