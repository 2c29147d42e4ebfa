import BridgeConfiguration
import CastModels
import Testing

@Suite struct ConfigurationSchemaTests {
    private static func property(_ path: String) throws -> JSONValue {
        var schema = try JSONParser.parse(Array(ConfigurationSchema.text.utf8))
        for name in path.split(separator: ".") { schema = try #require(schema["properties"]?[String(name)]) }
        return schema
    }

    @Test("the file in the repository is what the table of keys says", arguments: ["config/cast2mqtt.schema.json"])
    func file(path: String) throws {
        #expect(try repositoryFile(path) == ConfigurationSchema.text, "cast2mqtt check-config --schema > \(path)")
    }

    @Test(
        "types, ranges and words follow from the texts of the table",
        arguments: [
            ("mqtt.port", #"{"type":["integer","null"],"minimum":1,"maximum":65535}"#),
            ("mqtt.keepalive", #"{"type":["integer"],"minimum":5,"maximum":3600}"#), ("status.position_interval", #"{"type":["number"]}"#),
            ("availability.grace", #"{"type":["number"],"minimum":0,"maximum":300}"#), ("discovery.mdns", #"{"type":["boolean"]}"#),
            ("mqtt.protocol", #"{"enum":["auto","5","3.1.1",5]}"#), ("topics.rename", #"{"enum":["keep","follow"]}"#),
            ("authentication.mode", #"{"enum":["off","report","require",false]}"#),
            ("text_style.font_style", #"{"enum":["normal","bold","bold_italic","italic",null]}"#), ("devices", #"{"type":["array"]}"#),
            ("web.page.custom_buttons", #"{"type":["object"]}"#), ("mqtt.base", #"{"type":["string","number"]}"#),
        ])
    func rules(path: String, rules: String) throws {
        let property = try Self.property(path)
        for (key, value) in try #require(try JSONParser.parse(Array(rules.utf8)).objectValue).members.map({ ($0.key, $0.value) }) {
            #expect(property[key] == value, "\(path) \(key)")
        }
        #expect(property["minimum"] == nil || rules.contains("minimum"))
    }
}
