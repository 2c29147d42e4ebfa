import BridgeCore
import CastModels

extension DiscoveryMapper {
    /// Returns the messages of a subject in one of its steps, and whether every other recorded topic of it is cleared.
    /// - Parameter device: the device; `nil` for the bridge.
    package func messages(of device: AnnouncedDevice?, in step: Announcer.Step) -> (messages: [OutgoingMessage], isComplete: Bool) {
        func announcement(removing removed: [RemovedEntity] = []) -> [OutgoingMessage] {
            device.map { self.messages(for: $0, removing: removed) } ?? self.bridgeMessages()
        }
        switch step {
        case .migrating(let topics): return (topics.map(Self.migration), false)
        case .clearing: return ([], true)
        case .removing(let removed): return (announcement(removing: removed), true)
        case .settled: return (announcement(), true)
        }
    }

    /// Returns the topics among `recorded` on which an earlier run announced a subject in the other form.
    package func migratable(_ recorded: Set<String>, of identifier: String) -> [String] {
        let prefix = self.options.homeAssistant.prefix
        let whole = DiscoveryNames.deviceTopic(prefix: prefix, identifier)
        let ofMediaPlayer = "\(prefix)/media_player/"
        return recorded.filter { topic in
            switch self.options.homeAssistant.mode {
            case .device: topic != whole && topic.hasPrefix("\(prefix)/") && !topic.hasPrefix(ofMediaPlayer)
            case .components: topic == whole
            case .off: false
            }
        }.sorted()
    }
}
