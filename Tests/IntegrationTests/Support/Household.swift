import Foundation
import Synchronization
import TestSupport

/// A house of its own: simulated devices, a broker and the bridge, as programs on one host or on three.
///
/// Every house has its own network, so that houses of other tests, and the machine's real one, are never seen.
final class Household: Sendable {
    /// The host of each program.
    struct Hosts: Sendable {
        var bridge: NetworkNamespace
        var broker: NetworkNamespace
        var devices: NetworkNamespace
        /// The switch between them; without it their cables are unplugged.
        var wire: NetworkNamespace?
        /// Where the broker listens.
        var brokerAddress = "127.0.0.1"
        /// The interface on which the bridge looks for devices.
        var bridgeInterface = "lo"
        var deviceInterface = "lo"
        var deviceAddressBase = "127.0.1.1"
    }

    let hosts: Hosts
    let folder: String
    let broker: MosquittoBroker
    let control: SimulatorControl
    private let simulatorProcess = Mutex<ChildProcess?>(nil)
    private let bridgeProcess = Mutex<ChildProcess?>(nil)

    /// Everything on one host, found over its loopback interface.
    static func onOneHost(_ broker: MosquittoBroker.Options = .init(), port: UInt16 = 1883) async throws -> Household {
        let host = try await NetworkNamespace("house")
        return try Household(Hosts(bridge: host, broker: host, devices: host), broker, port: port)
    }

    /// Bridge, broker and devices on three hosts that receive each other's multicast.
    static func onThreeHosts(devices: Int, _ broker: MosquittoBroker.Options = .init()) async throws -> Household {
        let wire = try await NetworkNamespace("wire")
        let bridge = try await NetworkNamespace("bridge")
        let brokerHost = try await NetworkNamespace("broker")
        let deviceHost = try await NetworkNamespace("devices")
        try await wire.run("ip", "link", "add", "lan", "type", "bridge", "mcast_snooping", "0")
        try await wire.run("ip", "link", "set", "lan", "up")
        for (index, host) in [bridge, brokerHost, deviceHost].enumerated() {
            try await host.plug(into: wire, switchNamed: "lan", port: "port\(index)", address: "10.77.0.\(index + 1)/24")
        }
        for index in 1...max(1, devices) { try await deviceHost.run("ip", "addr", "add", "10.77.1.\(index)/16", "dev", "lan0") }
        for host in [bridge, brokerHost] { try await host.run("ip", "route", "add", "10.77.1.0/24", "dev", "lan0") }
        return try Household(
            Hosts(
                bridge: bridge, broker: brokerHost, devices: deviceHost, wire: wire, brokerAddress: "10.77.0.2", bridgeInterface: "lan0",
                deviceInterface: "lan0", deviceAddressBase: "10.77.1.1"), broker)
    }

    private init(_ hosts: Hosts, _ options: MosquittoBroker.Options, port: UInt16 = 1883) throws {
        self.hosts = hosts
        self.folder = NSTemporaryDirectory() + "house-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        self.broker = try MosquittoBroker(options, port: port, host: hosts.brokerAddress, namespace: hosts.broker)
        self.control = SimulatorControl(path: self.folder + "/control")
    }

