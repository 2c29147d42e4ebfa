import Foundation
import TestSupport
import Testing

@Suite("The schema validator")
struct SchemaValidatorTests {
    private static let base = "https://test.example/1/"

    private func validator(_ rules: String, others: [String] = []) throws -> SchemaValidator {
        try SchemaValidator(
            [Data(#"{"$id":"\#(Self.base)main.json","allOf":[\#(rules)]}"#.utf8)] + others.map { Data($0.utf8) })
    }

    private func violations(_ rules: String, _ value: String, others: [String] = []) throws -> [SchemaValidator.Violation] {
        try self.validator(rules, others: others).violations(of: JSONTree(Data(value.utf8)), schema: Self.base + "main.json")
    }

    /// A rule, a value that obeys it and one that doesn't.
    static let rules: [(rule: String, right: String, wrong: String)] = [
        (#"{"type":"integer"}"#, "3", "3.5"), (#"{"type":"number"}"#, "3", #""3""#), (#"{"type":"boolean"}"#, "true", "1"),
        (#"{"type":["string","null"]}"#, "null", "0"), (#"{"type":"array"}"#, "[]", "{}"), (#"{"type":"object"}"#, "{}", "[]"),
        (#"{"const":1}"#, "1", "2"), (#"{"enum":["a",null]}"#, "null", #""b""#),
        (#"{"required":["a"]}"#, #"{"a":null}"#, #"{"b":1}"#),
        (#"{"properties":{"a":{"type":"string"}}}"#, #"{"a":"x","b":1}"#, #"{"a":1}"#),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1}"#, #"{"a":1,"b":1}"#),
        (#"{"additionalProperties":{"type":"string"}}"#, #"{"a":"x"}"#, #"{"a":1}"#),
        (#"{"propertyNames":{"pattern":"^[a-z]+$"}}"#, #"{"a":1}"#, #"{"A":1}"#),
        (#"{"items":{"type":"integer"}}"#, "[1,2]", #"[1,"2"]"#), (#"{"prefixItems":[{"const":1}],"items":false}"#, "[1]", "[1,2]"),
        (#"{"prefixItems":[{"const":1}]}"#, "[1,9]", "[2]"), (#"{"minItems":1}"#, "[1]", "[]"), (#"{"maxItems":1}"#, "[1]", "[1,2]"),
        (#"{"uniqueItems":true}"#, "[1,2]", "[1,1]"), (#"{"minProperties":1}"#, #"{"a":1}"#, "{}"),
        (#"{"maxProperties":1}"#, #"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"minimum":0}"#, "0", "-0.1"), (#"{"maximum":100}"#, "100", "101"),
        (#"{"exclusiveMinimum":0}"#, "0.1", "0"), (#"{"minLength":1}"#, #""é""#, #""""#), (#"{"maxLength":2}"#, #""éé""#, #""abc""#),
        (#"{"pattern":"^a"}"#, #""ab""#, #""ba""#), (#"{"format":"date-time"}"#, #""2026-11-21T14:03:22.481Z""#, #""yesterday""#),
        (#"{"format":"date-time"}"#, #""2026-11-21T14:03:22Z""#, #""2026-11-21""#),
        (#"{"anyOf":[{"type":"null"},{"minimum":5}]}"#, "6", "4"), (#"{"oneOf":[{"minimum":1},{"maximum":3}]}"#, "0", "2"),
        (#"{"not":{"type":"null"}}"#, "1", "null"), ("true", "1", "1"), ("false", "1", "1"),
        (#"{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}"#, #"{"a":1,"b":1}"#, #"{"d":1}"#),
        (##"{"$ref":"#/$defs/word"}"##, #""x""#, "1"), (##"{"$ref":"other.json#/$defs/small"}"##, "1", "20"),
        (#"{"$ref":"part/deep.json"}"#, "1", "20"),
        (##"{"$ref":"other.json#/$defs/base","unevaluatedProperties":false}"##, #"{"a":1}"#, #"{"b":1}"#),
        (##"{"$ref":"other.json#/$defs/base","properties":{"b":true},"unevaluatedProperties":false}"##, #"{"a":1,"b":1}"#, #"{"c":1}"#),
        (#"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"type":"string"}}"#, #"{"a":1,"b":"x"}"#, #"{"b":1}"#),
        (
            #"{"oneOf":[{"required":["a"],"properties":{"a":true}},{"required":["b"],"properties":{"b":true}}],"unevaluatedProperties":false}"#,
            #"{"b":1}"#, #"{"a":1,"c":1}"#
        ),
        (
            #"{"if":{"required":["a"]},"then":{"properties":{"a":true}},"else":{"properties":{"b":true}},"unevaluatedProperties":false}"#,
            #"{"b":1}"#, #"{"a":1,"b":1}"#
        ),
        (#"{"not":{"required":["c"],"properties":{"a":true}},"unevaluatedProperties":false}"#, "{}", #"{"a":1}"#),
        (#"{"allOf":[{"additionalProperties":{"type":"string"}}],"unevaluatedProperties":false}"#, #"{"a":"x"}"#, #"{"a":1}"#),
    ]

    private static let others = [
        #"{"$id":"https://test.example/1/other.json","$defs":{"small":{"maximum":9},"base":{"properties":{"a":true}}}}"#,
        #"{"$id":"https://test.example/1/part/deep.json","$ref":"../other.json#/$defs/small"}"#,
    ]

    @Test("distinguishes values that obey a rule from others", arguments: rules.indices)
    func rule(_ index: Int) throws {
        let (rule, right, wrong) = Self.rules[index]
        let main = Data(#"{"$id":"\#(Self.base)main.json","$defs":{"word":{"type":"string"}},"allOf":[\#(rule)]}"#.utf8)
        let validator = try SchemaValidator([main] + Self.others.map { Data($0.utf8) })
        let rightFindings = try validator.violations(of: JSONTree(Data(right.utf8)), schema: Self.base + "main.json")
        let wrongFindings = try validator.violations(of: JSONTree(Data(wrong.utf8)), schema: Self.base + "main.json")
        #expect(rightFindings.isEmpty == (rule != "false"))
        #expect(wrongFindings.isEmpty == (rule == "true"))
    }

    @Test("names the place of what is wrong")
    func place() throws {
        let rules = #"{"properties":{"a/b":{"items":{"type":"integer"}}}}"#
        #expect(try self.violations(rules, #"{"a/b":[1,"x"]}"#).map(\.path) == ["/a~1b/1"])
    }

    @Test(
        "refuses a schema that it does not understand",
        arguments: [
            #"{"dependentSchemas":{}}"#, #"{"$ref":"nowhere.json"}"#, ##"{"$ref":"#/$defs/none"}"##, "3", #"{"then":true}"#,
        ])
    func unknown(_ rule: String) { #expect(throws: SchemaValidator.Violation.self) { try self.violations(rule, "1") } }

    @Test("refuses schemas without an id, and two with the same")
    func ids() {
        #expect(throws: SchemaValidator.Violation.self) { try SchemaValidator([Data("{}".utf8)]) }
        let schema = Data(#"{"$id":"a:b"}"#.utf8)
        #expect(throws: SchemaValidator.Violation.self) { try SchemaValidator([schema, schema]) }
    }
}
