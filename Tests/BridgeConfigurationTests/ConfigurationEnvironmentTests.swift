import BridgeCore
import CastModels
import Testing

@testable import BridgeConfiguration

@Suite("The environment")
struct ConfigurationEnvironmentTests {
    @Test("beats the file, which beats the default")
    func precedence() throws {
        let configuration = try load(
            "instance: file\nlog: {level: debug}", environment: ["CAST2MQTT_INSTANCE": "environment", "PATH": "/bin", "CAST2MQTTX": "1"])
        #expect(configuration.instance == "environment")
        #expect(configuration.log.filters.level == .debug)
        #expect(configuration.availabilityGrace == .seconds(3))
    }

    @Test("has lists with commas, and nothing for null or an empty list")
    func lists() throws {
        let configuration = try load(
            "mqtt: {username: x}\ndiscovery: {include: [a]}",
            environment: [
                "CAST2MQTT_DISCOVERY_KNOWN_HOSTS": "192.168.1.31, tv.lan:8010,[fe80::1%eth0]:9", "CAST2MQTT_DISCOVERY_INTERFACES": "eth0",
                "CAST2MQTT_MQTT_USERNAME": "", "CAST2MQTT_DISCOVERY_INCLUDE": "", "CAST2MQTT_LOG_FILTERS": "a=debug,b=trace",
            ])
        #expect(configuration.discovery.knownHosts.map(\.endpoint.port) == [8009, 8010, 9])
        #expect(configuration.discovery.interfaces == ["eth0"])
        #expect(configuration.mqtt.username == nil)
        #expect(configuration.discovery.include.isEmpty)
        #expect(configuration.log.filters.filters.count == 2)
    }

