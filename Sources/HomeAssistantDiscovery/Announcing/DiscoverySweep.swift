import BridgeCore
import CastModels

/// Finds announcements that an earlier life of this instance left behind, also when its memory is lost. Bounded; does no I/O.
///
/// Only evidence counts: an announcement that names this program and this instance's bridge.
public struct DiscoverySweep: Sendable {
    /// Most topics that are remembered.
    static let maximumTopics = 10_000

    private let prefix: String
    private let bridge: String
    private var ours: Set<String> = []

    public init(prefix: String, instance: String) {
        self.prefix = prefix
        self.bridge = DiscoveryNames.bridge(instance: instance)
    }

    /// What to subscribe to meanwhile.
    public var topicFilter: String { DiscoveryNames.deviceTopic(prefix: self.prefix, "+") }

    /// What was heard so far says nothing about the next broker session.
    public mutating func interrupted() { self.ours = [] }

    /// A message of any topic; only leftovers (with the retain flag) count.
    /// - Returns: whether it is of the filter.
    public mutating func received(topic: String, payload: [UInt8], retain: Bool) -> Bool {
        let levels = topic.dropFirst(self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard topic.hasPrefix(self.prefix + "/"), levels.count == 4, levels[1] == "device", levels[3] == "config" else { return false }
        guard retain, self.ours.count < Self.maximumTopics, let document = try? JSONParser.parse(payload),
            document["origin"]?["name"]?.stringValue == DiscoveryMapper.originName
        else { return true }
        if levels[2] == self.bridge || document["device"]?["via_device"]?.stringValue == self.bridge { self.ours.insert(topic) }
        return true
    }

    /// What is left over.
    /// - Parameter topics: those that are in use or on record.
    public func leftovers(keeping topics: Set<String>) -> [String] { self.ours.subtracting(topics).sorted() }
}
