import BridgeConfiguration
import BridgeCore
import CastModels
import Testing

@Suite("A configuration file")
struct ConfigurationFileTests {
    @Test("may be absent, empty, or only comments", arguments: [nil, "", "# nothing\n", "---\n", "mqtt:\nlog:\n", "{}"] as [String?])
    func defaults(yaml: String?) throws {
        #expect(try load(yaml) == Configuration())
    }

    @Test("sets every key")
    func everything() throws {
        let configuration = try load(
            """
            instance: attic
            state_directory: /var/lib/x
            mqtt:
              host: broker.lan
              port: 8884
              username: me
              password: 12345
              tls: {enabled: yes, ca_file: /ca.pem, certificate_file: /c.pem, key_file: "/k.pem"}
              protocol: 5
              client_id: my-id
              base: home/cast
              keepalive: 15
              will_delay: 5
              response_prefixes: [answers, "x/y"]
              embedded_port: 20000
            discovery:
              mdns: false
              interfaces: [eth0, wlan0.5]
              known_hosts:
                - 192.168.1.31
                - tv.lan:8010
                - "[fe80::1%eth0]:8009"
                - fe80::2%eth0
                - {host: "fe80::3%eth0", port: 9000, id: 4F1C-9a0e}
                - host: "[::1]"
              include: ["Living*"]
              exclude: [Chromecast?]
              applications: [YouTube, my radio]
              capabilities: [video_out, Audio_Out]
            status: {split: none, position_interval: 2.5}
            topics: {identity: slug, rename: follow, clean_on_start: no, clear_on_exit: yes}
            availability: {grace: 0, forget_after: 30}
            authentication: {mode: require, roots_file: /roots.pem}
            devices:
              - {device: 4F1C-9a0e, aliases: [TV, lounge], area: Living room, inactive_input_is_off: false}
              - {device: Kitchen display, max_volume: 60}
            announcements: {quiet_hours: 22:00-07:00, time_zone: America/Argentina/Buenos_Aires}
            commands:
              volume_scale: unit
              strict: true
              fan_out: yes
              applications: [{name: My Radio, id: 5a1d0001}, "A=B=CC1AD845"]
              default_application: my radio
              language: de-DE
              custom_namespaces: ["urn:x-cast:org.example.*"]
              allow_raw: true
            home_assistant:
              mode: components
              prefix: ha/discovery
              status_topic: null
              share_mac: true
              placeholder_image: http://192.168.1.5/cast.png
              support_url: https://wiki.home.example/cast
              media_player_compat: "off"
            secrets: {hide: no, query_keys: [t, My-Key]}
            log: {level: Debug, format: json, publish: Off, filters: ["CastSender.*=trace"]}
            """)
        var wanted = Configuration()
        wanted.instance = "attic"
        wanted.homeAssistant.mode = .components
        wanted.homeAssistant.prefix = "ha/discovery"
        wanted.homeAssistant.statusTopic = nil
        wanted.homeAssistant.sharesMACAddress = true
        wanted.homeAssistant.placeholderImage = "http://192.168.1.5/cast.png"
        wanted.homeAssistant.supportURL = "https://wiki.home.example/cast"
        wanted.stateDirectory = "/var/lib/x"
        wanted.mqtt.host = "broker.lan"
        wanted.mqtt.port = 8884
        wanted.mqtt.username = "me"
        wanted.mqtt.password = Secret("12345")
        wanted.mqtt.tls.isEnabled = true
        wanted.mqtt.tls.caFile = "/ca.pem"
        wanted.mqtt.tls.certificateFile = "/c.pem"
        wanted.mqtt.tls.keyFile = "/k.pem"
        wanted.mqtt.protocolVersion = .v5
        wanted.mqtt.clientID = "my-id"
        wanted.mqtt.willDelaySeconds = 5
        wanted.topics.rename = .follow
        wanted.topics.forgetAfterDays = 30
        wanted.topics.cleansOnStart = false
        wanted.topics.clearsOnExit = true
        wanted.authentication = .require
        wanted.authenticationRoots = "/roots.pem"
        wanted.devices = [
            ConfiguredDevice(
                device: "4F1C-9a0e",
                preferences: DevicePreferences(aliases: ["tv", "lounge"], area: "Living room", inactiveInputIsOff: false)),
            ConfiguredDevice(device: "Kitchen display", preferences: DevicePreferences(maximumVolume: 60)),
        ]
        wanted.announcements.quietHours = QuietHours("22:00-07:00")
        wanted.announcements.timeZone = "America/Argentina/Buenos_Aires"
        wanted.log.publish = .off
        wanted.mqtt.base = "home/cast"
        wanted.mqtt.keepAliveSeconds = 15
        wanted.mqtt.responsePrefixes = ["answers", "x/y"]
        wanted.mqtt.embeddedPort = 20_000
        wanted.discovery.isMulticastEnabled = false
        wanted.discovery.interfaces = ["eth0", "wlan0.5"]
        wanted.discovery.knownHosts = [
            KnownHost(endpoint: DeviceEndpoint(host: "192.168.1.31")), KnownHost(endpoint: DeviceEndpoint(host: "tv.lan", port: 8010)),
            KnownHost(endpoint: DeviceEndpoint(host: "fe80::1%eth0")),
            KnownHost(endpoint: DeviceEndpoint(host: "fe80::2%eth0")),
            KnownHost(endpoint: DeviceEndpoint(host: "fe80::3%eth0", port: 9000), id: "4f1c9a0e"),
            KnownHost(endpoint: DeviceEndpoint(host: "::1")),
        ]
        wanted.discovery.include = [GlobPattern("Living*")].compactMap { $0 }
        wanted.discovery.exclude = [GlobPattern("Chromecast?")].compactMap { $0 }
        wanted.discovery.applications = ["YouTube", "my radio"]
        wanted.discovery.capabilities = [.videoOut, .audioOut]
        wanted.status.split = .none
        wanted.status.positionInterval = .milliseconds(2500)
        wanted.availabilityGrace = .zero
        wanted.commands.volumeScale = .unit
        wanted.commands.isStrict = true
        wanted.commands.isFanOutEnabled = true
        wanted.commands.applications = [("My Radio", "5A1D0001"), ("A=B", "CC1AD845")].compactMap { NamedApplication(name: $0.0, id: $0.1) }
        (wanted.commands.defaultApplication, wanted.commands.language) = ("my radio", "de-DE")
        wanted.commands.namespaces = NamespacePolicy([GlobPattern("urn:x-cast:org.example.*")].compactMap { $0 })
        wanted.commands.isRawAllowed = true
        wanted.log.filters = LogFilters(level: .debug, filters: ["CastSender.*=trace"].compactMap { LogFilter($0) })
        wanted.log.format = .json
        wanted.secrets.isHidden = false
        wanted.secrets.queryKeys = ["t", "My-Key"]
        #expect(configuration == wanted)
    }

