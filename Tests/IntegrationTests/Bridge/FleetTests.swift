import Foundation
import TestSupport
import Testing

/// Many devices at once, and cables that lead nowhere.
@Suite("A fleet and its network", .serialized)
struct FleetTests {
    @Test("fifty devices that lose power together are reported once each, and reconnect spread over time")
    func powerCut() async throws {
        let house = try await Household.onThreeHosts(devices: 50)
        try await house.broker.start()
        try await house.startDevices(50)
        let log = try await MessageLog(
            house,
            filters: [
                "cast2mqtt/bridge/devices", "cast2mqtt/bridge/event", "cast2mqtt/+/availability",
                "cast2mqtt/+/state",
            ])
        try await house.startBridge()
        let slugs = try await house.online(log)
        #expect(Set(slugs.values).count == 50)
        // Events of the beginning, up to the last device, are no part of what follows.
        try await eventually("50 devices are reported online") {
            try log.update()
            return Self.events(log.messages, "device_online").count == 50
        }
        let before = log.messages.count

        try await house.control.send(["device": "*", "do": "stop", "goodbye": false])
        try await eventually("all are offline") {
            try log.update()
            return slugs.values.allSatisfy { log.current["cast2mqtt/\($0)/availability"] == "offline" }
        }
        let cut = try house.journal().count
        try await house.control.send(["device": "*", "do": "start"])
        #expect(try await house.online(log) == slugs)
        try await house.expectTruth(log)
        try await eventually("50 devices are reported online again") {
            try log.update()
            return Self.events(log.messages, "device_online").count == 100
        }

        let after = log.messages[before...]
        for (device, slug) in slugs {
            #expect(after.filter { $0.topic == "cast2mqtt/\(slug)/availability" }.map(\.text) == ["offline", "online"], "\(device)")
        }
        #expect(Self.events(after, "device_offline").sorted() == slugs.values.sorted())
        #expect(Self.events(after, "device_online").sorted() == slugs.values.sorted())
        let connects = try house.journal().dropFirst(cut).filter { $0["event"] as? String == "connect" }.compactMap { $0["t_ns"] as? Int64 }
        let (first, last) = try (#require(connects.min()), #require(connects.max()))
        #expect(connects.count >= 50)
        #expect(last - first > 100_000_000, "a herd: all within \((last - first) / 1_000_000) ms")
        try await house.bridge?.stop()
    }

    @Test("thousands of devices that don't exist leave nothing behind, while twenty real ones restart")
    func flood() async throws {
        let house = try await Household.onThreeHosts(devices: 20)
        let (bridge, devices) = (house.hosts.bridge, house.hosts.devices)
        // Connections to the first network get no answer, those to the second are refused.
        for network in ["10.78.0.0/16", "10.79.0.0/16"] { try await bridge.run("ip", "route", "add", network, "via", "10.77.0.3") }
        try await devices.run("sysctl", "-qw", "net.ipv4.ip_forward=1")
        try await devices.run("ip", "route", "add", "blackhole", "10.78.0.0/16")
        try await devices.run("ip", "route", "add", "local", "10.79.0.0/16", "dev", "lo")
        try await house.broker.start()
        try await house.startDevices(20)
        let log = try await MessageLog(
            house,
            filters: [
                "cast2mqtt/bridge/devices", "cast2mqtt/bridge/health", "cast2mqtt/bridge/event", "cast2mqtt/+/availability",
                "cast2mqtt/+/state", "homeassistant/#",
            ])
        try await house.startBridge()
        let slugs = try await house.online(log)
        #expect(Set(slugs.values).count == 20)

        let script = FlowRun.root.appendingPathComponent("Tests/IntegrationTests/Support/announcements.py").path
        func announce() async throws { try await devices.run("python3", script, "10.77.0.3", "4000", "10.78", "10.79", "10.79") }
        try await announce()
        try await house.control.send(["device": "*", "do": "stop", "goodbye": false])
        try await eventually("all are offline") {
            try log.update()
            return slugs.values.allSatisfy { log.current["cast2mqtt/\($0)/availability"] == "offline" }
        }
        try await house.control.send(["device": "*", "do": "start"])
        #expect(try await house.online(log) == slugs)
        try await eventually("the unverified ones are counted", within: .seconds(180)) {
            try log.update()
            let health = log.messages.last { $0.topic == "cast2mqtt/bridge/health" }?.object
            if ((health?["devices"] as? [String: Any])?["unverified"] as? Int ?? 0) > 1000 { return true }
            // On a busy machine many of the packets find no room. The next report of the bridge's health needs a moment.
            try await announce()
            try await Task.sleep(for: .seconds(5))
            return false
        }
        #expect(Self.events(log.messages, "device_added").sorted() == slugs.values.sorted())
        #expect(!log.messages.contains { $0.topic.contains("fake") || $0.topic.contains("fa4e") })
        try await house.bridge?.stop()
        #expect(try house.stateText().split(separator: "\n").count == 21)
        #expect(try !house.stateText().contains("fa4e"))
    }

    @Test("a thousand known hosts are tried, and the devices among them are found without multicast")
    func knownHosts() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(10)
        let refusing = (0..<990).map { "127.1.\($0 / 250).\($0 % 250 + 1)" }
        let devices = (1...10).map { "127.0.1.\($0)" }
        try await house.startBridge([
            "CAST2MQTT_DISCOVERY_MDNS": "false", "CAST2MQTT_DISCOVERY_KNOWN_HOSTS": (refusing + devices).joined(separator: ","),
        ])
        try await house.allOnline(watcher)
        #expect(try await Set(house.slugs(watcher).values).count == 10)
        try await watcher.current("cast2mqtt/bridge/health") { ($0.object["devices"] as? [String: Any])?["online"] as? Int == 10 }
        try await house.bridge?.stop()
    }

