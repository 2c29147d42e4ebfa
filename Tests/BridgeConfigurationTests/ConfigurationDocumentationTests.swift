import BridgeConfiguration
import BridgeCore
import Testing

@Suite("The documentation of the configuration")
struct ConfigurationDocumentationTests {
    @Test("has an example file that is the defaults, and has every key in it")
    func example() throws {
        let text = try repositoryFile("config/cast2mqtt.example.yaml")
        #expect(try load(text) == Configuration())
        let lines = text.split(separator: "\n").filter { !$0.contains("# ") && !$0.hasPrefix("#") }.map { $0.drop { $0 == " " } }
        for key in ConfigurationKey.all {
            let name = key.path.split(separator: ".").last ?? ""
            #expect(lines.contains("\(name): \(key.defaultText)"), "\(key.path)")
        }
    }

    @Test("has the tables of keys and of former keys")
    func table() throws {
        let text = try repositoryFile("docs/CONFIGURATION.md")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("CAST2MQTT_") }.map(String.init)
        #expect(rows == ConfigurationKey.markdownRows + ConfigurationKey.formerMarkdownRows)
    }

    @Test("has the list of parameters whose values are hidden")
    func secretKeys() throws {
        let text = try repositoryFile("docs/CONFIGURATION.md")
        let start = try #require(text.range(of: "`\(SecretKeys.standard[0])`,")?.lowerBound)
        // One item of a list, over several lines.
        let list = text[start...].prefix { $0 != "." }
        let names = list.matches(of: /`([^`]+)`/).map { String($0.1) }
        #expect(names == SecretKeys.standard)
    }

    @Test("shows the effective default: written into a file, it changes nothing", arguments: ConfigurationKey.all)
    func defaults(key: ConfigurationKey) throws {
        var yaml = ""
        let parts = key.path.split(separator: ".")
        for (depth, part) in parts.enumerated() {
            yaml += String(repeating: "  ", count: depth) + "\(part):" + (depth == parts.count - 1 ? " \(key.defaultText)\n" : "\n")
        }
        #expect(try load(yaml) == Configuration())
    }

    @Test("has help with every key and variable")
    func help() {
        for key in ConfigurationKey.all {
            #expect(ConfigurationKey.help.contains("  \(key.path)  (") && ConfigurationKey.help.contains(key.environmentName))
        }
        #expect(ConfigurationKey.all.count == 118)
        #expect(Set(ConfigurationKey.all.map(\.environmentName)).count == 118)
    }
}
