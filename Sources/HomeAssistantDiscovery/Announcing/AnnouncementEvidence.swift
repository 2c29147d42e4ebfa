import BridgeCore
import CastModels

/// Detects announcements that this instance published, also in an earlier run and when its record is lost.
///
/// Only evidence counts: the announcement names this program, and this instance's bridge.
package struct AnnouncementEvidence: RetainedEvidence {
    private let prefix: String
    private let bridge: String

    /// - Parameter prefix: the first levels of every discovery topic.
    package init(prefix: String, instance: String) {
        self.prefix = prefix
        self.bridge = DiscoveryNames.bridge(instance: instance)
    }

    package var topicFilter: String { DiscoveryNames.deviceTopic(prefix: self.prefix, "+") }

    package func isOurs(topic: String, payload: [UInt8]) -> Bool? {
        let levels = topic.dropFirst(self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard topic.hasPrefix(self.prefix + "/"), levels.count == 4, levels[1] == "device", levels[3] == "config" else { return nil }
        guard let document = try? JSONParser.parse(payload), document["origin"]?["name"]?.stringValue == DiscoveryMapper.originName
        else { return false }
        return levels[2] == self.bridge || document["device"]?["via_device"]?.stringValue == self.bridge
    }
}
