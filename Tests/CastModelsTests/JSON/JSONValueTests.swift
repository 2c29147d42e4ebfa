import CastModels
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("numbers become integers only when nothing is lost")
    func integers() {
        #expect(JSONValue.integer(3).intValue == 3)
        #expect(JSONValue.number(3).intValue == 3)
        for value: JSONValue in [3.5, .number(1e300), .number(9.3e18), "3", true, nil] { #expect(value.intValue == nil) }
        #expect(JSONValue.integer(3).doubleValue == 3)
        #expect(JSONValue.string("3").doubleValue == nil)
        #expect(JSONValue.integer(1).boolValue == nil)
    }

    @Test("a key is found by its exact text")
    func lookup() {
        var object: JSONObject = ["a": 1, "ab": 2, "é": 3]
        #expect(object["a"] == 1)
        #expect(object["ab"] == 2)
        #expect(object["é"] == 3)
        #expect(object["b"] == nil)
        #expect(object[""] == nil)
        object["a"] = 5
        object["new"] = 6
        object["ab"] = nil
        #expect(object == ["a": 5, "é": 3, "new": 6])
    }

    @Test("setting a duplicate key to nothing removes all of its members")
    func removal() {
        var object = JSONObject([("a", 1), ("b", 2), ("a", 3)])
        #expect(object["a"] == 3)
        object["a"] = nil
        #expect(object == ["b": 2])
    }
}
