import BridgeCore
import CastModels
import Testing

@testable import BridgeConfiguration

@Suite("The settings in force")
struct EffectiveSettingsTests {
    private func effective(_ text: String, _ environment: [String: String] = [:]) throws -> JSONValue {
        let loaded = try ConfigurationLoader.load(argument: "a.yaml", environment: environment) { path in
            path == "a.yaml" ? .bytes(Array(text.utf8)) : .bytes(Array("from a file".utf8))
        }
        return .object(loaded.effective)
    }

    @Test("are what was given, and the defaults of the rest")
    func givenAndDefaults() throws {
        let settings = try self.effective(
            """
            mqtt: {host: broker.lan, port: 1884}
            discovery: {known_hosts: [tv.lan, "10.0.0.2:8010"]}
            log: {level: debug}
            """, ["CAST2MQTT_MQTT_PORT": "1885", "CAST2MQTT_HOME_ASSISTANT_MODE": "off"])
        #expect(settings["mqtt"]?["host"] == "broker.lan")
        #expect(settings["mqtt"]?["port"] == 1885)
        #expect(settings["mqtt"]?["tls"]?["enabled"] == false)
        #expect(settings["discovery"]?["known_hosts"] == ["tv.lan", "10.0.0.2:8010"])
        #expect(settings["discovery"]?["mdns"] == true)
        #expect(settings["home_assistant"]?["mode"] == "off")
        #expect(settings["log"]?["level"] == "debug")
        #expect(settings["state_directory"] == .null)
    }

    @Test("have every key, and no secret")
    func everyKey() throws {
        let settings = try self.effective("mqtt: {host: h, username: u, password: hunter2, password_file: null}")
        for key in ConfigurationKey.all {
            var value: JSONValue? = settings
            for name in key.path.split(separator: ".") { value = value?[String(name)] }
            #expect(value != nil, "\(key.path)")
        }
        #expect(settings["mqtt"]?["password"] == "…")
        #expect(settings["web"]?["passwords"]?["admin"] == .null)
        let other = try self.effective(
            #"{mqtt: {host: h, username: u, password_file: /run/secret}, web: {page: {custom_buttons: {a: {icon: play, label: A, command: cmd/load, payload: '{"url":"http://h/a?token=hunter2"}'}}}}}"#
        )
        let text = JSONWriter.string(of: settings) + JSONWriter.string(of: other)
        #expect(!text.contains("hunter2") && !text.contains("from a file"))
        #expect(other["mqtt"]?["password_file"] == "/run/secret")
    }

    @Test("have neither password hashes nor token digests of the page")
    func noDigests() throws {
        let (hash, digest) = (WebConfigurationTests.hash, WebConfigurationTests.digest)
        let settings = try self.effective(
            """
            web:
              listen: ["127.0.0.1:8099"]
              passwords: {admin: "\(hash)", control: "\(hash)", view: "\(hash)"}
              tokens: [{name: panel, role: view, hash: \(digest)}]
            """, ["CAST2MQTT_MQTT_HOST": "h"])
        #expect(settings["web"]?["passwords"]?["admin"] == "…")
        let text = JSONWriter.string(of: settings)
        #expect(!text.contains("abab") && !text.contains("cdcd") && !text.contains(digest), "\(text)")
    }
}
