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

    /// The `state` documents say what the devices themselves say.
    func expectTruth(_ log: MessageLog) async throws {
        let slugs = try await self.online(log)
        var differences: [String] = []
        do {
            try await eventually("the documents say what the devices say") {
                try log.update()
                differences = []
                for (device, slug) in slugs {
                    let truth = try await self.control.state(device)
                    let text = log.current["cast2mqtt/\(slug)/state"] ?? ""
                    let told = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
                    if !Self.agrees(told, truth) { differences.append("\(device): \(truth)\n  told: \(text)") }
                }
                return differences.isEmpty
            }
        } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description)\n\(differences.joined(separator: "\n"))")
        }
    }

    private static func agrees(_ told: [String: Any], _ truth: [String: Any]) -> Bool {
        let volume = told["volume"] as? [String: Any] ?? [:]
        let media = told["media"] as? [String: Any] ?? [:]
        let player = told["player"] as? String
        // A member that plays nothing of its own shows what its group plays.
        let group = told["group"] as? [String: Any] ?? [:]
        let isLent = group["role"] as? String == "member" && group["id"] is String
        let isSamePlayer =
            switch truth["player"] as? String {
            case "PLAYING": player == "playing"
            case "PAUSED": player == "paused"
            case "BUFFERING": player == "buffering"
            case "LOADING": player == "loading"
            default: ["off", "on", "idle"].contains(player) || isLent
            }
        return isSamePlayer && volume["percent"] as? Int == (truth["volume"] as? Double).map { Int(($0 * 100).rounded()) }
            && volume["muted"] as? Bool == truth["muted"] as? Bool
            && (media["content_id"] as? String == truth["content_id"] as? String || isLent
                || ["IDLE", "NONE"].contains(truth["player"] as? String))
    }
}