    deinit {
        self.bridgeProcess.withLock { $0 = nil }
        self.simulatorProcess.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: self.folder)
    }

    // MARK: Programs

    /// Starts the devices and waits until all are announced.
    func startDevices(_ devices: Int, groups: Int = 0, arguments: [String] = []) async throws {
        let process = try await ChildProcess(
            "cast-simulator",
            [
                "--devices", "\(devices)", "--groups", "\(groups)", "--interface", self.hosts.deviceInterface, "--address-base",
                self.hosts.deviceAddressBase, "--control", self.control.path, "--journal", self.journalPath,
            ] + arguments, namespace: self.hosts.devices)
        self.simulatorProcess.withLock { $0 = process }
        try await process.line(containing: "ready")
    }

    /// Starts the bridge; its state directory stays the same over restarts.
    /// - Parameters:
    ///   - hasBroker: whether the environment names the broker.
    ///   - nameServers: a file to find in the place of `/etc/resolv.conf`.
    ///   - standardError: the named pipe that it writes its log to.
    @discardableResult
    func startBridge(
        _ environment: [String: String] = [:], hasBroker: Bool = true, nameServers: String? = nil, standardError: String? = nil
    ) async throws -> ChildProcess {
        let broker = ["CAST2MQTT_MQTT_HOST": self.hosts.brokerAddress, "CAST2MQTT_MQTT_PORT": "\(self.broker.port)"]
        var command = [try Programs.locate("cast2mqtt"), "run"]
        if let nameServers {
            command = ["unshare", "-m", "sh", "-c", #"mount --bind "$0" /etc/resolv.conf && exec "$@""#, nameServers] + command
        }
        if let standardError { command = ["sh", "-c", #"exec "$@" 2<>"$0""#, standardError] + command }
        let process = try await ChildProcess(
            command[0], Array(command.dropFirst()),
            environment: [
                "CAST2MQTT_DISCOVERY_INTERFACES": self.hosts.bridgeInterface,
                "CAST2MQTT_STATE_DIRECTORY": self.stateDirectory, "CAST2MQTT_LOG_LEVEL": "debug",
            ].merging(hasBroker ? broker : [:]) { _, new in new }.merging(environment) { _, new in new }, namespace: self.hosts.bridge)
        self.bridgeProcess.withLock { $0 = process }
        return process
    }

    /// Starts broker, devices and bridge, and a watcher that saw everything; returns when the bridge and all devices are online.
    func startEverything(devices: Int, groups: Int = 0, environment: [String: String] = [:]) async throws -> MessageWatcher {
        try await self.broker.start()
        let watcher = try await self.watch()
        try await self.startDevices(devices, groups: groups)
        try await self.startBridge(environment)
        try await self.allOnline(watcher)
        return watcher
    }

    var bridge: ChildProcess? { self.bridgeProcess.withLock { $0 } }
    var simulator: ChildProcess? { self.simulatorProcess.withLock { $0 } }
    var stateDirectory: String { self.folder + "/state" }
    var journalPath: String { self.folder + "/journal" }

    // MARK: MQTT

    /// Records every message from now on, and the retained ones.
    /// - Parameter arguments: of `mosquitto_sub`, for a broker with users.
    /// - Parameter checksSchemas: `false` where others than the bridge publish in its place.
    func watch(_ arguments: [String] = [], checksSchemas: Bool = true) async throws -> MessageWatcher {
        try await MessageWatcher(
            port: Int(self.broker.port), host: self.hosts.brokerAddress, arguments: arguments, namespace: self.hosts.broker,
            checksSchemas: checksSchemas)
    }

    var sender: MessageSender { MessageSender(port: Int(self.broker.port), host: self.hosts.brokerAddress, namespace: self.hosts.broker) }

    /// Waits until the bridge and every device of the simulator are `online`.
    func allOnline(_ watcher: MessageWatcher) async throws {
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        try await watcher.current("cast2mqtt/bridge/devices") { !$0.text.contains(#""online":false"#) }
        for slug in try await self.slugs(watcher).values {
            try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "online" }
        }
    }

    /// The slug of each simulated device by its control name, once `bridge/devices` lists all of them.
    func slugs(_ watcher: MessageWatcher) async throws -> [String: String] {
        let devices = try await self.control.devices()
        return try await eventually("bridge/devices lists every device") {
            guard let listing = watcher.current["cast2mqtt/bridge/devices"],
                let entries = try JSONSerialization.jsonObject(with: Data(listing.payload)) as? [[String: Any]]
            else { return nil }
            let slugs = Dictionary(
                entries.compactMap { entry in
                    (entry["id"] as? String).flatMap { id in (entry["slug"] as? String).map { (id, $0) } }
                }
            ) { first, _ in first }
            var found: [String: String] = [:]
            for device in devices {
                guard let name = device["device"] as? String, let id = device["id"] as? String, let slug = slugs[id] else { return nil }
                found[name] = slug
            }
            return found
        }
    }

    // MARK: The devices' side

    /// The messages that the devices received so far.
    func journal() throws -> [[String: Any]] {
        let text = try String(contentsOfFile: self.journalPath, encoding: .utf8)
        return text.split(separator: "\n").compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }

    /// The requests of one type that a device received.
    func requests(_ type: String, to device: String) throws -> [[String: Any]] {
        try self.journal().filter { $0["device"] as? String == device }
            .compactMap { $0["payload"] as? [String: Any] }.filter { $0["type"] as? String == type }
    }
}
