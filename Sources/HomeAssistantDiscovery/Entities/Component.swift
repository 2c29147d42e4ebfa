import BridgeCore
import CastModels

/// The kinds of entities that are announced, as Home Assistant spells them.
enum Platform: String, Sendable, Hashable {
    case sensor, number, select, button, text, image, event
    case binarySensor = "binary_sensor"
    case onOff = "switch"
    /// A trigger for automations: no entity.
    case deviceAutomation = "device_automation"
}

/// One entity or trigger of an announced device.
struct Component: Sendable, Hashable {
    /// Part of `unique_id` and of the discovery topic in components mode; never changes once released.
    let key: String
    let platform: Platform
    /// Without `platform`.
    private(set) var options: JSONObject

    init(_ key: String, _ platform: Platform, options: JSONObject) {
        self.key = key
        self.platform = platform
        self.options = options
    }

    /// As it stands below `components`.
    var json: JSONValue {
        var object: JSONObject = ["platform": .string(self.platform.rawValue)]
        for member in self.options.members { object.append(member.key, member.value) }
        return .object(object)
    }

    /// What removes it from Home Assistant, in its place below `components`.
    var removal: JSONValue { .object(["platform": .string(self.platform.rawValue)]) }
}

// MARK: - What entities have in common

extension Component {
    /// - Parameter template: `nil` takes the payload as it is.
    func state(_ topic: String, _ template: String? = nil) -> Self {
        self.with("state_topic", .string(topic)).with("value_template", template.map { .string($0) })
    }

    /// - Parameter expirySeconds: after which a command that nobody took dies in the broker (Home Assistant 2026.6 and later).
    func command(_ topic: String, expirySeconds: Int64) -> Self {
        self.with("command_topic", .string(topic)).with("message_expiry_interval", .integer(expirySeconds))
    }

    func attributes(_ topic: String) -> Self { self.with("json_attributes_topic", .string(topic)) }

    func icon(_ name: String) -> Self { self.with("icon", .string("mdi:\(name)")) }

    func deviceClass(_ name: String) -> Self { self.with("device_class", .string(name)) }

    func unit(_ unit: String) -> Self { self.with("unit_of_measurement", .string(unit)) }

    /// The closed list of a select or an enumeration.
    func options(_ values: [String]) -> Self { self.with("options", .array(values.map { .string($0) })) }

    /// A slider.
    func range(_ range: ClosedRange<Int64>, step: JSONValue) -> Self {
        self.with("min", .integer(range.lowerBound)).with("max", .integer(range.upperBound)).with("step", step).with("mode", "slider")
    }

    /// A fact about the device rather than about what it plays.
    func diagnostic() -> Self { self.with("entity_category", "diagnostic") }

    /// There, but off until the user wants it.
    func disabled() -> Self { self.with("enabled_by_default", false) }

    func with(_ key: String, _ value: JSONValue?) -> Self {
        guard let value else { return self }
        var changed = self
        changed.options.append(key, value)
        return changed
    }
}

/// Names the entities of one announced device.
struct EntityNames: Sendable, Hashable {
    /// `cast2mqtt_<id>`: what `unique_id`s begin with.
    let identifier: String
    /// What entity ids begin with: the slug, with `_` for `-`.
    let entityPrefix: String

    /// An entity.
    /// - Parameter name: short, without the device's; `nil` for the one that is the device itself.
    func entity(_ key: String, _ platform: Platform, _ name: String?) -> Component {
        let suffix = name.map { "_" + $0.lowercased().split(separator: " ").joined(separator: "_") } ?? ""
        let id = self.entityPrefix + suffix
        return Component(
            key, platform,
            options: [
                "unique_id": .string("\(self.identifier)_\(key)"), "name": name.map { .string($0) } ?? .null,
                "default_entity_id": .string("\(platform.rawValue).\(id)"),
                // Before 2025.10 Home Assistant goes by this one; without it, by the device's name.
                "object_id": .string(id),
            ])
    }
}
