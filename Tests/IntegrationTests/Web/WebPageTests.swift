import Foundation
import TestSupport
import Testing

/// The web page in a browser, with the running bridge and simulated devices. The tests themselves are in `Tests/WebTests`.
///
/// `WEB_TESTS=all`, which `make test-web` sets, adds the slower ones: several browsers, lost connections, roles, sizes, long queues.
@Suite("The web page", .serialized)
struct WebPageTests {
    private static let tests = PythonEnvironment.root.appendingPathComponent("Tests/WebTests")
    private static let chromium = "/usr/bin/chromium"

    @Test("its pure modules hold their tables, its stream survives sleep and bad networks", arguments: ["models.mjs", "streams.mjs"])
    func modules(_ tests: String) throws {
        let root = PythonEnvironment.root
        let output = try ShortProgram.run([
            "node", Self.tests.appendingPathComponent(tests).path, root.appendingPathComponent("Sources/Dashboard/Page").path,
            root.appendingPathComponent("docs/TOPICS.md").path,
        ])
        #expect(output.contains("tests passed"), "\(output)")
    }

    @Test("all of it is at most 170 kB, compressed, with one language beside English")
    func size() throws {
        let page = PythonEnvironment.root.appendingPathComponent("Sources/Dashboard/Page").path
        var others: [Int] = []
        let bytes =
            try FileManager.default.subpathsOfDirectory(atPath: page).reduce(0) { total, path in
                let file = "\(page)/\(path)"
                var isFolder: ObjCBool = false
                guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder.boolValue else { return total }
                let compressed = try ShortProgram.run(["sh", "-c", #"gzip -9c "$0" | wc -c"#, file])
                let size = Int(compressed.trimmingCharacters(in: .whitespacesAndNewlines)) ?? .max / 2
                // A browser loads one of these at most.
                let isLanguage = path.hasPrefix("texts/") && path.utf8.count == "texts/de.js".utf8.count && !path.hasSuffix("en.js")
                if isLanguage { others.append(size) }
                return total + (isLanguage ? 0 : size)
            } + (others.max() ?? 0)
        #expect((1...170_000).contains(bytes) && others.count == 3, "\(bytes) bytes")
    }

    @Test(
        "in Chromium each control does what the simulator then shows, and axe finds nothing",
        .enabled("needs Debian's chromium, python3 with venv and pip, and PyPI; in CI it must run") { try await Self.isUsableOrRequired() },
        .timeLimit(.minutes(65)))
    func controls() async throws {
        let house = try await Household.onOneHost()
        let all = ProcessInfo.processInfo.environment["WEB_TESTS"] == "all"
        var environment = try ["CAST2MQTT_WEB_LISTEN": "127.0.0.1:8099", "CAST2MQTT_WEB_PASSWORDS_ADMIN": Self.hash("admin-password")]
        var arguments = ["--url", "http://127.0.0.1:8099/", "--control", house.control.path, "--password", "admin-password"]
        if all {
            // An address of the network, which browsers don't take for a secure context, and those of the devices that are announced there.
            try await house.hosts.bridge.run("ip", "link", "add", "net0", "type", "veth", "peer", "name", "net1")
            for host in [1, 9, 10] { try await house.hosts.bridge.run("ip", "addr", "add", "10.78.0.\(host)/24", "dev", "net0") }
            for end in ["net0", "net1"] { try await house.hosts.bridge.run("ip", "link", "set", end, "up") }
            // The address of Home Assistant's supervisor, from which ingress requests come.
            try await house.hosts.bridge.run("ip", "addr", "add", "172.30.32.2/32", "dev", "lo")
            environment["CAST2MQTT_WEB_LISTEN"] = "127.0.0.1:8099,10.78.0.1:8099"
            environment["CAST2MQTT_WEB_PASSWORDS_VIEW"] = try Self.hash("view-password")
            arguments += try [
                "--all", "--program", Programs.locate("cast2mqtt"), "--network-url", "http://10.78.0.1:8099/", "--view-password",
                "view-password",
            ]
        }
        let watcher = try await house.startEverything(devices: 5, groups: 1, environment: environment)
        let process = try await ChildProcess(
            try await PythonEnvironment.prepare(), [Self.tests.appendingPathComponent("run.py").path] + arguments,
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1", "CHROMIUM": Self.chromium], namespace: house.hosts.bridge)
        let status = try await process.ended(within: .seconds(3_600))
        // The last line names the tests that failed. It comes first, because a report may be cut.
        let text = process.text
        #expect(status == 0, "\(text.split(separator: "\n").last ?? "")\n\(text)")
        try await house.bridge?.stop()
        try await watcher.stop()
    }

    @Test(
        "a press acts on the device that is shown, whatever ten devices do",
        .enabled("needs Debian's chromium, python3 with venv and pip, and PyPI; in CI it must run") { try await Self.isUsableOrRequired() },
        .timeLimit(.minutes(15)))
    func rooms() async throws {
        let house = try await Household.onOneHost()
        let environment = try ["CAST2MQTT_WEB_LISTEN": "127.0.0.1:8099", "CAST2MQTT_WEB_PASSWORDS_ADMIN": Self.hash("admin-password")]
        let watcher = try await house.startEverything(devices: 10, environment: environment)
        let browser = try await ChildProcess(
            try await PythonEnvironment.prepare(),
            [
                Self.tests.appendingPathComponent("rooms.py").path, "--url", "http://127.0.0.1:8099/", "--control", house.control.path,
                "--journal", house.journalPath, "--password", "admin-password", "--steps",
                ProcessInfo.processInfo.environment["WEB_TESTS"] == "all" ? "300" : "60",
            ],
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1", "CHROMIUM": Self.chromium], namespace: house.hosts.bridge)
        #expect(try await browser.ended(within: .seconds(840)) == 0, "\(browser.text)")
        try await house.bridge?.stop()
        try await watcher.stop()
    }

    @Test(
        "the first start from another machine: code, password, broker, devices",
        .enabled("needs Debian's chromium, python3 with venv and pip, and PyPI; in CI it must run") { try await Self.isUsableOrRequired() },
        .timeLimit(.minutes(5)))
    func firstStart() async throws {
        let passwords =
            "house:"
            + (try ShortProgram.run([
                "sh", "-c", "touch $0 && mosquitto_passwd -b $0 house secret && cut -d: -f2- $0",
                NSTemporaryDirectory() + "passwords-\(UUID())",
            ]))
        let house = try await Household.onThreeHosts(
            devices: 3, .init(lines: ["password_file %DIR%/passwords"], files: ["passwords": passwords], allowsAnonymous: false))
        try await house.broker.start()
        try await house.startDevices(3)
        let bridge = try await house.startBridge(["CAST2MQTT_WEB_LISTEN": "0.0.0.0:8099"], hasBroker: false)
        let code = try #require(try await bridge.line(containing: "#code=").firstMatch(of: /#code=([0-9a-f]{32})$/)).1
        let browser = try await ChildProcess(
            try await PythonEnvironment.prepare(),
            [
                Self.tests.appendingPathComponent("first_start.py").path, "--url", "http://10.77.0.1:8099/", "--code", "\(code)",
                "--address",
                house.hosts.brokerAddress, "--port", "\(house.broker.port)", "--username", "house", "--broker-password", "secret",
                "--devices", "3",
            ],
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1", "CHROMIUM": Self.chromium], namespace: house.hosts.broker)
        #expect(try await browser.ended(within: .seconds(240)) == 0, "\(browser.text)")
        let watcher = try await house.watch(["-u", "house", "-P", "secret"])
        try await house.allOnline(watcher)
        #expect(!watcher.current.keys.contains { $0.hasPrefix("homeassistant/") })
        try await bridge.stop()
        try await watcher.stop()
    }

    @Test(
        "of the standby of a pair says who leads and leads there; it shows the devices when its bridge takes over",
        .enabled("needs Debian's chromium, python3 with venv and pip, and PyPI; in CI it must run") { try await Self.isUsableOrRequired() },
        .timeLimit(.minutes(5)))
    func pair() async throws {
        let house = try await Household.onThreeHosts(devices: 2)
        try await house.broker.start()
        try await house.startDevices(2)
        try await house.hosts.bridge.run("ip", "addr", "add", "10.77.0.5/16", "dev", "lan0")
        let watcher = try await house.watch()
        var bridges: [ChildProcess] = []
        for address in ["10.77.0.1", "10.77.0.5"] {
            bridges += [
                try await house.startBridge([
                    "CAST2MQTT_STANDBY": "true", "CAST2MQTT_MQTT_CLIENT_ID": "home-pair", "CAST2MQTT_WEB_LISTEN": "\(address):8099",
                    "CAST2MQTT_WEB_PASSWORDS_ADMIN": try Self.hash("admin-password"),
                    "CAST2MQTT_STATE_DIRECTORY": house.folder + "/" + address,
                ])
            ]
            try await house.allOnline(watcher)
        }
        try await watcher.current("cast2mqtt/bridge/info") {
            ($0.object["pair"] as? [String: Any])?["members"].map { "\($0)" }?.contains("10.77.0.5") == true
        }
        let browser = try await ChildProcess(
            try await PythonEnvironment.prepare(),
            [
                Self.tests.appendingPathComponent("pair.py").path, "--leader", "http://10.77.0.1:8099/", "--standby",
                "http://10.77.0.5:8099/",
                "--pid", "\(bridges[0].pid)", "--password", "admin-password", "--devices", "2",
            ],
            environment: ["HOME": house.folder, "PYTHONDONTWRITEBYTECODE": "1", "CHROMIUM": Self.chromium], namespace: house.hosts.broker)
        #expect(try await browser.ended(within: .seconds(240)) == 0, "\(browser.text)")
        try await bridges[1].stop()
        try await watcher.stop()
    }

    private static func isUsableOrRequired() async throws -> Bool {
        guard try await PythonEnvironment.isUsableOrRequired() else { return false }
        return FileManager.default.isExecutableFile(atPath: self.chromium) || ProcessInfo.processInfo.environment["CI"] != nil
    }

    private static func hash(_ password: String) throws -> String {
        try ShortProgram.run(["sh", "-c", #"echo "$1" | "$0" hash-password 2>/dev/null"#, Programs.locate("cast2mqtt"), password])
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
