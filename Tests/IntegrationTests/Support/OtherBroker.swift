import Foundation
import Synchronization
import TestSupport

/// A broker that is not mosquitto, started from the folder that `scripts/bootstrap brokers` fills: nothing of it is installed, and it ends with the test.
final class OtherBroker: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case ejabberd, rabbitMQ

        /// Of `mosquitto_sub` and `mosquitto_pub`.
        var arguments: [String] {
            switch self {
            // Its users have a domain.
            case .ejabberd: ["-V", "5", "-u", "test@localhost", "-P", "secret"]
            case .rabbitMQ: ["-V", "311"]
            }
        }

        /// Of the bridge.
        var environment: [String: String] {
            switch self {
            case .ejabberd: ["CAST2MQTT_MQTT_USERNAME": "bridge@localhost", "CAST2MQTT_MQTT_PASSWORD": "secret"]
            case .rabbitMQ: [:]
            }
        }
    }

    static let root = FlowRun.root.appendingPathComponent(".build/brokers/root").path
    static var isUnpacked: Bool { FileManager.default.fileExists(atPath: self.root) }
    private static let erlang = root + "/usr/lib/erlang"

    let kind: Kind
    private let namespace: NetworkNamespace
    private let folder: String
    private let process = Mutex<ChildProcess?>(nil)
    private let portMapper = Mutex<ChildProcess?>(nil)

    /// Listens on 127.0.0.1:1883 of the namespace once started.
    /// - Parameter rules: of ejabberd: topic filters that every user may publish to, and subscribe to; the user `test` may do everything. Without them every user may.
    init(_ kind: Kind, namespace: NetworkNamespace, rules: (publish: [String], subscribe: [String])? = nil) throws {
        self.kind = kind
        self.namespace = namespace
        self.folder = NSTemporaryDirectory() + "broker-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        let configuration =
            switch kind {
            case .ejabberd:
                """
                hosts: [localhost]
                listen:
                  - {port: 1883, ip: 127.0.0.1, module: mod_mqtt, backlog: 1000}
                auth_method: [anonymous]
                anonymous_protocol: login_anon
                allow_multiple_connections: true
                acl: {tester: {user: test@localhost}}
                modules: {mod_mqtt: \(rules.map(Self.accessRules) ?? "{}")}

                """
            case .rabbitMQ:
                """
                listeners.tcp = none
                mqtt.listeners.tcp.1 = 127.0.0.1:1883
                mqtt.allow_anonymous = true

                """
            }
        // Both go by the ending of the name.
        let name = kind == .ejabberd ? "ejabberd.yml" : "rabbitmq.conf"
        try configuration.write(toFile: "\(self.folder)/\(name)", atomically: true, encoding: .utf8)
        // The interpreter's own start script knows only where an installation would lie.
        let erl = """
            #!/bin/sh
            export ROOTDIR=\(Self.erlang) BINDIR=\(try Self.runtime) EMU=beam PROGNAME=erl
            exec "$BINDIR/erlexec" "$@"

            """
        try erl.write(toFile: self.folder + "/erl", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: self.folder + "/erl")
        try "[rabbitmq_mqtt].\n".write(toFile: self.folder + "/plugins", atomically: true, encoding: .utf8)
    }

    deinit {
        self.process.withLock { $0 = nil }
        self.portMapper.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: self.folder)
    }

    /// Starts it and waits until it listens; its store is that of the start before.
    func start() async throws {
        switch self.kind {
        case .ejabberd: try await self.startEjabberd()
        case .rabbitMQ: try await self.startRabbitMQ()
        }
    }

    /// Ends it without a chance to send anything.
    func kill() async throws {
        guard let process = self.process.withLock({ $0 }) else { return }
        process.signal(SIGKILL)
        try await process.ended()
        self.process.withLock { $0 = nil }
    }

    private func startEjabberd() async throws {
        let code = try Self.only(in: Self.root + "/usr/lib/x86_64-linux-gnu", startingWith: "ejabberd-", having: "/ebin")
        let process = try await ChildProcess(
            self.folder + "/erl", ["-noinput", "-pa", code + "/ebin", "-mnesia", "dir", "\"\(self.folder)/store\"", "-s", "ejabberd"],
            environment: [
                "HOME": self.folder, "LD_LIBRARY_PATH": Self.root + "/usr/lib/x86_64-linux-gnu",
                "EJABBERD_CONFIG_PATH": self.folder + "/ejabberd.yml", "EJABBERD_LOG_PATH": self.folder + "/log",
            ], namespace: self.namespace)
        self.process.withLock { $0 = process }
        try await process.line(containing: "Start accepting TCP connections")
    }

    private func startRabbitMQ() async throws {
        // Erlang would start this by itself and leave it behind.
        if self.portMapper.withLock({ $0 }) == nil {
            let mapper = try await ChildProcess(try Self.runtime + "/epmd", ["-address", "127.0.0.1"], namespace: self.namespace)
            self.portMapper.withLock { $0 = mapper }
        }
        let home = try Self.only(in: Self.root + "/usr/lib/rabbitmq/lib", startingWith: "rabbitmq_server-", having: "/plugins")
        let process = try await ChildProcess(
            self.folder + "/erl",
            [
                "-noinput", "-boot", "start_sasl", "-s", "rabbit", "boot", "-syslog", "logger", "[]", "-syslog", "syslog_error_logger",
                "false",
                "-kernel", "prevent_overlapping_partitions", "false",
            ],
            environment: [
                "HOME": self.folder, "PATH": "\(self.folder):/usr/bin:/bin", "ERL_LIBS": home + "/plugins", "ERL_MAX_ETS_TABLES": "50000",
                "RABBITMQ_HOME": home, "RABBITMQ_PLUGINS_DIR": home + "/plugins", "RABBITMQ_NODENAME": "test@localhost",
                "RABBITMQ_MNESIA_BASE": self.folder + "/store", "RABBITMQ_LOG_BASE": self.folder + "/log",
                "RABBITMQ_CONFIG_FILE": self.folder + "/rabbitmq.conf", "RABBITMQ_ENABLED_PLUGINS_FILE": self.folder + "/plugins",
                "RABBITMQ_CONF_ENV_FILE": self.folder + "/none",
            ], namespace: self.namespace)
        self.process.withLock { $0 = process }
        try await process.line(containing: "completed with", within: .seconds(180))
    }

    private static func accessRules(publish: [String], subscribe: [String]) -> String {
        func rules(_ filters: [String]) -> String {
            (filters.map { "\"\($0)\": [{allow: all}]" } + ["\"#\": [{allow: tester}]"]).joined(separator: ", ")
        }
        return "{access_publish: {\(rules(publish))}, access_subscribe: {\(rules(subscribe))}}"
    }

    /// Where Erlang's programs lie.
    private static var runtime: String {
        get throws { try self.only(in: self.erlang, startingWith: "erts-", having: "/bin") + "/bin" }
    }

    /// The one folder whose name goes on with a version.
    private static func only(in parent: String, startingWith prefix: String, having part: String) throws -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        guard
            let name = names.first(where: { $0.hasPrefix(prefix) && FileManager.default.fileExists(atPath: "\(parent)/\($0)\(part)") })
        else {
            throw ConditionNotMet(description: "no \(prefix) in \(parent); run scripts/bootstrap brokers")
        }
        return "\(parent)/\(name)"
    }
}
