import Testing

@testable import CastReceiverSimulator

@Suite struct JSONTests {
    @Test(
        "a text read and written again is the same text",
        arguments: [
            "null", "true", "false", "0", "-12", "1.5", "0.3499999940395355", #""""#, #""a\"\\b\n\t\u0001é😀""#, "[]", "{}",
            #"[1,[2,{"a":null}]]"#,
            #"{"type":"LOAD","requestId":1,"media":{"duration":5400.1}}"#, "9007199254740993",
        ])
    func roundTrip(text: String) {
        #expect(JSONTextReader.read(text)?.description == text)
    }

    @Test(
        "a text that is no single JSON value is refused",
        arguments: [
            "", " ", "nul", "truex", "01", "1.", ".5", "1e", "-", "+1", "[1,]", "[1 2]", "{", #"{"a"}"#, #"{"a":1,}"#, #"{a:1}"#, "\"",
            #""\x""#, #""\u12""#,
            #""\ud800""#, #""\ud800A""#, "1 2", "1e999", "\"\u{01}\"", "NaN", "[", #"{"a":1"#,
        ])
    func refuses(text: String) {
        #expect(JSONTextReader.read(text) == nil)
    }

    @Test("escapes are understood in every spelling")
    func escapes() {
        #expect(JSONTextReader.read(#""\u0041\ud83d\ude00\/\b\f\r""#)?.text == "A😀/\u{08}\u{0C}\r")
    }

    @Test("nesting beyond the limit is refused and does not exhaust the stack")
    func depth() {
        let deepest = JSONTextReader.maximumDepth
        #expect(JSONTextReader.read(String(repeating: "[", count: deepest) + "1" + String(repeating: "]", count: deepest)) != nil)
        #expect(JSONTextReader.read(String(repeating: "[", count: 100_000)) == nil)
    }

    @Test("text that is not UTF-8 is refused")
    func invalidUTF8() {
        #expect(JSONTextReader.read([0x22, 0xFF, 0x22]) == nil)
    }

    @Test("the last of several members of one name counts, and members keep their order")
    func members() {
        var value: JSON = ["b": 1, "a": 2, "b": 3]
        #expect(value["b"] == 3)
        value["a"] = nil
        value["c"] = 4
        #expect(value.description == #"{"b":1,"b":3,"c":4}"#)
    }

    @Test("numbers that JSON cannot express are written as null")
    func notANumber() {
        #expect(JSON.array([.number(.nan), .number(.infinity), .number(2)]).description == "[null,null,2]")
    }
}