    @Test("takes the usual port when none is given")
    func port() throws {
        #expect(try load("mqtt: {host: h}").mqtt.effectivePort == 1883)
        #expect(try load("mqtt: {host: h, tls: {enabled: true}}").mqtt.effectivePort == 8883)
        #expect(try load("mqtt: {host: h, port: 77}").mqtt.effectivePort == 77)
        #expect(try load("instance: x").mqttClientID(digits: "01234567") == "cast2mqtt-x-01234567")
        #expect(try load("mqtt: {client_id: y}").mqttClientID(digits: "01234567") == "y")
        #expect(try load("status: {position_interval: 0}").status.positionInterval == .zero)
    }

    @Test("takes a thousand known hosts and no more")
    func knownHosts() throws {
        func yaml(_ count: Int) -> String {
            "discovery:\n  known_hosts:\n" + (1...count).map { "    - {host: device-\($0).example.net, port: 8009, id: \($0)}\n" }.joined()
        }
        #expect(try load(yaml(1_000)).discovery.knownHosts.count == 1_000)
        #expect(problems(yaml(1_001)) == ["test.yaml:2: discovery.known_hosts: must be a list of at most 1000"])
    }

    @Test(
        "lists have bounds",
        arguments: [
            ("mqtt: {host: h, response_prefixes: [", "a", 256, "mqtt.response_prefixes"),
            ("log: {filters: [", "\"A.*=debug\"", 64, "log.filters"),
        ])
    func listLimits(start: String, element: String, limit: Int, key: String) throws {
        func yaml(_ count: Int) -> String { start + Array(repeating: element, count: count).joined(separator: ", ") + "]}" }
        _ = try load(yaml(limit))
        #expect(problems(yaml(limit + 1)) == ["test.yaml:1: \(key): must be a list of at most \(limit)"])
    }

