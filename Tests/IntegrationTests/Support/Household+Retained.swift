import Foundation
import TestSupport
import Testing

/// Everything that a broker retains, from any client.
extension Household {
    /// Every retained message but `bridge/health` by its topic, without what time alone changes.
    func retained(port: UInt16? = nil, checksSchemas: Bool = true) async throws -> [String: String] {
        let port = port ?? self.broker.port
        let host = self.hosts.brokerAddress
        let watcher = try await MessageWatcher(
            port: Int(port), host: host, namespace: self.hosts.broker, checksSchemas: checksSchemas)
        // The broker sends what it keeps before anything newer.
        try await MessageSender(port: Int(port), host: host, namespace: self.hosts.broker).publish("x", to: "sentinel")
        try await watcher.message(on: "sentinel")
        var tree: [String: String] = [:]
        for message in watcher.messages where message.isLeftOver && !message.topic.hasSuffix("/bridge/health") {
            let isPassing = message.topic.contains("/status/position") || message.topic.hasSuffix("/status/error_code")
            guard !isPassing else { continue }
            tree[message.topic] = try Self.timeless(message)
        }
        try await watcher.stop()
        return tree
    }

    /// The broker keeps exactly what the bridge puts on an empty one, with the same state directory and configuration.
    func expectOnlyWhatAFreshStartPublishes(_ environment: [String: String] = [:], base: String = "cast2mqtt") async throws {
        // `bridge/devices` follows a second after its cause.
        var kept: [String: String] = [:]
        try await eventually("the broker comes to rest") {
            let former = kept
            kept = try await self.retained()
            try await Task.sleep(for: .milliseconds(1200))
            // An entity that goes is announced without anything but its platform first, and left out in a later step.
            let isGoing = kept.contains { $0.key.hasSuffix("/config") && $0.value.contains(#/{"platform":"[a-z_]+"}/#) }
            return kept == former && !kept.isEmpty && !isGoing
        }
        let empty = try await self.changeToAnEmptyBroker()
        try await self.startBridge(environment.merging(["CAST2MQTT_MQTT_PORT": "\(empty.port)"]) { _, new in new })
        let fresh = try await Self.expectSame(as: kept) { try await self.retained(port: empty.port) }
        #expect(fresh.keys.contains("\(base)/bridge/state"))
        try await self.bridge?.stop()
    }

    /// Sends a request to the bridge and gives its answer.
    func request(_ verb: String, _ payload: String, _ watcher: MessageWatcher) async throws -> [String: Any] {
        let before = watcher.messages.count { $0.topic == "cast2mqtt/bridge/response/\(verb)" }
        try await self.sender.publish(payload, to: "cast2mqtt/bridge/request/\(verb)")
        return try await eventually("an answer to \(verb)", within: .seconds(60)) {
            let answers = watcher.messages.filter { $0.topic == "cast2mqtt/bridge/response/\(verb)" }
            return answers.count > before ? answers.last?.object : nil
        }
    }

    /// Rewrites the state file while the bridge is not running.
    func editState(_ edit: ([String]) -> [String]) throws {
        let path = self.stateDirectory + "/devices.jsonl"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        try (edit(lines).joined(separator: "\n") + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    func stateText() throws -> String { try String(contentsOfFile: self.stateDirectory + "/devices.jsonl", encoding: .utf8) }
}
