import CastModels

/// Names that Home Assistant stores permanently: made from ids only, never from names or slugs.
public enum DiscoveryNames {
    /// Returns `cast2mqtt_<id>`: the identifier of a device, and its level in discovery topics, which allow only letters, digits, `-` and
    /// `_`.
    public static func device(_ id: Device.ID) -> String { "cast2mqtt_\(id)" }

    /// Returns `cast2mqtt_bridge_<instance>`; a dot of the instance, which discovery topics do not allow, becomes `_`.
    public static func bridge(instance: String) -> String {
        "cast2mqtt_bridge_" + String(instance.map { $0 == "." ? "_" : $0 })
    }

    /// Returns the topic of an announcement in one message.
    public static func deviceTopic(prefix: String, _ identifier: String) -> String { "\(prefix)/device/\(identifier)/config" }

    static func componentTopic(prefix: String, _ platform: Platform, _ identifier: String, _ key: String) -> String {
        "\(prefix)/\(platform.rawValue)/\(identifier)/\(key)/config"
    }
}
