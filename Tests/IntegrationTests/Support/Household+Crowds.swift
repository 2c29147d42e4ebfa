import Foundation
import TestSupport
import Testing

/// The comparisons for many devices or thousands of messages.
extension Household {
    /// Waits until the bridge lists all devices and all are online; gives their slugs by control name.
    func online(_ log: MessageLog) async throws -> [String: String] {
        let devices = try await self.control.devices()
        return try await eventually("all \(devices.count) devices are online") {
            try log.update()
            guard log.current["cast2mqtt/bridge/state"] == "online", let listing = log.current["cast2mqtt/bridge/devices"],
                let entries = try JSONSerialization.jsonObject(with: Data(listing.utf8)) as? [[String: Any]]
            else { return nil }
            var slugs: [String: String] = [:]
            for entry in entries { if let id = entry["id"] as? String { slugs[id] = entry["slug"] as? String } }
            var found: [String: String] = [:]
            for device in devices {
                guard let name = device["device"] as? String, let slug = slugs[device["id"] as? String ?? ""],
                    log.current["cast2mqtt/\(slug)/availability"] == "online"
                else { return nil }
                found[name] = slug
            }
            return found
        }
    }

    /// The `state` documents match what the devices themselves report.
    func expectTruth(_ log: MessageLog) async throws {
        let slugs = try await self.online(log)
        var differences: [String] = []
        do {
            try await eventually("the documents match what the devices report") {
                try log.update()
                differences = []
                for (device, slug) in slugs {
                    let truth = try await self.control.state(device)
                    let text = log.current["cast2mqtt/\(slug)/state"] ?? ""
                    let reported = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
                    if !Self.agrees(reported, truth) { differences.append("\(device): \(truth)\n  reported: \(text)") }
                }
                return differences.isEmpty
            }
        } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description)\n\(differences.joined(separator: "\n"))")
        }
    }

    private static func agrees(_ reported: [String: Any], _ truth: [String: Any]) -> Bool {
        let volume = reported["volume"] as? [String: Any] ?? [:]
        let media = reported["media"] as? [String: Any] ?? [:]
        let player = reported["player"] as? String
        // A member that plays nothing of its own shows what its group plays.
        let group = reported["group"] as? [String: Any] ?? [:]
        let showsGroup = group["role"] as? String == "member" && group["id"] is String
        let isSamePlayer =
            switch truth["player"] as? String {
            case "PLAYING": player == "playing"
            case "PAUSED": player == "paused"
            case "BUFFERING": player == "buffering"
            case "LOADING": player == "loading"
            default: ["off", "on", "idle"].contains(player) || showsGroup
            }
        return isSamePlayer && volume["percent"] as? Int == (truth["volume"] as? Double).map { Int(($0 * 100).rounded()) }
            && volume["muted"] as? Bool == truth["muted"] as? Bool
            && (media["content_id"] as? String == truth["content_id"] as? String || showsGroup
                || ["IDLE", "NONE"].contains(truth["player"] as? String))
    }
}
