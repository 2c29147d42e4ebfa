import BridgeCore
import CastModels

/// Maps a device to the messages that announce it to Home Assistant. Pure; equal devices give equal bytes.
public struct DiscoveryMapper: Sendable {
    public let tree: TopicTree
    public var options: Options

    public init(tree: TopicTree, options: Options) { (self.tree, self.options) = (tree, options) }

    public struct Options: Sendable, Hashable {
        public var homeAssistant: HomeAssistantOptions
        public var instance: String
        public var version: String
        public var applications: OfferedApplications
        /// Whether `status/<name>` is published; some entities read it.
        public var hasPlainValues: Bool
        /// Whether `artwork/image` is published; the image entity then shows it.
        public var hasArtworkImages: Bool
        /// The address of the bridge's page, which ends in `/`; `nil` when it has none that browsers reach.
        public var page: String?

        public init(
            homeAssistant: HomeAssistantOptions = HomeAssistantOptions(), instance: String, version: String,
            applications: [String] = Self.defaultApplications, applicationIDs: [String: String] = [:], hasPlainValues: Bool = true,
            hasArtworkImages: Bool = false
        ) {
            self.homeAssistant = homeAssistant
            self.instance = instance
            self.version = version
            self.applications = OfferedApplications(OfferedOptions.usable(applications), ids: applicationIDs)
            self.hasPlainValues = hasPlainValues
            self.hasArtworkImages = hasArtworkImages
        }

        /// Returns the names that every device offers: the user's own names first.
        public static func offered(_ applications: [NamedApplication]) -> [String] {
            applications.map(\.name) + self.defaultApplications
        }

        /// The applications that are offered without configuration.
        public static let defaultApplications = ["Default Media Receiver", "YouTube", "YouTube Music", "Netflix", "Spotify", "Plex"]
    }

    /// Returns the announcement of a device; empty when the mode is `off`.
    /// - Parameter removed: entities of an earlier announcement that this one does not have. In the mode `device`, the message removes them
    ///   from Home Assistant.
    public func messages(for device: AnnouncedDevice, removing removed: [RemovedEntity] = []) -> [OutgoingMessage] {
        let announcement = WholeAnnouncement(
            identifier: DiscoveryNames.device(device.id), facts: self.facts(of: device),
            availability: [self.tree.bridge("state"), self.tree.device(device.slug, "availability")],
            components: DeviceEntities(device, tree: self.tree, options: self.options).all)
        return self.messages(announcement, removing: removed) + self.compatibility(device)
    }

    /// Returns the topics of `messages(for:removing:)`.
    public func topics(of device: AnnouncedDevice) -> Set<String> {
        let (identifier, prefix) = (DiscoveryNames.device(device.id), self.options.homeAssistant.prefix)
        let topics: [String] =
            switch self.options.homeAssistant.mode {
            case .device, .companion: [self.topic(identifier)]
            case .components:
                DeviceEntities(device, tree: self.tree, options: self.options).all.map {
                    DiscoveryNames.componentTopic(prefix: prefix, $0.platform, identifier, $0.key)
                }
            case .off: []
            }
        return Set(topics + self.compatibility(device).map(\.topic))
    }

    /// Returns the topic of the announcement of an owner in one message.
    public func topic(of owner: DocumentOwner) -> String {
        self.topic(owner.device.map(DiscoveryNames.device) ?? DiscoveryNames.bridge(instance: self.options.instance))
    }

    func topic(_ identifier: String) -> String {
        DiscoveryNames.deviceTopic(prefix: self.options.homeAssistant.prefix, identifier)
    }

    /// Returns the announcement of the bridge itself; empty when the mode is `off`.
    public func bridgeMessages() -> [OutgoingMessage] {
        let identifier = DiscoveryNames.bridge(instance: self.options.instance)
        var facts: JSONObject = [
            "identifiers": .array([.string(identifier)]), "name": .string("cast2mqtt \(self.options.instance)"),
            "manufacturer": "cast2mqtt", "model": "Bridge", "sw_version": .string(self.options.version),
        ]
        if let page = self.options.page { facts.append("configuration_url", .string(page)) }
        return self.messages(
            WholeAnnouncement(
                identifier: identifier, facts: facts, availability: [self.tree.bridge("state")],
                components: BridgeEntities(tree: self.tree, instance: self.options.instance).all))
    }

    public func optionalEntities(of device: AnnouncedDevice) -> OptionalEntities { OptionalEntities(of: device, self.options) }

    /// Returns the entities that the device had when it was announced with `optional`, and that Home Assistant must now remove.
    ///
    /// Empty unless one message announces a device: in the mode `components` each entity has its own topic, which is cleared instead.
    public func removedEntities(from device: AnnouncedDevice, announcedWith optional: OptionalEntities) -> Set<RemovedEntity> {
        guard self.options.homeAssistant.mode.isWhole, !optional.isSubset(of: self.optionalEntities(of: device)) else { return [] }
        func entities(_ optional: OptionalEntities?) -> Set<RemovedEntity> {
            let all = DeviceEntities(device, tree: self.tree, options: self.options, optional: optional).all
            return Set(all.map { RemovedEntity(key: $0.key, platform: $0.platform) })
        }
        return entities(optional).subtracting(entities(nil))
    }

    private func facts(of device: AnnouncedDevice) -> JSONObject {
        var facts: JSONObject = [
            "identifiers": .array([.string(DiscoveryNames.device(device.id))]), "name": .string(device.name),
        ]
        func add(_ key: String, _ value: String?) { if let value { facts.append(key, .string(value)) } }
        add("manufacturer", device.manufacturer)
        add("model", device.model)
        add("sw_version", device.firmware)
        // Home Assistant 2024.3 refuses a device with a serial number. Only the mode `components` supports that version.
        if self.options.homeAssistant.mode.isWhole { add("serial_number", device.id) }
        if self.options.homeAssistant.sharesMACAddress, let mac = device.macAddress {
            facts.append("connections", .array([.array(["mac", .string(mac)])]))
        }
        add("suggested_area", device.area)
        add("configuration_url", self.options.page.map { "\($0)#/device/\(device.slug)" })
        add("via_device", DiscoveryNames.bridge(instance: self.options.instance))
        return facts
    }

    static func availability(_ topics: [String]) -> JSONValue { .array(topics.map { .object(["topic": .string($0)]) }) }
}

public struct RemovedEntity: Sendable, Hashable {
    public let key: String
    let platform: Platform
}

/// The announcement of one device, before it is divided into messages.
struct WholeAnnouncement {
    let identifier: String
    let facts: JSONObject
    let availability: [String]
    let components: [Component]
}
