import Foundation
import TestSupport
import Testing
import Yams

/// The schema of the configuration file, for editors, beside the example that has every key.
@Suite struct ConfigurationSchemaTests {
    private static let id = "https://cast2mqtt.example/schema/1/configuration.json"

    private static func violations(_ yaml: String) throws -> [SchemaValidator.Violation] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "config")
        let example = yaml.isEmpty ? try String(contentsOf: folder.appending(path: "cast2mqtt.example.yaml"), encoding: .utf8) : yaml
        let validator = try SchemaValidator([try Data(contentsOf: folder.appending(path: "cast2mqtt.schema.json"))])
        let document = try JSONSerialization.data(withJSONObject: try #require(try Yams.load(yaml: example)))
        return try validator.violations(of: try JSONTree(document), schema: Self.id)
    }

    @Test("the example with every key fits")
    func example() throws { #expect(try Self.violations("").isEmpty) }

    @Test(
        "mistakes that an editor should mark do not",
        arguments: ["mqtt: {prot: 1883}", "mqtt: {port: 0}", "log: {level: loud}", "discovery: {exclude: Kitchen}", "discovery: {mdns: 1}"])
    func mistakes(yaml: String) throws { #expect(try Self.violations(yaml).count == 1) }
}
