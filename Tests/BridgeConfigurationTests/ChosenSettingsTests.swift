import BridgeConfiguration
import CastModels
import Testing

/// What people choose at run time: where it stands among the places, and what can't be chosen.
@Suite struct ChosenSettingsTests {
    private static func load(
        settings: String, yaml: String? = nil, environment: [String: String] = [:], files: [String: String] = [:], isTrial: Bool = false
    ) throws(ConfigurationError) -> ConfigurationLoader.Loaded {
        try ConfigurationLoader.load(
            argument: yaml == nil ? nil : "test.yaml", environment: environment, settings: ("settings.yaml", Array(settings.utf8)),
            isTrial: isTrial
        ) { path in
            if path == "test.yaml", let yaml { return .bytes(Array(yaml.utf8)) }
            return files[path].map { .bytes(Array($0.utf8)) } ?? .missing
        }
    }

    @Test("the environment comes before the file, the file before what was chosen, that before the default")
    func places() throws {
        let loaded = try Self.load(
            settings: "mqtt: {host: chosen.lan, base: chosen, keepalive: 60}", yaml: "mqtt: {host: file.lan, base: file}",
            environment: ["CAST2MQTT_MQTT_HOST": "environment.lan"])
        let mqtt = loaded.configuration.mqtt
        #expect(mqtt.host == "environment.lan" && mqtt.base == "file" && mqtt.keepAliveSeconds == 60)
        #expect(loaded.places == ["mqtt.host": .environment, "mqtt.base": .file, "mqtt.keepalive": .settings])
        #expect(loaded.chosen.paths == ["mqtt.base", "mqtt.host", "mqtt.keepalive"] && loaded.warnings.isEmpty)
    }

    @Test(
        "the sign that stands for a secret is no new value for it",
        arguments: [
            ("mqtt.password", #""…""#, true), ("mqtt.password", #""another""#, false), ("mqtt.username", #""…""#, false),
            ("presets", #"{"a":{"url":"http://h/a.mp3?token=…","title":"Wait…"}}"#, true),
            ("presets", #"{"a":{"url":"http://h/a.mp3?token=geheim","title":"Wait…"},"b":{"url":"http://h/…"}}"#, false),
        ])
    func hidden(path: String, value: String, expected: Bool) throws {
        let loaded = try Self.load(
            settings: """
                mqtt: {host: a.lan, username: u, password: chosen}
                presets: {"a": {"url": "http://h/a.mp3?token=geheim", "title": "Wait…"}}
                """)
        #expect(loaded.restoresHidden(try JSONParser.parse(value), of: path) == expected, "\(loaded.value(of: path))")
    }

    @Test("a password file takes the place of a password that was chosen")
    func passwordFile() throws {
        let loaded = try Self.load(
            settings: "mqtt: {host: a.lan, username: u, password: chosen}", yaml: "mqtt: {password_file: /secret}",
            files: ["/secret": "filed"])
        #expect(loaded.configuration.mqtt.password?.value == "filed" && loaded.configuration.mqtt.host == "a.lan")
    }

    @Test("what can't be used is left out with a warning, and refused in a trial")
    func mistakes() throws {
        for (settings, key) in [
            ("mqtt: {port: many}", "mqtt.port"), ("web: {listen: [\"0.0.0.0:80\"]}", "web.listen"), ("nonsense: 1", "nonsense"), ("[1", ""),
        ] {
            let loaded = try Self.load(settings: "home_assistant: {mode: off}\n" + settings)
            #expect(loaded.warnings.count == 1 && loaded.warnings[0].key ?? "" == key, "\(settings): \(loaded.warnings)")
            #expect(loaded.configuration.web.listen.isEmpty)
            #expect(throws: ConfigurationError.self) { try Self.load(settings: settings, isTrial: true) }
        }
        // A combination costs the keys that it names, not all that was chosen.
        let combined = try Self.load(settings: "mqtt: {password: x}\nlog: {level: debug}")
        #expect(combined.configuration.mqtt.password == nil && combined.places["log.level"] == .settings)
        #expect(
            combined.warnings.map(\.key) == ["mqtt.password", "mqtt.password"] && combined.chosen.paths == ["log.level", "mqtt.password"])
    }

    /// Keys that name programs, paths, listeners, the page's TLS, proxies and what comes through them, frame origins or files of secrets; and the bridge's name.
    static let fixed = [
        "authentication.roots_file", "instance", "media.advertise", "media.folders", "media.listen", "media.uploads.folder",
        "metrics.listen",
        "mqtt.embedded_port",
        "mqtt.password_file", "mqtt.tls.ca_file",
        "mqtt.tls.certificate_file", "mqtt.tls.key_file", "speech.command", "standby", "state_directory", "web.frame_origins",
        "web.ingress_role",
        "web.listen",
        "web.tls.certificate_file", "web.tls.key_file", "web.trusted_proxies",
    ]

    @Test("keys that open something or lead to files can't be chosen")
    func neverChosen() {
        #expect(ConfigurationKey.all.filter { !$0.isChoosable }.map(\.path).sorted() == Self.fixed)
        #expect(ConfigurationKey.all.filter { $0.isLive && !$0.isChoosable }.isEmpty)
    }

    @Test("what is written reads as the same values again")
    func written() throws {
        var chosen = ChosenSettings()
        chosen.set("mqtt.host", "broker.lan")
        chosen.set("mqtt.protocol", "5")
        chosen.set("log.level", "debug")
        chosen.set("devices", [["device": "TV \"x\"", "aliases": ["tv"], "inactive_input_is_off": false]])
        chosen.set("discovery.exclude", [])
        chosen.set("mqtt.username", "a b: #{")
        chosen.set("mqtt.password", .null)
        let loaded = try Self.load(settings: String(decoding: chosen.bytes, as: UTF8.self), isTrial: true)
        #expect(loaded.configuration.devices.first?.preferences.aliases == ["tv"] && loaded.configuration.mqtt.protocolVersion == .v5)
        let again = try Self.load(settings: String(decoding: loaded.chosen.bytes, as: UTF8.self), isTrial: true)
        #expect(again.configuration == loaded.configuration && again.differences(from: loaded).isEmpty)
        var other = loaded.chosen
        other.set("log.level", nil)
        let reset = try Self.load(settings: String(decoding: other.bytes, as: UTF8.self), isTrial: true)
        #expect(reset.differences(from: loaded) == ["log.level"])
    }
}