    @Test("devices have 16 aliases, and there are 1 000 entries for devices")
    func deviceLimits() throws {
        func aliases(_ count: Int) -> String {
            "devices: [{device: tv, aliases: [" + (1...count).map { "a\($0)" }.joined(separator: ", ") + "]}]"
        }
        func devices(_ count: Int) -> String {
            "devices: [" + (1...count).map { "{device: tv\($0), area: Hall}" }.joined(separator: ", ") + "]"
        }
        #expect(try load(aliases(16)).devices.first?.preferences.aliases?.count == 16)
        #expect(problems(aliases(17)).count == 1)
        #expect(try load(devices(1_000)).devices.count == 1_000)
        #expect(problems(devices(1_001)) == ["test.yaml:1: devices: must be a list of at most 1000"])
    }

    @Test("100 000 values are read, no more")
    func valueLimit() {
        let list = "[" + Array(repeating: "a", count: 100_000).joined(separator: ",") + "]"
        #expect(problems("instance: " + list).first?.contains("more than 100000 values") == true)
    }

    static let wrong: [(yaml: String, line: Int, key: String, hint: String)] = [
        ("instance: a b", 1, "instance", "letters"), ("instance:", 1, "instance", "letters"), ("instance: [a]", 1, "instance", "letters"),
        ("instance: ''", 1, "instance", "letters"), ("\n\nstate_directory: [x]", 3, "state_directory", "text"),
        ("state_directory: \"a\\u0000b\"", 1, "state_directory", "control"), ("mqtt:\n  host: mqtt://x", 2, "mqtt.host", "without scheme"),
        ("mqtt:\n  host: h:1883", 2, "mqtt.host", "without scheme"), ("mqtt:\n  host: ''", 2, "mqtt.host", "host"),
        ("mqtt:\n  host: h\n  port: 0", 3, "mqtt.port", "1 to 65535"), ("mqtt:\n  host: h\n  port: 65536", 3, "mqtt.port", "1 to 65535"),
        ("mqtt:\n  host: h\n  port: 1e3", 3, "mqtt.port", "whole"), ("mqtt:\n  host: h\n  port: -1", 3, "mqtt.port", "whole"),
        ("mqtt:\n  host: h\n  port: 0x10", 3, "mqtt.port", "whole"),
        ("mqtt: {host: h, tls: {enabled: maybe}}", 1, "mqtt.tls.enabled", "true or false"),
        ("mqtt: {host: h, tls: true}", 1, "mqtt.tls", "keys of its own"), ("mqtt:\n  - host", 1, "mqtt", "keys of its own"),
        ("mqtt:\n  protocol: 4", 2, "mqtt.protocol", "auto, 5, 3.1.1"), ("mqtt:\n  base: a/+/b", 2, "mqtt.base", "without +"),
        ("mqtt:\n  base: /a", 2, "mqtt.base", "empty levels"), ("mqtt:\n  base: a/", 2, "mqtt.base", "empty levels"),
        ("mqtt:\n  base: $SYS", 2, "mqtt.base", "$"), ("mqtt:\n  base: null", 2, "mqtt.base", "text"),
        ("mqtt:\n  keepalive: 4", 2, "mqtt.keepalive", "5 to 3600"),
        ("mqtt:\n  keepalive: 15.5", 2, "mqtt.keepalive", "whole"),
        ("mqtt:\n  response_prefixes: answers", 2, "mqtt.response_prefixes", "list"),
        ("mqtt:\n  response_prefixes:\n    - ok\n    - a/#", 4, "mqtt.response_prefixes", "without +"),
        ("mqtt:\n  embedded_port: null", 2, "mqtt.embedded_port", "whole"),
        ("commands:\n  volume_scale: level", 2, "commands.volume_scale", "percent, unit"),
        ("commands:\n  strict: maybe", 2, "commands.strict", "true or false"),
        ("commands:\n  fan_out: []", 2, "commands.fan_out", "true or false"),
        ("commands:\n  allow_raw: 2", 2, "commands.allow_raw", "true or false"),
        ("commands:\n  applications: YouTube", 2, "commands.applications", "list"),
        ("commands:\n  applications:\n    - YouTube", 3, "commands.applications", "name and id"),
        ("commands:\n  applications: [{name: x}]", 2, "commands.applications", "name and id"),
        ("commands:\n  applications: ['x=frobnicator']", 2, "commands.applications", "name and id"),
        ("commands:\n  applications:\n    - name: x\n      app: CC1AD845", 4, "commands.applications", "unknown key"),
        ("commands:\n  default_application: []", 2, "commands.default_application", "text"),
        ("commands:\n  language: de_DE", 2, "commands.language", "language"),
        ("commands:\n  custom_namespaces: ['a b']", 2, "commands.custom_namespaces", "namespace"),
        ("commands:\n  custom_namespaces: ['']", 2, "commands.custom_namespaces", "namespace"),
        ("commands:\n  custom_namespaces: x", 2, "commands.custom_namespaces", "list"),
        ("discovery:\n  mdns: 2", 2, "discovery.mdns", "true or false"),
        ("discovery:\n  interfaces: [a/b]", 2, "discovery.interfaces", "interface"),
        ("discovery:\n  interfaces: ['!']", 2, "discovery.interfaces", "interface"),
        ("discovery:\n  interfaces: [averylonginterfacename]", 2, "discovery.interfaces", "interface"),
        ("discovery:\n  known_hosts:\n    - a b", 3, "discovery.known_hosts", "host like"),
        ("discovery:\n  known_hosts: ['h:0']", 2, "discovery.known_hosts", "host like"),
        ("discovery:\n  known_hosts: ['[::1']", 2, "discovery.known_hosts", "host like"),
        ("discovery:\n  known_hosts: ['http://h']", 2, "discovery.known_hosts", "host like"),
        ("discovery:\n  known_hosts: [{port: 5}]", 2, "discovery.known_hosts", "needs host"),
        ("discovery:\n  known_hosts:\n    - host: h\n      name: x", 4, "discovery.known_hosts", "unknown key"),
        ("discovery:\n  known_hosts: [{host: h, id: 'ü'}]", 2, "discovery.known_hosts", "id"),
        ("discovery:\n  include: ['']", 2, "discovery.include", "pattern"),
        ("discovery:\n  exclude: [[a]]", 2, "discovery.exclude", "pattern"),
        ("discovery:\n  applications: ['']", 2, "discovery.applications", "text"),
        ("discovery:\n  capabilities: [video]", 2, "discovery.capabilities", "video_out"),
        ("status:\n  split: half", 2, "status.split", "none, basic, full"),
        ("status:\n  artwork_placeholder: cover.png", 2, "status.artwork_placeholder", "http://"),
        ("status:\n  position_probe: often", 2, "status.position_probe", "true or false"),
        ("status:\n  split: some", 2, "status.split", "none, basic"),
        ("status:\n  position_interval: 0.5", 2, "status.position_interval", "1 to 3600"),
        ("status:\n  position_interval: 3601", 2, "status.position_interval", "1 to 3600"),
        ("status:\n  position_interval: .inf", 2, "status.position_interval", "seconds"),
        ("availability:\n  grace: -1", 2, "availability.grace", "0 to 300"),
        ("availability:\n  grace: 301", 2, "availability.grace", "0 to 300"),
        ("availability:\n  grace: .nan", 2, "availability.grace", "0 to 300"),
        ("topics:\n  rename: sometimes", 2, "topics.rename", "keep, follow"),
        ("topics:\n  identity: name", 2, "topics.identity", "slug, id"),
        ("availability:\n  forget_after: 0", 2, "availability.forget_after", "1 to 3650"),
        ("topics:\n  clear_on_exit: maybe", 2, "topics.clear_on_exit", "true or false"),
        ("log: {publish: loud}", 1, "log.publish", "or off"),
        ("mqtt: {will_delay: -1}", 1, "mqtt.will_delay", "0 to 3600"),
        ("devices: lounge", 1, "devices", "a list"), ("devices:\n  - lounge", 2, "devices", "entries with device"),
        ("devices:\n  - {aliases: [a]}", 2, "devices", "needs device"),
        ("devices:\n  - device: a\n    colour: red", 3, "devices", "unknown key"),
        ("devices:\n  - device: a\n    aliases: [b, all]", 3, "devices", "not all, bridge, client, group, id"),
        ("devices:\n  - device: a\n    aliases: [\"a b\"]", 3, "devices", "a-z, 0-9 and -"),
        ("devices:\n  - {device: a, aliases: [x]}\n  - {device: b, aliases: [x]}", 3, "devices", "one alias twice"),
        ("devices:\n  - {device: a}\n  - {device: A}", 3, "devices", "two entries"),
        ("devices:\n  - {device: a, aliases: [b]}\n  - {device: B}", 2, "devices", "another entry's device"),
        ("secrets:\n  hide: maybe", 2, "secrets.hide", "true or false"),
        ("secrets:\n  query_keys: [a=b]", 2, "secrets.query_keys", "letters"),
        ("log:\n  level: loud", 2, "log.level", "trace, debug"), ("log:\n  format: xml", 2, "log.format", "text, json"),
        ("log:\n  filters: ['CastSender']", 2, "log.filters", "component=level"),
        ("log:\n  filters:\n    - a=debug\n    - b=loud", 4, "log.filters", "component=level"),
        ("home_assistant: {mode: all}", 1, "home_assistant.mode", "one of device, companion, components, off"),
        ("home_assistant:\n  prefix: a/#", 2, "home_assistant.prefix", "without +"),
        ("home_assistant:\n  prefix: null", 2, "home_assistant.prefix", "text"),
        ("home_assistant:\n  status_topic: ''", 2, "home_assistant.status_topic", "text"),
        ("text_style:\n  foreground_color: red", 2, "text_style.foreground_color", "#RRGGBB"),
        ("text_style:\n  edge_type: soft", 2, "text_style.edge_type", "drop_shadow"),
        ("text_style:\n  font_scale: 11", 2, "text_style.font_scale", "0.01 to 10"),
        ("text_style:\n  font_scale: -1", 2, "text_style.font_scale", "0.01 to 10"),
        ("text_style:\n  window_rounded_corner_radius: wide", 2, "text_style.window_rounded_corner_radius", "0 to 10000"),
        ("home_assistant:\n  share_mac: maybe", 2, "home_assistant.share_mac", "true or false"),
        ("home_assistant:\n  placeholder_image: icon.png", 2, "home_assistant.placeholder_image", "web address"),
        ("home_assistant:\n  placeholder_image: 'https://'", 2, "home_assistant.placeholder_image", "web address"),
        ("home_assistant:\n  support_url: wiki", 2, "home_assistant.support_url", "web address"),
        ("home_assistant:\n  media_player_compat: on", 2, "home_assistant.media_player_compat", "off, mqtt_media_player"),
    ]

