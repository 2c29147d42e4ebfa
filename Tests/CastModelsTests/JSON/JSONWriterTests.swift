import CastModels
import Testing

@Suite("JSON writer")
struct JSONWriterTests {
    static let written: [(JSONValue, String)] = [
        (nil, "null"), (true, "true"), (0, "0"), (.integer(.min), "-9223372036854775808"), (.number(3), "3"), (.number(-0.0), "0"),
        (0.1, "0.1"),
        (.number(1e300), "1e+300"), (.number(.nan), "null"), (.number(.infinity), "null"), ("", "\"\""), ("a\"b\\c/", #""a\"b\\c/""#),
        ("\n\t\u{1}\u{1F}", #""\n\u0009\u0001\u001f""#), ("é🎬\u{7F}", "\"é🎬\u{7F}\""), ("\"", #""\"""#), ([], "[]"), ([:], "{}"),
        ([1, [2], [:]], "[1,[2],{}]"), (["a": 1, "b": ["c": nil]], #"{"a":1,"b":{"c":null}}"#),
    ]

    @Test("a value is written compactly", arguments: Self.written)
    func writes(value: JSONValue, text: String) { #expect(JSONWriter.string(of: value) == text) }

    @Test("what was written is read back unchanged", arguments: 0..<200)
    func roundTrip(seed: Int) throws {
        var generator = JSONGenerator(seed: UInt64(seed))
        let value = try JSONParser.parse(generator.text())
        let written = JSONWriter.string(of: value)
        let read = try JSONParser.parse(written)
        #expect(JSONWriter.string(of: read) == written)
        #expect(read.hasSameMeaning(as: value))
    }

    @Test("seconds and volumes are rounded to three decimals, anything else is left alone")
    func milli() {
        var writer = JSONWriter()
        writer.beginArray()
        for value in [0.3499999940395355, 12.0004, -0.0001, 1e300, 5400, .nan] { writer.milli(value) }
        writer.endArray()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "[0.35,12,0,1e+300,5400,null]")
    }
}

extension JSONValue {
    /// Equal but for the way a whole number is stored.
    func hasSameMeaning(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy { $0.hasSameMeaning(as: $1) }
        case (.object(let left), .object(let right)):
            left.keys == right.keys && zip(left.members, right.members).allSatisfy { $0.value.hasSameMeaning(as: $1.value) }
        case (.integer, .number), (.number, .integer): self.doubleValue == other.doubleValue
        default: self == other
        }
    }
}
