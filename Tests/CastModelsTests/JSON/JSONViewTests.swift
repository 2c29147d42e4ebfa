import Testing

@_spi(JSON) @testable import CastModels

@Suite("JSON read in place")
struct JSONViewTests {
    private static func read<Value>(_ text: String, _ body: (JSONView) -> Value) throws -> Value {
        try Array(text.utf8).withUnsafeBytes { try JSONReader.read($0, body) }
    }

    /// Whether every way into `view` leads to what `value` has.
    private static func isSame(_ view: JSONView, _ value: JSONValue) -> Bool {
        guard view.stringValue == value.stringValue, view.boolValue == value.boolValue, view.intValue == value.intValue,
            view.doubleValue == value.doubleValue, view.isNull == value.isNull, (view.objectView != nil) == (value.objectValue != nil),
            (view.arrayView != nil) == (value.arrayValue != nil)
        else { return false }
        let (elements, members) = (Array(view.elements), Array(view.members))
        let (wanted, wantedMembers) = (value.arrayValue ?? [], value.objectValue?.members ?? [])
        return elements.count == wanted.count && zip(elements, wanted).allSatisfy { self.isSame($0, $1) }
            && members.count == wantedMembers.count
            && zip(members, wantedMembers).allSatisfy { $0.key.string == $1.key && self.isSame($0.value, $1.value) }
    }

    @Test("random values are found as the tree has them", arguments: 0..<40)
    func random(seed: Int) throws {
        var generator = JSONGenerator(seed: UInt64(seed))
        for _ in 0..<50 {
            let text = generator.text()
            let value = try JSONParser.parse(text)
            #expect(try Self.read(text) { Self.isSame($0, value) }, "\(text)")
            // A container's own text is that value again.
            let part = try Self.read(text) { $0.objectView ?? $0.arrayView == nil ? nil : Array($0.bytes) }
            if let part { #expect(try JSONParser.parse(part) == value) }
        }
    }

    @Test("keys are found by their bytes, the last of equal ones, with or without escapes")
    func keys() throws {
        let text = #"{"a":1,"ab":2,"abcdefgh":3,"abcdefghi":4,"b":5,"\u0061":6,"é":7,"":8}"#
        let found = try Self.read(text) { view in
            [view["a"], view["ab"], view["abcdefgh"], view["abcdefghi"], view["b"], view["é"], view[""], view["abc"]].map { $0?.intValue }
        }
        #expect(found == [6, 2, 3, 4, 5, 7, 8, nil])
    }

    static let words = ["", "a", "abcdefg", "abcdefgh", "abcdefghi", "abcdefghabcdefgh", "abcdefghabcdefgX", "Xbcdefgh"]

    @Test("a word is distinguished from those with its length or its beginning", arguments: words)
    func isWord(word: String) throws {
        let found = try Self.read("\"\(word)\"") { view -> String? in
            switch view.stringView {
            case .some(let text):
                switch text {
                case "": ""
                case "a": "a"
                case "abcdefg": "abcdefg"
                case "abcdefgh": "abcdefgh"
                case "abcdefghi": "abcdefghi"
                case "abcdefghabcdefgh": "abcdefghabcdefgh"
                case "abcdefghabcdefgX": "abcdefghabcdefgX"
                default: nil
                }
            case nil: nil
            }
        }
        #expect(found == (word == "Xbcdefgh" ? nil : word))
    }

    @Test("strings of every length are read at every distance from the end of the text", arguments: 0..<40)
    func lengths(length: Int) throws {
        for space in 0..<10 {
            for (text, string) in [
                (String(repeating: "x", count: length), String(repeating: "x", count: length)),
                (String(repeating: "x", count: length) + "é", String(repeating: "x", count: length) + "é"),
                (String(repeating: "x", count: length) + #"\n\u00e9y"#, String(repeating: "x", count: length) + "\néy"),
            ] {
                #expect(try JSONParser.parse("\"\(text)\"" + String(repeating: " ", count: space)) == .string(string))
            }
        }
    }

    @Test("every cut of a text is an error at its end", arguments: [#"{"a":[true,{"b":"c\u00e9\\"}],"d":"0123456789"}"#])
    func cuts(text: String) throws {
        for length in 0..<text.utf8.count {
            let error = #expect(throws: JSONError.self) { try JSONParser.parse(Array(text.utf8.prefix(length))) }
            #expect(error == JSONError(.unexpectedEnd, at: length))
        }
    }
}