    @Test("can set every key under its name in the table", arguments: ConfigurationKey.all)
    func everyKey(key: ConfigurationKey) {
        // A value no key takes: each one must complain under its own name.
        let lines = problems(environment: [key.environmentName: key.environmentName.hasSuffix("FILTERS") ? "\u{1}" : ",\u{1} ,"])
        #expect(
            lines.contains { $0.hasPrefix("\(key.environmentName): \(key.path): must be ") } || key.path.hasPrefix("discovery.include")
                || key.path.hasPrefix("discovery.exclude"), "\(lines)")
    }

    static let variables: [(name: String, value: String, warning: String?)] = [
        ("MQTT_HSOT", "x", "unknown variable; did you mean CAST2MQTT_MQTT_HOST?"),
        ("CONFG", "x", "unknown variable; did you mean CAST2MQTT_CONFIG?"),
        ("MQTT_USERNAME_FILE", "x", "unknown variable; did you mean CAST2MQTT_MQTT_USERNAME?"),
        ("QWERTZUIOPASDFGHJKL", "x", "unknown variable"),
        // Kubernetes, of services named cast2mqtt, cast2mqtt-broker and cast2mqtt-mqtt.
        ("SERVICE_HOST", "10.0.0.11", nil), ("SERVICE_PORT", "1883", nil), ("SERVICE_PORT_MQTT_TLS", "8883", nil),
        ("PORT", "tcp://10.0.0.11:1883", nil), ("PORT_1883_TCP", "tcp://10.0.0.11:1883", nil), ("PORT_1883_TCP_PROTO", "tcp", nil),
        ("PORT_1883_TCP_PORT", "1883", nil), ("PORT_1883_TCP_ADDR", "10.0.0.11", nil), ("PORT_5353_UDP", "udp://10.0.0.11:5353", nil),
        ("PORT_9_SCTP_PROTO", "sctp", nil), ("BROKER_SERVICE_HOST", "10.0.0.12", nil), ("BROKER_PORT", "tcp://10.0.0.12:1883", nil),
        ("MQTT_SERVICE_PORT", "1883", nil), ("MQTT_PORT_1883_TCP_ADDR", "10.0.0.13", nil),
        ("MQTT_PORT", "tcp://10.0.0.13:1883", "mqtt.port: ignored; a container platform sets such a value"),
        // A link of Docker with the alias cast2mqtt.
        ("NAME", "/bridge/cast2mqtt", nil), ("ENV_PATH", "/bin", nil),
        // No platform sets these.
        ("PORT", "1883", "unknown variable"), ("NAME", "x", "unknown variable"),
        ("SERVICE_HOSTS", "x", "unknown variable"), ("PORT_X_TCP", "x", "unknown variable"),
        ("PORT_1883_TCP_NAME", "x", "unknown variable"),
        ("PORT_1883", "x", "unknown variable"), ("ENV", "x", "unknown variable"),
    ]

    @Test("with a variable that is not ours is a warning with the nearest right one, and none for what platforms set", arguments: variables)
    func doubtful(name: String, value: String, warning: String?) throws {
        let loaded = try ConfigurationLoader.load(argument: nil, environment: ["CAST2MQTT_" + name: value]) { _ in .missing }
        #expect(loaded.configuration == Configuration())
        let prefix = "CAST2MQTT_\(name): "
        switch warning {
        case nil: #expect(loaded.warnings.isEmpty)
        case "unknown variable":
            #expect(loaded.warnings.map { String($0.description.prefix(prefix.count + 16)) } == [prefix + "unknown variable"])
        case let text?: #expect(loaded.warnings.map(\.description) == [prefix + text])
        }
    }

    @Test("shows ignored keys beside the errors")
    func warningsOfErrors() {
        let error = #expect(throws: ConfigurationError.self) {
            try load(environment: ["CAST2MQTT_MQTT_HSOT": "h", "CAST2MQTT_MQTT_USERNAME": "u"])
        }
        #expect(
            error?.description
                == "mqtt.username: has no effect without mqtt.host\nwarning: CAST2MQTT_MQTT_HSOT: unknown variable; did you mean CAST2MQTT_MQTT_HOST?"
        )
    }

    @Test(
        "gives secrets in files as they are but for a byte order mark and line ends, when it is loaded and later",
        arguments: [
            ("hunter2", "hunter2"), ("\u{FEFF}hunter2\r\n", "hunter2"), ("hunter2\n\n", "hunter2"), (" hunter2 \n", " hunter2 "),
            ("a\u{FEFF}b", "a\u{FEFF}b"), ("", nil), ("\u{FEFF}\n", nil), ("a\nb", nil), (String(repeating: "a", count: 1025), nil),
        ])
    func secretText(file: String, secret: String?) {
        #expect(Secret.password(in: Array(file.utf8)) == secret)
        let loaded = try? load("mqtt: {host: h, username: u, password_file: /run/s}", files: ["/run/s": file])
        #expect(loaded?.mqtt.password?.value == secret && loaded?.mqtt.passwordFile == secret.map { _ in "/run/s" })
    }

    @Test("gives secrets in files, without the newline at their end")
    func secretFile() throws {
        let environment = ["CAST2MQTT_MQTT_HOST": "h", "CAST2MQTT_MQTT_USERNAME": "u", "CAST2MQTT_MQTT_PASSWORD_FILE": "/run/s"]
        #expect(try load(environment: environment, files: ["/run/s": "hunter2 \n"]).mqtt.password?.value == "hunter2 ")
        #expect(problems(environment: environment).first?.contains("does not exist") == true)
        #expect(problems(environment: environment, files: ["/run/s": "a\nb"]).first?.contains("control characters") == true)
        let yaml = "mqtt: {host: h, username: u, password_file: /run/s}"
        #expect(try load(yaml, files: ["/run/s": "hunter2\n"]).mqtt.password?.value == "hunter2")
        #expect(problems(yaml) == ["test.yaml:1: mqtt.password_file: names a file that does not exist"])
        #expect(try load(yaml, environment: ["CAST2MQTT_MQTT_PASSWORD": "p"]).mqtt.password?.value == "p")
        #expect(
            try load("mqtt: {host: h, username: u, password: p}", environment: environment, files: ["/run/s": "x"]).mqtt.password?.value
                == "x")
        #expect(
            problems("mqtt: {host: h, username: u, password: p, password_file: /run/s}", files: ["/run/s": "x"]) == [
                "test.yaml:1: mqtt.password_file: is set beside mqtt.password; set one of them"
            ])
        #expect(try load("mqtt: {host: h, username: u, password: p, password_file: null}").mqtt.password?.value == "p")
        let both = environment.merging(["CAST2MQTT_MQTT_PASSWORD": "p"]) { $1 }
        #expect(
            problems(environment: both, files: ["/run/s": "x"]) == [
                "CAST2MQTT_MQTT_PASSWORD_FILE: is set beside CAST2MQTT_MQTT_PASSWORD; set one of them"
            ])
    }

    @Test("names the file that is read; one that is named must be there")
    func whichFile() throws {
        let files = ["/a": "instance: a", "/b": "instance: b", ConfigurationLoader.standardPath: "instance: standard"]
        func instance(_ argument: String?, _ environment: [String: String], without: String = "") throws -> String {
            try ConfigurationLoader.load(argument: argument, environment: environment) { path in
                path == without ? .missing : files[path].map { .bytes(Array($0.utf8)) } ?? .missing
            }.configuration.instance
        }
        #expect(try instance("/a", ["CAST2MQTT_CONFIG": "/b"]) == "a")
        #expect(try instance(nil, ["CAST2MQTT_CONFIG": "/b"]) == "b")
        #expect(try instance(nil, [:]) == "standard")
        #expect(try instance(nil, [:], without: ConfigurationLoader.standardPath) == "home")
        let problem = ConfigurationProblem(source: .file(path: "/c", line: nil), message: "does not exist")
        #expect(throws: ConfigurationError(problems: [problem])) {
            try instance("/c", [:])
        }
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationLoader.load(argument: nil, environment: [:]) { _ in .unreadable("permission denied") }
        }
        #expect(error?.description == "/etc/cast2mqtt/cast2mqtt.yaml: can't be read: permission denied")
    }
}

