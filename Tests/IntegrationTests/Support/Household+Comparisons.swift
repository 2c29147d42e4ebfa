import Foundation
import TestSupport
import Testing

/// Conditions that must hold once every fault is over.
extension Household {
    /// Lets a device play a long item, as if another sender had loaded it, and waits until MQTT shows it.
    func play(_ device: String, _ watcher: MessageWatcher) async throws {
        let slug = try #require(try await self.slugs(watcher)[device])
        try await self.control.send([
            "device": device, "do": "play", "url": "http://media/\(device).mp4?duration=3600", "title": "Item of \(device)",
            "duration": 3600,
        ])
        try await watcher.current("cast2mqtt/\(slug)/state") { $0.object["player"] as? String == "playing" }
    }

    /// The documents match what the devices themselves report.
    func expectTruth(_ watcher: MessageWatcher) async throws {
        for (device, slug) in try await self.slugs(watcher) {
            try await eventually("cast2mqtt/\(slug)/state says what \(device) says") {
                let truth = try await self.control.state(device)
                guard let reported = watcher.current["cast2mqtt/\(slug)/state"]?.object else { return false }
                let volume = reported["volume"] as? [String: Any] ?? [:]
                let media = reported["media"] as? [String: Any] ?? [:]
                let wanted = (truth["volume"] as? Double).map { Int(($0 * 100).rounded()) }
                let isPlaying = truth["player"] as? String == "PLAYING"
                // Plain values follow their document, and what is compared after this must have all of them.
                let level = watcher.current["cast2mqtt/\(slug)/status/volume_level"].flatMap { Double($0.text) }
                guard level == (truth["volume"] as? Double).map({ ($0 * 1000).rounded() / 1000 }) else { return false }
                // A member shows what its group plays, which it does not report itself.
                let showsGroup =
                    (reported["group"] as? [String: Any])?["role"] as? String == "member"
                    && (reported["group"] as? [String: Any])?["id"] is String
                let isAsReported =
                    showsGroup
                    || (reported["player"] as? String == "playing") == isPlaying && media["title"] as? String == truth["title"] as? String
                return volume["percent"] as? Int == wanted && volume["muted"] as? Bool == truth["muted"] as? Bool
                    && isAsReported && watcher.current["cast2mqtt/\(slug)/availability"]?.text == "online"
            }
        }
    }

    /// The retained tree equals what a fresh start with the same state directory puts on an empty broker.
    func expectFreshStart(like watcher: MessageWatcher) async throws {
        // The list of devices follows a second later; until then it may still contain the outage.
        try await self.allOnline(watcher)
        // Announcements follow the state in a pace of their own.
        let announced = try await self.slugs(watcher).count + 1
        try await eventually("everything is announced") {
            watcher.current.count { $0.key.hasPrefix("homeassistant/") && !$0.value.payload.isEmpty } == announced
        }
        // The queue is published at most every two seconds.
        let slugs = try await self.slugs(watcher).values
        try await eventually("each queue is published as it is") {
            slugs.allSatisfy { slug in
                let reported = watcher.current["cast2mqtt/\(slug)/state"]?.object["queue"] as? [String: Any]
                return reported?["index"] as? Int == watcher.current["cast2mqtt/\(slug)/queue"]?.object["index"] as? Int
            }
        }
        let healed = try Self.comparable(watcher.current)
        let empty = try await self.changeToAnEmptyBroker()
        let fresh = try await MessageWatcher(port: Int(empty.port), host: empty.host, namespace: self.hosts.broker)
        try await self.startBridge(["CAST2MQTT_MQTT_PORT": "\(empty.port)"])
        try await self.allOnline(fresh)
        try await Self.expectSame(as: healed) { try Self.comparable(fresh.current) }
    }

    /// Ends the bridge and its broker; gives another one that runs and holds nothing.
    func changeToAnEmptyBroker() async throws -> MosquittoBroker {
        try await self.bridge?.stop()
        await self.broker.terminate()
        let empty = try MosquittoBroker(port: 1884, host: self.hosts.brokerAddress, namespace: self.hosts.broker)
        try await empty.start()
        return empty
    }

    /// Waits until a fresh start has published the same as `kept`, or names every topic that differs; returns what it published.
    @discardableResult
    static func expectSame(as kept: [String: String], _ reported: () async throws -> [String: String]) async throws -> [String: String] {
        var fresh: [String: String] = [:]
        do {
            try await eventually("a fresh start publishes the same", within: .seconds(30)) {
                fresh = try await reported()
                return fresh == kept
            }
        } catch {
            for topic in Set(fresh.keys).union(kept.keys).sorted() where fresh[topic] != kept[topic] {
                Issue.record("\(topic)\n  kept:  \(kept[topic] ?? "nothing")\n  fresh: \(fresh[topic] ?? "nothing")")
            }
        }
        return fresh
    }

    /// The retained messages without what time alone changes, and without what names the broker's port.
    private static func comparable(_ tree: [String: MessageWatcher.Message]) throws -> [String: String] {
        try tree.filter { Self.isRetained($0.key) }.mapValues(Self.timeless)
    }

    /// The content of a message without the time; the members of JSON in one order.
    static func timeless(_ message: MessageWatcher.Message) throws -> String {
        guard let value = try? JSONSerialization.jsonObject(with: Data(message.payload)), value is [String: Any] || value is [Any]
        else { return message.text }
        let bytes = try JSONSerialization.data(withJSONObject: Self.withoutTimes(value), options: .sortedKeys)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isRetained(_ topic: String) -> Bool {
        let levels = topic.split(separator: "/")
        if topic.hasPrefix("homeassistant/") { return true }
        if topic.hasPrefix("cast2mqtt/bridge/") { return ["state", "info", "devices"].contains(levels.last) }
        if topic.contains("/status/position") || topic.contains("/status/error_code") { return false }
        return topic.contains("/status/")
            || ["availability", "info", "state", "media", "app", "queue", "tracks", "group"].contains(levels.last)
    }

    private static func withoutTimes(_ value: Any) -> Any {
        if let array = value as? [Any] { return array.map(Self.withoutTimes) }
        guard let object = value as? [String: Any] else { return value }
        var kept: [String: Any] = [:]
        for (key, member) in object {
            let isTime = key == "ts" || key.hasSuffix("_at") || key == "position" || key == "last_seen"
            if isTime || ["session", "transport", "port", "host"].contains(key) { continue }
            kept[key] = Self.withoutTimes(member)
        }
        return kept
    }
}