    @Test("cast2mqtt devices distinguishes devices that accept connections from those that are only announced")
    func deviceTable() async throws {
        let house = try await Household.onThreeHosts(devices: 2)
        let (bridge, devices) = (house.hosts.bridge, house.hosts.devices)
        try await house.startDevices(2)
        let (program, script) = (
            try Programs.locate("cast2mqtt"), FlowRun.root.appendingPathComponent("Tests/IntegrationTests/Support/announcements.py").path
        )
        async let announced = devices.run(
            "sh", "-c", "for turn in 1 2 3 4; do python3 \"$0\" 10.77.0.3 3 10.80; sleep 1; done", script)
        let output = try await bridge.run(
            "env", "CAST2MQTT_DISCOVERY_INTERFACES=lan0", program, "devices", "--json", "--seconds", "6")
        _ = try await announced
        let listed = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        #expect(listed.count == 5)
        for device in listed {
            let isFake = (device["name"] as? String)?.hasPrefix("Fake") == true
            #expect(device["unverified"] as? Bool == isFake, "\(device)")
        }
        let table = try await bridge.run("env", "CAST2MQTT_DISCOVERY_INTERFACES=lan0", program, "devices", "--seconds", "3")
        #expect(table.split(separator: "\n").count == 3 && table.contains(" LINK ") && !table.contains("unverified"), "\(table)")
        // Columns are two spaces apart, and a name has single ones.
        let cells = table.split(separator: "\n").map { row in row.split(separator: #/ {2,}/#).prefix(2).map(String.init) }
        let named = listed.filter { $0["unverified"] as? Bool == false }.compactMap { ($0["name"] as? String, $0["slug"] as? String) }
        #expect(cells.first == ["NAME", "SLUG"])
        #expect(Set(cells.dropFirst()) == Set(named.map { [$0.0 ?? "", $0.1 ?? ""] }), "\(table)")
        let filtered = try await bridge.run(
            "env", "CAST2MQTT_DISCOVERY_INTERFACES=lan0", "CAST2MQTT_DISCOVERY_APPLICATIONS=FFFFFFFF", program, "devices", "--seconds", "3")
        #expect(filtered.components(separatedBy: " excluded ").count == 3, "\(filtered)")
        let groups = try await bridge.run(
            "env", "CAST2MQTT_DISCOVERY_INTERFACES=lan0", "CAST2MQTT_DISCOVERY_CAPABILITIES=multizone_group", "sh", "-c",
            "\"$0\" devices --seconds 2 2>&1; echo ended with $?", program)
        #expect(groups.contains("ended with 1"), "\(groups)")
        for device in listed {
            let words = (device["name"] as? String ?? "").lowercased().split { !$0.isLetter && !$0.isNumber }
            #expect(device["slug"] as? String == words.joined(separator: "-"))
        }
        // Nothing found is a failure, so that scripts see it.
        let nothing = try await bridge.run(
            "env", "CAST2MQTT_DISCOVERY_INTERFACES=none0", "sh", "-c", "\"$0\" devices --seconds 1 2>&1; echo ended with $?", program)
        #expect(nothing.contains("No device found") && nothing.hasSuffix("ended with 1\n"), "\(nothing)")
    }

    private static func events(_ messages: some Sequence<MessageLog.Message>, _ type: String) -> [String] {
        messages.filter { $0.topic == "cast2mqtt/bridge/event" }.map(\.object).filter { $0["type"] as? String == type }
            .compactMap { ($0["data"] as? [String: Any])?["slug"] as? String }
    }

    @Test("packets that vanish between bridge and broker cost nothing but time")
    func brokerCut() async throws {
        let house = try await Household.onThreeHosts(devices: 3)
        let watcher = try await house.startEverything(devices: 3)
        try await house.play("sim-001", watcher)
        let wire = try #require(house.hosts.wire)
        // Out of the switch, both ends still have their link: nothing notifies them.
        try await wire.run("ip", "link", "set", "port1", "nomaster")
        try await house.bridge?.line(containing: "half_open")
        try await house.control.send(["device": "sim-002", "do": "volume", "level": 0.77])
        try await house.control.send(["device": "sim-001", "do": "pause"])
        try await wire.run("ip", "link", "set", "port1", "master", "lan")
        // The watcher runs on the broker's host and received all of it.
        try await eventually("the bridge is online again") {
            watcher.messages.count { $0.topic == "cast2mqtt/bridge/state" && $0.text == "online" } >= 2
        }
        try await house.expectTruth(watcher)
        try await house.allOnline(watcher)
        try await house.expectFreshStart(like: watcher)
    }

    @Test("packets that vanish between bridge and devices make them offline, and then online again")
    func devicesCut() async throws {
        let house = try await Household.onThreeHosts(devices: 3)
        let watcher = try await house.startEverything(devices: 3)
        let slugs = try await house.slugs(watcher).values
        try await house.play("sim-001", watcher)
        let wire = try #require(house.hosts.wire)
        try await wire.run("ip", "link", "set", "port2", "nomaster")
        for slug in slugs { try await watcher.current("cast2mqtt/\(slug)/availability") { $0.text == "offline" } }
        try await house.control.send(["device": "sim-002", "do": "volume", "level": 0.77])
        try await wire.run("ip", "link", "set", "port2", "master", "lan")
        try await house.allOnline(watcher)
        try await house.expectTruth(watcher)
        for slug in slugs {
            let reported = watcher.messages.filter { $0.topic == "cast2mqtt/\(slug)/availability" }.map(\.text)
            #expect(reported.suffix(3) == ["online", "offline", "online"], "\(slug): \(reported)")
        }
        try await house.allOnline(watcher)
        try await house.expectFreshStart(like: watcher)
    }
}
