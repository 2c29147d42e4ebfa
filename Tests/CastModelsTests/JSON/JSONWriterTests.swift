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

    @Test("written bytes are read back unchanged", arguments: 0..<200)
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

    @Test("rounded numbers are as short as Swift writes them", arguments: 0..<20)
    func milliIsShortest(seed: UInt64) {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            let value = Double.random(in: -1...1, using: &generator) * [1, 1000, 1e7, 9e11, 8e12][Int(seed % 5)]
            let rounded = (value * 1000).rounded() / 1000
            var writer = JSONWriter()
            writer.milli(value)
            let expected = rounded == rounded.rounded() ? String(Int64(rounded)) : rounded.description
            #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
            #expect(JSONWriter.string(of: .number(rounded)) == expected)
            #expect(JSONWriter.string(of: .number(value)) == (value == rounded ? expected : value.description))
        }
    }

    @Test("a character that must be escaped is found wherever it stands", arguments: ["\"", "\\", "\n", "\u{0}", "\u{1F}"])
    func escapesAnywhere(special: String) throws {
        for before in 0..<20 {
            for after in 0..<10 {
                let text = String(repeating: "ü", count: before) + special + String(repeating: "~", count: after)
                let written = JSONWriter.string(of: .string(text))
                #expect(try JSONParser.parse(written) == .string(text))
            }
        }
    }

    @Test("characters next to those that must be escaped are left alone")
    func leavesOthersAlone() {
        let text = " !#[]\u{7F}\u{80}\u{A2}\u{DC}ÿ一/"
        for before in 0..<9 {
            let padded = String(repeating: "a", count: before) + text
            #expect(JSONWriter.string(of: .string(padded)) == "\"\(padded)\"")
        }
    }

    @Test("members of another writer are repeated with the commas they need", arguments: [true, false])
    func repeatsMembers(isEmpty: Bool) {
        var shared = JSONWriter()
        if !isEmpty {
            shared.member("b", 2)
            shared.member("c", ["x", "y"])
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", 1)
        writer.members(of: shared)
        writer.key("d")
        writer.beginObject()
        writer.members(of: shared)
        writer.endObject()
        writer.key("e")
        writer.value(plain: "2026")
        writer.endObject()
        let members = isEmpty ? "" : #""b":2,"c":["x","y"]"#
        #expect(
            String(decoding: writer.bytes, as: UTF8.self) == "{\"a\":1,\(isEmpty ? "" : members + ",")\"d\":{\(members)},\"e\":\"2026\"}")
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
