import Foundation
import TestSupport
import Testing

/// Speaker groups, stereo pairs and groups made on the fly, from the simulator to the broker.
@Suite("Groups", .serialized, .timeLimit(.minutes(5)))
struct GroupTests {
    private func object(_ watcher: MessageWatcher, _ topic: String, where holds: @escaping ([String: Any]) -> Bool) async throws {
        try await watcher.current("cast2mqtt/" + topic) { holds($0.object) }
    }

    private func listed(_ watcher: MessageWatcher) -> [[String: Any]] {
        guard let listing = watcher.current["cast2mqtt/bridge/devices"] else { return [] }
        return (try? JSONSerialization.jsonObject(with: Data(listing.payload))) as? [[String: Any]] ?? []
    }

    @Test("members of a group, a stereo pair and a group made on the fly show what is played on them, and are busy")
    func everyKind() async throws {
        let house = try await Household.onOneHost()
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(6, groups: 1, arguments: ["--stereo-pairs", "1"])
        try await house.startBridge()
        try await watcher.current("cast2mqtt/bridge/devices") {
            $0.text.contains(#""type":"stereo_pair""#) && $0.text.contains(#""type":"group""#)
        }
        try await watcher.current("cast2mqtt/bridge/devices") { !$0.text.contains(#""online":false"#) }
        let devices = try await house.control.devices()

        // The halves of the pair have topics and no entry.
        let infos = watcher.current.filter { $0.key.hasSuffix("/info") && !$0.key.contains("/bridge/") }.mapValues(\.object)
        let halves = infos.values.filter { ($0["capabilities"] as? [String])?.contains("multichannel_member") == true }
        #expect(halves.count == 2)
        let entries = self.listed(watcher)
        // Six devices, of which two are halves, a group and a pair.
        #expect(entries.count == 6)
        let listedIDs = entries.compactMap { $0["id"] as? String }
        for half in halves.compactMap({ $0["id"] as? String }) { #expect(!listedIDs.contains(half)) }

        for kind in ["group", "stereo_pair"] {
            let entry = try #require(entries.first { $0["type"] as? String == kind })
            let slug = try #require(entry["slug"] as? String)
            try await self.object(watcher, "\(slug)/group") { ($0["members"] as? [Any])?.count == 2 && $0["role"] as? String == "leader" }
            let group = try #require(watcher.current["cast2mqtt/\(slug)/group"]).object
            #expect(group["leader"] is String)
            let members = (group["members"] as? [[String: Any]] ?? []).compactMap { $0["slug"] as? String }
            #expect(members.count == 2)
            let name = try #require(devices.first { $0["id"] as? String == entry["id"] as? String }?["device"] as? String)
            try await house.control.send([
                "device": name, "do": "play", "url": "http://media/\(name).mp4?duration=3600", "title": "Item of \(name)", "duration": 3600,
            ])
            for member in members {
                try await self.object(watcher, "\(member)/state") { state in
                    state["player"] as? String == "playing" && (state["media"] as? [String: Any])?["title"] as? String == "Item of \(name)"
                        && (state["group"] as? [String: Any])?["id"] as? String == entry["id"] as? String
                }
                try await watcher.current("cast2mqtt/\(member)/status/busy") { $0.text == "ON" }
            }
            // Commands to its members reach the group, and the answers name it.
            for (verb, state) in [("pause", "PAUSED"), ("play", "PLAYING"), ("stop", "IDLE")] {
                let answers = "cast2mqtt/client/\(kind)/\(verb)"
                try await house.sender.publish(
                    "", to: "cast2mqtt/\(members[1])/cmd/\(verb)", arguments: ["-D", "publish", "response-topic", answers])
                let answer = try await watcher.message(on: answers).object
                #expect(answer["code"] as? String == "done" && answer["device"] as? String == members[1])
                #expect((answer["data"] as? [String: Any])?["group"] as? String == slug)
                try await eventually("\(name) is \(state)") {
                    let player = try await house.control.state(name)["player"] as? String
                    return player == state || (verb == "stop" && player == "NONE")
                }
            }
            for member in members { try await watcher.current("cast2mqtt/\(member)/status/busy") { $0.text == "OFF" } }
        }

        // A group made on the fly has no topics; those that it plays on show what it plays.
        let lone = entries.filter {
            $0["type"] as? String != "group" && ($0["groups"] as? [Any])?.isEmpty == true && $0["type"] as? String != "stereo_pair"
        }
        let names = lone.compactMap { entry in devices.first { $0["id"] as? String == entry["id"] as? String }?["device"] as? String }
        try #require(names.count >= 2)
        let made = try await house.control.send(["do": "group", "device": names[0], "members": [names[1]], "name": "Party"])
        let party = try #require(made["device"] as? String)
        try await house.control.send([
            "device": party, "do": "play", "url": "http://media/party.mp4?duration=600", "title": "Party", "duration": 600,
        ])
        for entry in lone
        where [names[0], names[1]].contains(devices.first { $0["id"] as? String == entry["id"] as? String }?["device"] as? String) {
            let slug = try #require(entry["slug"] as? String)
            try await watcher.current("cast2mqtt/\(slug)/status/title") { $0.text == "Party" }
        }
        #expect(!watcher.current.keys.contains { $0.hasPrefix("cast2mqtt/party") })
        #expect(self.listed(watcher).count == entries.count)
        try await house.bridge?.stop()
        try await watcher.stop()
    }
}
