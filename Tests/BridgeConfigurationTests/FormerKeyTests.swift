import BridgeConfiguration
import Testing

@Suite("Former keys")
struct FormerKeyTests {
    /// Each former key with a value other than its default, and the same under the present key.
    static let keys: [(path: String, value: String, present: String)] = [
        ("topic_identity", "id", "topics: {identity: id}"), ("rename", "follow", "topics: {rename: follow}"),
        ("clean_on_start", "false", "topics: {clean_on_start: false}"), ("clear_on_exit", "true", "topics: {clear_on_exit: true}"),
        ("availability_grace", "0.5", "availability: {grace: 0.5}"), ("forget_after", "30", "availability: {forget_after: 30}"),
        ("authentication", "report", "authentication: {mode: report}"),
        ("volume_scale", "unit", "commands: {volume_scale: unit}"), ("strict", "true", "commands: {strict: true}"),
        ("fan_out", "true", "commands: {fan_out: true}"), ("allow_raw", "true", "commands: {allow_raw: true}"),
        ("applications", "[My Radio=5A1D0001]", "commands: {applications: [My Radio=5A1D0001]}"),
        ("custom_namespaces", "['urn:x-cast:a']", "commands: {custom_namespaces: ['urn:x-cast:a']}"),
        ("authentication_roots", "/x\nauthentication: report", "authentication: {mode: report, roots_file: /x}"),
    ]

    @Test("mean what the present ones mean and are named with file, line and present key", arguments: keys)
    func file(path: String, value: String, present: String) throws {
        let former = try #require(ConfigurationKey.former.first { $0.path == path })
        let yaml = "# a comment\n\(path): \(value)\n"
        let loaded = try ConfigurationLoader.load(argument: "test.yaml", environment: [:]) { _ in .bytes(Array(yaml.utf8)) }
        #expect(loaded.configuration != Configuration())
        #expect(try loaded.configuration == load(present))
        #expect(loaded.warnings.first?.description == "test.yaml:2: \(path): deprecated; use \(former.key.path)")
    }

    @Test("mean the same in the environment", arguments: keys)
    func environment(path: String, value: String, present: String) throws {
        let former = try #require(ConfigurationKey.former.first { $0.path == path })
        let bare = String(value.split(separator: "\n").first ?? "").filter { !"[]'".contains($0) }
        var environment = [former.environmentName: bare]
        if path == "authentication_roots" { environment["CAST2MQTT_AUTHENTICATION_MODE"] = "report" }
        let loaded = try ConfigurationLoader.load(argument: nil, environment: environment) { _ in .missing }
        #expect(try loaded.configuration == load(present))
        // CAST2MQTT_AVAILABILITY_GRACE is the variable of both.
        let isSame = former.environmentName == former.key.environmentName
        #expect(
            loaded.warnings.map(\.description)
                == (isSame ? [] : ["\(former.environmentName): deprecated; use \(former.key.environmentName)"]))
    }

    @Test("are all of them in this table")
    func complete() {
        #expect(Set(Self.keys.map(\.path)) == Set(ConfigurationKey.former.map(\.path)))
        #expect(ConfigurationKey.former.count == 14)
    }

    @Test("are refused beside the present one, whichever comes first")
    func both() {
        #expect(
            problems("fan_out: true\ncommands: {fan_out: true}") == [
                "test.yaml:2: commands.fan_out: is set beside fan_out; set one of them"
            ])
        #expect(
            problems("topics:\n  rename: keep\nrename: follow") == ["test.yaml:3: rename: is set beside topics.rename; set one of them"])
        #expect(
            problems(environment: ["CAST2MQTT_STRICT": "true", "CAST2MQTT_COMMANDS_STRICT": "true"]) == [
                "CAST2MQTT_STRICT: commands.strict: is set beside CAST2MQTT_COMMANDS_STRICT; set one of them"
            ])
    }

    @Test("lose against the environment like any key of the file, and win over the file there")
    func precedence() throws {
        #expect(try !load("fan_out: true", environment: ["CAST2MQTT_COMMANDS_FAN_OUT": "false"]).commands.isFanOutEnabled)
        #expect(try load("commands: {fan_out: false}", environment: ["CAST2MQTT_FAN_OUT": "true"]).commands.isFanOutEnabled)
    }

    @Test("leave the section that has taken the name of one alone")
    func section() {
        #expect(problems("authentication: [report]") == ["test.yaml:1: authentication: must hold keys of its own"])
        #expect(problems("authentication: maybe") == ["test.yaml:1: authentication.mode: must be one of off, report, require"])
        #expect(problems("topics: slug") == ["test.yaml:1: topics: must hold keys of its own"])
    }
}