    @Test(
        "with keys that have no effect together is refused",
        arguments: [
            (
                "discovery: {applications: [YouTube, YouTub]}",
                "discovery.applications: takes application ids, well-known names and names of commands.applications"
            ),
            (
                "commands: {default_application: YouTub}",
                "commands.default_application: takes an application id, a well-known name or a name of commands.applications"
            ),
            ("topics: {rename: follow, identity: id}", "topics.rename: follow has no effect with topics.identity: id"),
            ("authentication: {roots_file: /x}", "authentication.roots_file: has no effect while authentication.mode is off"),
            ("mqtt: {host: h, will_delay: 5, protocol: 3.1.1}", "mqtt.will_delay: has no effect over MQTT 3.1.1"),
        ])
    func noEffect(yaml: String, line: String) { #expect(problems(yaml) == [line]) }

    @Test("with a wrong value is refused with file, line and key", arguments: wrong)
    func wrongValue(yaml: String, line: Int, key: String, hint: String) throws {
        let lines = problems(yaml)
        #expect(lines.count == 1)
        let text = try #require(lines.first)
        #expect(text.hasPrefix("test.yaml:\(line): \(key): "), "\(text)")
        #expect(text.contains(hint), "\(text)")
    }

    @Test(
        "with an unknown key is refused with the nearest right one",
        arguments: [
            ("mqtt:\n  hots: x", "test.yaml:2: mqtt.hots: unknown key; did you mean mqtt.host?"),
            ("mqtt:\n  prot: 1", "test.yaml:2: mqtt.prot: unknown key; did you mean mqtt.port?"),
            ("host: x", "test.yaml:1: host: unknown key; did you mean mqtt.host?"),
            ("mqtts: {}", "test.yaml:1: mqtts: unknown key; did you mean mqtt?"),
            ("a: 1\nlog:\n  levle: debug", "test.yaml:3: log.levle: unknown key; did you mean log.level?"),
            ("statedirectory: x", "test.yaml:1: statedirectory: unknown key; did you mean state_directory?"),
            ("mqtt:\n  tls:\n    cafile: x", "test.yaml:3: mqtt.tls.cafile: unknown key; did you mean mqtt.tls.ca_file?"),
            ("frobnicate_everything_now: 1", "test.yaml:1: frobnicate_everything_now: unknown key"),
            ("mqtt.host: x", "test.yaml:1: mqtt.host: is written as host below mqtt"),
            ("mqtt:\n  Host: x", "test.yaml:2: mqtt.Host: unknown key; did you mean mqtt.host?"),
            ("<<: {instance: x}", "test.yaml:1: <<: unknown key"), ("? [a]\n: 1", "test.yaml:1: ?: unknown key"),
        ])
    func unknownKey(yaml: String, line: String) { #expect(problems(yaml).contains(line), "\(problems(yaml))") }

    @Test("reports all problems at once, in the order of the file")
    func all() {
        let lines = problems("instance: '?'\nmqtt:\n  port: x\n  nope_nope: 1\nlog: {level: x}\n")
        #expect(lines.map { $0.prefix(12) } == ["test.yaml:1:", "test.yaml:3:", "test.yaml:4:", "test.yaml:5:"])
    }

    @Test(
        "that is no YAML, or more than that, is refused with its line",
        arguments: [
            ("mqtt: [", "test.yaml:"), ("a: b: c", "test.yaml:1: is not YAML"), ("mqtt:\n\t- x", "test.yaml:2: is not YAML"),
            ("instance: a\ninstance: b", "test.yaml:"),
            ("a: 1\n---\nb: 2", "test.yaml:"), ("just text", "test.yaml:1: must hold keys"), ("- a", "test.yaml:1: must hold keys"),
            ("a: *b", "test.yaml:1: is not YAML"),
            ("x: " + String(repeating: "[", count: 5000), "test.yaml:1: is nested too deeply"),
            (String(repeating: "- ", count: 5000) + "x", "test.yaml:1: is nested too deeply"),
            (String(repeating: "#", count: 300_000), "test.yaml: is larger"), ("a: \u{1}", "test.yaml"),
        ])
    func notYAML(yaml: String, prefix: String) {
        let lines = problems(yaml)
        #expect(lines.first?.hasPrefix(prefix) == true, "\(lines)")
    }

    @Test("that is not UTF-8 is refused")
    func notUTF8() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(argument: "f", environment: [:]) { _ in .bytes([0xFF, 0xFE]) }
        }
        #expect(error?.description == "f: is not UTF-8 text")
    }

    @Test("is read to an end whatever bytes it has")
    func fuzz() throws {
        var text = Array(try repositoryFile("config/cast2mqtt.example.yaml").utf8)
        var seed: UInt64 = 99
        let random = { (bound: Int) -> Int in
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: seed >> 33) % bound
        }
        var refused = 0
        for _ in 0..<300 {
            for _ in 0..<4 { text[random(text.count)] = UInt8(random(256)) }
            let bytes = text
            do throws(ConfigurationError) { _ = try ConfigurationLoader.load(argument: "f", environment: [:]) { _ in .bytes(bytes) } } catch
            {
                #expect(!error.problems.isEmpty)
                refused += 1
            }
        }
        #expect(refused > 250)
    }
}
