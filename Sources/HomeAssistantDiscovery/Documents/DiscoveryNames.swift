import CastModels

/// Names that Home Assistant keeps for ever: made from ids alone, never from names or slugs.
package enum DiscoveryNames {
    /// `cast2mqtt_<id>`: the identifier of a device, and its level in discovery topics, which take letters, digits, `-` and `_` only.
    package static func device(_ id: Device.ID) -> String { "cast2mqtt_\(id)" }

    /// `cast2mqtt_bridge_<instance>`; a point of the instance, which discovery topics don't take, becomes `_`.
    package static func bridge(instance: String) -> String {
        "cast2mqtt_bridge_" + String(instance.map { $0 == "." ? "_" : $0 })
    }

    /// The topic of an announcement in one message.
    package static func deviceTopic(prefix: String, _ identifier: String) -> String { "\(prefix)/device/\(identifier)/config" }

    /// The topic of one entity's announcement.
    static func componentTopic(prefix: String, _ platform: Platform, _ identifier: String, _ key: String) -> String {
        "\(prefix)/\(platform.rawValue)/\(identifier)/\(key)/config"
    }
}
