import BridgeCore
import CastModels

/// Writes the same announcement in either form. Keys and identifiers are equal, so that Home Assistant recognises an entity in both.
extension DiscoveryMapper {
    func messages(_ announcement: WholeAnnouncement, removing removed: [RemovedEntity] = []) -> [OutgoingMessage] {
        switch self.options.homeAssistant.mode {
        case .device, .companion: [self.deviceMessage(announcement, removing: removed)]
        case .components: announcement.components.map { self.componentMessage($0, of: announcement) }
        case .off: []
        }
    }

    /// The payload that makes Home Assistant migrate its entities to announcements in the other form and keep the user's settings.
    public static let migration: JSONValue = .object(["migrate_discovery": true])

    /// Returns the message that starts the migration of the announcement on `topic`.
    public static func migration(of topic: String) -> OutgoingMessage { self.message(topic, self.migration) }

    private func deviceMessage(_ announcement: WholeAnnouncement, removing removed: [RemovedEntity]) -> OutgoingMessage {
        var components = JSONObject()
        for component in announcement.components { components.append(component.key, component.json) }
        for entity in removed.sorted(by: { $0.key < $1.key }) where components[entity.key] == nil {
            components.append(entity.key, Component(entity.key, entity.platform, options: [:]).json)
        }
        return Self.message(
            self.topic(announcement.identifier),
            .object([
                "device": .object(announcement.facts), "origin": self.origin,
                "availability": Self.availability(announcement.availability), "availability_mode": "all", "qos": 1,
                "components": .object(components),
            ]))
    }

    private func componentMessage(_ component: Component, of announcement: WholeAnnouncement) -> OutgoingMessage {
        var object = component.options
        object.append("qos", 1)
        if component.platform != .deviceAutomation, object["availability"] == nil {
            object.append("availability", Self.availability(announcement.availability))
            object.append("availability_mode", "all")
        }
        object.append("device", .object(announcement.facts))
        object.append("origin", self.origin)
        return Self.message(
            DiscoveryNames.componentTopic(
                prefix: self.options.homeAssistant.prefix, component.platform, announcement.identifier, component.key), .object(object))
    }

    private var origin: JSONValue {
        var origin: JSONObject = ["name": .string(Self.originName), "sw_version": .string(self.options.version)]
        if let page = self.options.homeAssistant.supportURL { origin.append("support_url", .string(page)) }
        return .object(origin)
    }

    /// The origin by which announcements of this program are recognised.
    static let originName = "cast2mqtt"

    static func message(_ topic: String, _ value: JSONValue) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: JSONWriter.bytes(of: value), qos: 1, retain: true, content: .json)
    }

    // MARK: Steps

    /// Returns the messages of an owner in one of its steps, and whether every other recorded topic of it is cleared.
    /// - Parameter device: the device; `nil` for the bridge.
    public func messages(of device: AnnouncedDevice?, in step: Announcer.Step) -> (messages: [OutgoingMessage], isComplete: Bool) {
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

    /// Returns the topics among `recorded` on which an earlier run announced an owner in the other form.
    public func migratable(_ recorded: Set<String>, of owner: DocumentOwner) -> [String] {
        let (prefix, whole) = (self.options.homeAssistant.prefix, self.topic(of: owner))
        let ofMediaPlayer = "\(prefix)/media_player/"
        return recorded.filter { topic in
            switch self.options.homeAssistant.mode {
            case .device, .companion: topic != whole && topic.hasPrefix("\(prefix)/") && !topic.hasPrefix(ofMediaPlayer)
            case .components: topic == whole
            case .off: false
            }
        }.sorted()
    }
}
