import BridgeConfiguration

/// A configuration file, and the environment: lines `NAME=value` after a zero byte.
enum ConfigurationTarget: FuzzTarget {
    static let name = "configuration"

    static var seeds: [[UInt8]] {
        [
            """
            instance: home
            mqtt:
              host: broker.lan
              port: 8883
              username: bridge
              password: "a secret"
              tls: {enabled: true, ca_file: /ca.pem, certificate_file: /c.pem, key_file: /k.pem}
              protocol: 3.1.1
              response_prefixes: [answers, "more/of them"]
            """,
            """
            # A comment
            discovery:
              mdns: false
              interfaces: [eth0, "wlan0"]
              known_hosts:
                - 192.168.1.31
                - "[fe80::1%eth0]:8009"
                - {host: tv.lan, port: 8009, id: 4f1c9a0e7b2d4c3aa5d86e1f0b9c2d34}
              include: ["Living*"]
            devices:
              - {device: living-room, aliases: [tv, lounge], area: Living room, inactive_input_is_off: true}
            applications: [{name: My Radio, id: 5A1D0001}, "Other=5A1D0002"]
            """,
            "log: &anchor\n  level: debug\n  format: json\n  filters: [\"CastSender.*=debug\"]\nstatus: {split: full, position_interval: 10}\n",
            "availability:\n  grace: 3\n  forget_after: 30\ntopics: {identity: slug}\nauthentication: report\ntopic_identity: id\nhome_assistant:\n  mode: off\n  prefix: homeassistant\nrename: follow\n",
            "\0CAST2MQTT_MQTT_HOST=h\nCAST2MQTT_MQTT_PORT=tcp://10.0.0.1:1883\nCAST2MQTT_DISCOVERY_KNOWN_HOSTS=a, b:1\nCAST2MQTT_MQTT_PASSWORD_FILE=/s",
        ].map { Array($0.utf8) }
    }

    static let words = [
        "availability:", "  grace:", "topics:", "commands:", "fan_out:", "stereo_halves:", "volume_scale:", "custom_namespaces:",
        "urn:x-cast:", "allow_raw:", "*anchor", "<<:",
        "!!str", "? ", "null",
        "~", "true", "---", "...", "[[", "{a: {", "|-", "CAST2MQTT_LOG_LEVEL=", "CAST2MQTT_CONFIG=",
    ]

    /// A line goes, comes from one of the seeds, or has another value.
    static func changed(_ input: [UInt8], by random: inout MutationRandom) -> [UInt8]? {
        let newline = UInt8(ascii: "\n")
        var lines = input.split(separator: newline, omittingEmptySubsequences: false)
        let place = Int.random(in: 0..<lines.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: lines.remove(at: place)
        case 1:
            let others = (self.seeds.randomElement(using: &random) ?? []).split(separator: newline)
            guard let other = others.randomElement(using: &random) else { return nil }
            lines.insert(other, at: place)
        default:
            guard let end = lines[place].lastIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }) else { return nil }
            let value = ["true", "false", "null", "0", "1", "65536", "[]", "{}", "auto", "x"].randomElement(using: &random) ?? ""
            lines[place] = lines[place][...end] + " \(value)".utf8
        }
        return Array(lines.joined(separator: [newline]))
    }

    static func run(_ input: [UInt8]) {
        let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let environment = Self.environment(parts.count > 1 ? parts[1] : [])
        // The line breaks of YAML 1.1, the last bytes of the three that are not ASCII.
        let breaks: Set<UInt8> = [0x0A, 0x0D, 0x85, 0xA8, 0xA9]
        let lineCount = parts[0].count { breaks.contains($0) } + 2
        func load() throws(ConfigurationError) -> ConfigurationLoader.Loaded {
            try ConfigurationLoader.load(argument: "file", environment: environment) { path in
                path == "file" ? .bytes(Array(parts[0])) : path.utf8.count < 10 ? .bytes(Array(path.utf8)) : .missing
            }
        }
        do throws(ConfigurationError) {
            let loaded = try load()
            require((try? load()) == loaded, "the same file is read in two ways")
            let configuration = loaded.configuration
            require(configuration.discovery.knownHosts.count <= 1000, "there are more known hosts than allowed")
            require((1...65_535).contains(configuration.mqtt.effectivePort), "a port is out of range")
            planted(configuration.discovery.isMulticastEnabled && configuration.discovery.knownHosts.contains { $0.id != nil })
        } catch {
            require(!error.problems.isEmpty, "an error names no problem")
            for problem in error.problems {
                if case .file(_, let line?) = problem.source {
                    require((1...lineCount).contains(line), "a problem is on no line of the file")
                }
            }
        }
    }

    private static func environment(_ bytes: ArraySlice<UInt8>) -> [String: String] {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        return Dictionary(
            lines.compactMap { line in line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) } },
            uniquingKeysWith: { $1 })
    }
}
