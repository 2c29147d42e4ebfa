import Glibc
import TestSupport

/// A fault that is staged for the doctor, in a house of its own.
struct DoctorFault: Sendable {
    /// What runs when the fault is staged, all of it in good order.
    enum House {
        case broker, devices, bridge
        /// Broker and a device on hosts of their own, found over a cable instead of loopback.
        case hosts
    }

    var title: String
    /// The code of the first finding.
    var code: String
    var house = House.broker
    /// Further lines of mosquitto.conf; `%CERTIFICATES%` is the folder of `TestCertificates`.
    var lines: [String] = []
    /// Files in the broker's folder.
    var files: [String: String] = [:]
    var environment: [String: String] = [:]
    /// Shell commands that run before the doctor, in the same process and a mount namespace of its own. `$FOLDER` is the house's.
    var script = ""
    /// How long the doctor waits for devices, and for the broker.
    var seconds = 10
    var stage: @Sendable (Household) async throws -> Void = { _ in }
}

extension DoctorFault {
    /// The faults by their subject.
    static let all: [String: [DoctorFault]] = [
        "machine": [
            .init(title: "the clock shows 2001", code: "clock_wrong", script: clock),
            .init(title: "no place for a directory", code: "state_directory_refused", script: "\(state)=/proc/cast2mqtt"),
            .init(title: "a file in place of a directory", code: "state_directory_refused", script: "\(state)=/etc/passwd/cast2mqtt"),
            .init(
                title: "a file system that is read only", code: "state_directory_refused",
                script: "mkdir $\(state); mount -t tmpfs -o ro tmpfs $\(state)"),
            .init(
                title: "a directory in which this user may not write", code: "state_directory_refused",
                script: #"mkdir -m 500 $\#(state); set -- setpriv --bounding-set -all --inh-caps -all "$@""#),
            .init(
                title: "a full disk", code: "disk_full", script: "mkdir $\(state); mount -t tmpfs -o size=1m tmpfs $\(state)"),
            .init(title: "no state directory", code: "state_directory_missing", house: .devices, script: "unset \(state) HOME"),
            .init(title: "few descriptors", code: "few_files", house: .devices, script: "ulimit -n 256"),
            .init(
                title: "no broker, and no mosquitto", code: "mosquitto_missing",
                script: "unset \(host) CAST2MQTT_MQTT_PORT; mount --bind /dev/null \(MosquittoBroker.program ?? "")"),
        ],
        "network": [
            .init(title: "loopback only", code: "no_interface", script: "unset \(interfaces)"),
            .init(title: "an interface that does not exist", code: "interface_missing", environment: [interfaces: "eth9"]),
            .init(
                title: "a container without host networking", code: "container_network", house: .hosts,
                script: "mount -t tmpfs tmpfs /run; touch /run/.containerenv"
            ) { try await $0.simulator?.stop() },
            .init(
                title: "a firewall that drops UDP", code: "multicast_blocked", house: .hosts, environment: [interfaces: "home"],
                script: home + "; \(firewall(for: "0.0.0.0/0", "proto 17")); \(firewall(for: "::/0", "proto 17"))"),
            .init(
                title: "the same network without the firewall", code: "bridge_not_running", house: .hosts,
                environment: [interfaces: "home"], script: home),
        ],
        "broker": [
            .init(title: "nothing listens", code: "cannot_connect", environment: ["CAST2MQTT_MQTT_PORT": "1"]),
            .init(title: "a name that does not resolve", code: "name_not_resolved", environment: [host: "nowhere.invalid"]),
            .init(title: "a port that accepts and never answers", code: "connect_timed_out", seconds: 3) { $0.broker.suspend() },
            .init(title: "TLS to a plain port", code: "tls_failed", environment: [tls: "true"]),
            .init(
                title: "an unknown CA", code: "certificate_rejected", lines: encrypted + ["certfile %CERTIFICATES%/server.crt", serverKey],
                environment: [tls: "true"], script: "export CAST2MQTT_MQTT_TLS_CA_FILE=$CERTIFICATES/other.crt"),
            .init(
                title: "a certificate of another broker", code: "certificate_rejected",
                lines: encrypted + ["certfile %CERTIFICATES%/elsewhere.crt", "keyfile %CERTIFICATES%/elsewhere.key"],
                environment: [tls: "true"], script: "export CAST2MQTT_MQTT_TLS_CA_FILE=$CERTIFICATES/ca.crt"),
            .init(
                title: "a wrong password", code: "refused_by_broker", lines: ["password_file %DIR%/passwords"],
                files: ["passwords": "bridge:\(hashOfRight)\n"],
                environment: ["CAST2MQTT_MQTT_USERNAME": "bridge", "CAST2MQTT_MQTT_PASSWORD": "wrong"]),
            .init(
                title: "rules that refuse to write", code: "write_refused", lines: ["acl_file %DIR%/rules"],
                files: ["rules": "topic read #\n"]),
            .init(
                title: "rules that refuse to read", code: "read_refused", lines: ["acl_file %DIR%/rules"],
                files: ["rules": "topic write #\n"]),
            .init(title: "nothing is retained", code: "not_retained", lines: ["retain_available false"]),
            .init(title: "small packets only", code: "packet_limit", house: .devices, lines: ["max_packet_size 2000"]),
        ],
        "bridge": [
            .init(title: "a bridge that hangs", code: "bridge_hangs", house: .bridge) { $0.bridge?.signal(SIGSTOP) },
            .init(title: "a bridge with an earlier configuration", code: "bridge_not_ready", house: .devices) { house in
                try await house.startBridge(["CAST2MQTT_MQTT_PORT": "1"])
                try await house.bridge?.line(containing: "device online")
            },
        ],
        "devices": [
            .init(title: "nothing to search", code: "nothing_to_search", environment: ["CAST2MQTT_DISCOVERY_MDNS": "false"]),
            .init(title: "no device", code: "silence"),
            .init(title: "a known host that is silent", code: "host_silent", environment: [hosts: "127.0.0.99"]),
            .init(title: "a known host that is no device", code: "host_silent", environment: [hosts: "127.0.0.1:1883"]),
            .init(
                title: "a firewall before the device", code: "device_unverified", house: .hosts,
                script: firewall(for: "0.0.0.0/0", "proto 6 sport 8009")),
            .init(title: "nothing listens at the device", code: "device_refused", house: .devices) {
                try await $0.control.send(["device": "*", "do": "refuse"])
            },
            .init(
                title: "a device that is not genuine", code: "not_genuine",
                environment: ["CAST2MQTT_AUTHENTICATION_MODE": "require"],
                script: "export CAST2MQTT_AUTHENTICATION_ROOTS_FILE=$FOLDER/roots"
            ) {
                let roots = $0.folder + "/roots"
                try await $0.startDevices(1, arguments: ["--authentication-root", roots, "--authentication", "wrong-root"])
            },
            .init(title: "a device without power", code: "device_offline", house: .bridge) { house in
                try await house.control.send(["device": "*", "do": "stop", "goodbye": false])
                let watcher = try await house.watch()
                try await watcher.current("cast2mqtt/bridge/devices") { $0.text.contains(#""online":false"#) }
            },
        ],
    ]

    private static let (state, host, tls) = ("CAST2MQTT_STATE_DIRECTORY", "CAST2MQTT_MQTT_HOST", "CAST2MQTT_MQTT_TLS_ENABLED")
    private static let (interfaces, hosts) = ("CAST2MQTT_DISCOVERY_INTERFACES", "CAST2MQTT_DISCOVERY_KNOWN_HOSTS")
    /// Puts the cable behind an interface that is no end of a pair, because the tests themselves may run in a container.
    private static let home = """
        ip link add home type bridge; ip link set lan0 master home; ip addr flush dev lan0; ip addr add 10.77.0.1/16 dev home
        ip link set home up
        """
    private static let serverKey = "keyfile %CERTIFICATES%/server.key"
    private static let encrypted = ["cafile %CERTIFICATES%/ca.crt"]
    /// Of the password `right`, by mosquitto_passwd.
    private static let hashOfRight =
        "$7$101$MWzIudls1gfjRGUP$685s+bGYEO3WlMVERJQa8zeE2w/JMl+ekqlKRqy8VDiSt/QWcH01Yuw9EeUGUAf2A22JxRCn+wjIO5qa7a/xmw=="
    /// Protocols are numbers, because not every machine has their names (/etc/protocols).
    /// The command that drops what arrives from these addresses and matches a selector of `ip xfrm`, as a firewall does.
    private static func firewall(for addresses: String, _ selector: String) -> String {
        "ip xfrm policy add src \(addresses) dst \(addresses) \(selector) dir in action block"
    }

    /// Preloads a clock that always shows the same second of 2001.
    private static let clock = """
        clang -shared -fPIC -x c -o $FOLDER/clock.so - <<'END'
        #define _GNU_SOURCE
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            int result = syscall(SYS_clock_gettime, clock, time);
            if (clock == CLOCK_REALTIME) time->tv_sec = 1000000000;
            return result;
        }
        END
        export LD_PRELOAD=$FOLDER/clock.so
        """
}
