import CastModels
import TestSupport
import Testing

@Suite("JSON parser")
struct JSONParserTests {
    static let accepted: [(String, JSONValue)] = [
        ("null", .null), (" true ", true), ("false\n", false), ("0", 0), ("-0", 0), ("-0.0", .number(-0.0)), ("3.0", .number(3)),
        ("1e2", .number(100)),
        ("1E+2", .number(100)), ("25e-1", .number(2.5)), ("0.2258118838071823", 0.2258118838071823),
        ("0.30000001192092896", 0.30000001192092896), ("9007199254740993", .integer(9_007_199_254_740_993)),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        // Between two numbers: the even one.
        ("9007199254740993.0", .number(9_007_199_254_740_992)), ("900719925474099.50", .number(900_719_925_474_099.5)),
        ("0.9999999999999999999", .number(1)),
        ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("123456789012345678901234567890", .number(1.2345678901234568e29)),
        ("4.9e-324", .number(.leastNonzeroMagnitude)), ("1e-999", .number(0)),
        ("1.7976931348623157e308", .number(.greatestFiniteMagnitude)),
        ("1e00002", .number(100)), ("0e99999", .number(0)), ("\"\"", ""), (#""a\"b\\c\/\b\f\n\r\t""#, "a\"b\\c/\u{8}\u{C}\n\r\t"),
        (#""\u0041\u00E9\u00e9""#, "Aéé"), (#""\ud83c\udfac""#, "🎬"), ("\"Füße 漢字 🎬\"", "Füße 漢字 🎬"),
        ("\"exactly 15 byte\"", "exactly 15 byte"), ("\"exactly 16 bytes\"", "exactly 16 bytes"), (#""\u0000""#, "\u{0}"),
        ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]), ("[1,[2,[]],{}]", [1, [2, []], [:]]),
        (#"{"a":{"b":[null]},"c":1}"#, ["a": ["b": [nil]], "c": 1]),
        (#"{"":1}"#, ["": 1]), ("\t[\r\n1 , 2\t]", [1, 2]),
    ]

    @Test("text of RFC 8259 becomes its value", arguments: Self.accepted)
    func accepts(text: String, value: JSONValue) throws {
        #expect(try JSONParser.parse(text) == value)
        #expect(try JSONParser.parse(Array(text.utf8)) == value)
    }

    @Test(
        "a surrogate without its other half becomes U+FFFD and the rest is kept",
        arguments: [
            (#""\ud83c""#, "\u{FFFD}"), (#""\udfac!""#, "\u{FFFD}!"), (#""\ud83cx""#, "\u{FFFD}x"), (#""\ud83c\n""#, "\u{FFFD}\n"),
            (#""\ud83cA""#, "\u{FFFD}A"), (#""\ud83c\ud83c\udfac""#, "\u{FFFD}🎬"), (#""\udfac\ud83c""#, "\u{FFFD}\u{FFFD}"),
        ])
    func loneSurrogates(text: String, value: String) throws { #expect(try JSONParser.parse(text) == .string(value)) }

    @Test("a number is the nearest Double to its text", arguments: 0..<20)
    func exactNumbers(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<500 {
            let whole = String(Int.random(in: 0...Int(pow10(Int.random(in: 0...18, using: &random))), using: &random))
            let decimals = (0..<Int.random(in: 1...20, using: &random)).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            let exponent = Bool.random(using: &random) ? "e\(Int.random(in: -40...40, using: &random))" : ""
            let text = "\(Bool.random(using: &random) ? "-" : "")\(whole).\(decimals)\(exponent)"
            #expect(try JSONParser.parse(text).doubleValue == Double(text), "\(text)")
        }
    }

    private func pow10(_ exponent: Int) -> Double { (0..<exponent).reduce(1) { power, _ in power * 10 } }

    @Test("the last of duplicate keys wins and all are kept in order")
    func duplicates() throws {
        let value = try JSONParser.parse(#"{"a":1,"b":2,"a":null,"a":3}"#)
        #expect(value["a"] == 3)
        #expect(value.objectValue?.keys == ["a", "b", "a", "a"])
    }

    static let refused: [(String, JSONError.Kind, Int)] = [
        ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3), ("nulL", .unexpectedByte, 3),
        ("NaN", .unexpectedByte, 0),
        ("Infinity", .unexpectedByte, 0), ("-Infinity", .badNumber, 1), ("-", .badNumber, 1), ("+1", .unexpectedByte, 0),
        ("01", .badNumber, 0),
        ("-01", .badNumber, 1), ("00", .badNumber, 0), ("1.", .badNumber, 2), (".5", .unexpectedByte, 0), ("1e", .badNumber, 2),
        ("1e+", .badNumber, 3), ("1.e2", .badNumber, 2), ("0x10", .trailingBytes, 1), ("1e999", .badNumber, 0), ("-1e400", .badNumber, 0),
        ("1 2", .trailingBytes, 2), ("\"a", .unexpectedEnd, 2), ("\"a\\", .unexpectedEnd, 3), ("\"\\x\"", .badString, 2),
        ("\"\\u12\"", .badString, 5), ("\"\\u12g4\"", .badString, 5), ("\"\\u12", .unexpectedEnd, 5), ("\"\n\"", .badString, 1),
        ("\"\u{0}\"", .badString, 1), ("\"a\\n\u{1F}\"", .badString, 4), ("'a'", .unexpectedByte, 0), ("[", .unexpectedEnd, 1),
        ("[1", .unexpectedEnd, 2),
        ("[1,", .unexpectedEnd, 3), ("[1,]", .unexpectedByte, 3), ("[,1]", .unexpectedByte, 1), ("[1 2]", .unexpectedByte, 3),
        ("[1}", .unexpectedByte, 2), ("{", .unexpectedEnd, 1), (#"{"a""#, .unexpectedEnd, 4), (#"{"a":"#, .unexpectedEnd, 5),
        (#"{"a":1"#, .unexpectedEnd, 6), (#"{"a":1,}"#, .unexpectedByte, 7), (#"{"a" 1}"#, .unexpectedByte, 5),
        ("{1:2}", .unexpectedByte, 1),
        ("{a:1}", .unexpectedByte, 1), ("{]", .unexpectedByte, 1), ("]", .unexpectedByte, 0), ("// no", .unexpectedByte, 0),
        ("\u{FEFF}1", .unexpectedByte, 0),
    ]

    @Test("any other text is an error with its position", arguments: Self.refused)
    func refuses(text: String, kind: JSONError.Kind, offset: Int) {
        let error = #expect(throws: JSONError.self, "\(text)") { try JSONParser.parse(text) }
        #expect(error?.kind == kind, "\(text)")
        #expect(error?.offset == offset, "\(text)")
    }

    @Test(
        "bytes that are no UTF-8 are an error",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0x5C, 0x6E, 0x80, 0x22], [0x7B, 0x22, 0xFE, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]])
    func badUTF8(bytes: [UInt8]) {
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(bytes) }
        #expect(error?.kind == .badString)
    }

    @Test("nesting is accepted up to the bound and not beyond", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(begin: String, end: String) throws {
        func nested(_ depth: Int) -> String { String(repeating: begin, count: depth) + "1" + String(repeating: end, count: depth) }
        _ = try JSONParser.parse(nested(64))
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(nested(65)) }
        #expect(error?.kind == .tooDeep)
        #expect(throws: JSONError.self) { try JSONParser.parse(String(repeating: begin, count: 20_000)) }
    }

    @Test("siblings don't count as depth")
    func siblings() throws {
        let text = "[" + Array(repeating: "[{}]", count: 1000).joined(separator: ",") + "]"
        #expect(try JSONParser.parse(text).arrayValue?.count == 1000)
    }

    @Test("text is accepted up to the longest size and not beyond")
    func size() throws {
        let longest = "\"" + String(repeating: "x", count: JSONParser.maximumSize - 2) + "\""
        _ = try JSONParser.parse(longest)
        let error = #expect(throws: JSONError.self) { try JSONParser.parse(longest + " ") }
        #expect(error?.kind == .tooLong)
    }
}