@Suite("A secret")
struct SecretTests {
    @Test("is shown by no description, dump or error")
    func hidden() throws {
        let configuration = try load("mqtt: {host: h, username: u, password: hunter2}")
        #expect(configuration.mqtt.password?.value == "hunter2")
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped, "\(configuration.mqtt.password as Any)"] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test(
        "is reported by no problem, in any source",
        arguments: [
            "mqtt: {host: h, username: u, password: [hunter2]}", "mqtt: {host: h, username: u, password: \"hunter2\\u0001\"}",
            "mqtt: {host: 'mqtt://u:hunter2@h'}",
            "mqtt: {port: hunter2}", "mqtt: {protocol: hunter2}", "log: {level: hunter2}", "mqtt: {pasword: hunter2}",
            "discovery: {known_hosts: ['hunter2 hunter2']}",
            "instance: 'hunter2 !'", "mqtt: {host: h, password: hunter2}", "mqtt: hunter2", "rename: hunter2", "mqtt: {base: 'hunter2/#'}",
            "log: {filters: [hunter2]}",
        ])
    func notReported(yaml: String) {
        let lines = problems(yaml)
        #expect(!lines.isEmpty)
        #expect(!lines.contains { $0.contains("hunter2") }, "\(lines)")
    }
}

@Suite("Keys that don't go together")
struct CombinationTests {
    @Test(
        "are refused, since one would silently have no effect",
        arguments: [
            ("mqtt: {port: 1883}", "mqtt.port: has no effect without mqtt.host"),
            ("mqtt: {username: u}", "mqtt.username: has no effect without mqtt.host"),
            ("mqtt: {tls: {enabled: true}}", "mqtt.tls.enabled: has no effect without mqtt.host"),
            ("mqtt: {host: h, password: p}", "mqtt.password: needs mqtt.username"),
            ("home_assistant: {prefix: cast2mqtt}", "home_assistant.prefix: can't be mqtt.base or below it"),
            ("{mqtt: {base: a}, home_assistant: {status_topic: a/b}}", "home_assistant.status_topic: can't be mqtt.base or below it"),
            (
                "home_assistant: {mode: off, media_player_compat: mqtt_media_player}",
                "home_assistant.media_player_compat: has no effect while home_assistant.mode is off or status.split is none"
            ),
            ("mqtt: {host: h, tls: {ca_file: /x}}", "mqtt.tls.ca_file: has no effect while mqtt.tls.enabled is false"),
            (
                "mqtt: {host: h, tls: {enabled: true, key_file: /x}}",
                "mqtt.tls.certificate_file: and mqtt.tls.key_file must be set together"
            ),
            (
                "discovery: {interfaces: [eth0, '!docker0']}",
                "discovery.interfaces: !docker0 has no effect beside an interface that is named"
            ),
            ("mqtt: {response_prefixes: [cast2mqtt/x]}", "mqtt.response_prefixes: can't open more of mqtt.base than its client branch"),
        ])
    func refused(yaml: String, problem: String) { #expect(problems(yaml) == [problem]) }

    @Test("stay out of the way of those that do")
    func accepted() {
        #expect(
            problems("mqtt: {host: h, username: u, password: p, tls: {enabled: true, ca_file: /x}, response_prefixes: [cast2mqttx]}")
                .isEmpty)
    }
}

@Suite("The state directory")
struct StateDirectoryTests {
    @Test(
        "is the configured one, else the first that the environment names",
        arguments: [
            ("/c", ["STATE_DIRECTORY": "/s"], "/c"), (nil, ["STATE_DIRECTORY": "/s:/t", "HOME": "/h"], "/s"),
            (nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/cast2mqtt"),
            (nil, ["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/cast2mqtt"),
            (nil, ["STATE_DIRECTORY": "", "HOME": "/"], "/.local/state/cast2mqtt"), (nil, [:], nil),
        ] as [(String?, [String: String], String?)])
    func path(configured: String?, environment: [String: String], path: String?) {
        #expect(StateDirectoryPath.find(configured: configured, environment: environment) == path)
    }
}
