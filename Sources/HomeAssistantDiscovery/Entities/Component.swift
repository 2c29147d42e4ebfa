import BridgeCore
import CastModels

/// The kinds of entities that are announced, as Home Assistant spells them.
enum Platform: String, Sendable, Hashable {
    case sensor, number, select, button, text, image, event
    case binarySensor = "binary_sensor"
    case onOff = "switch"
    /// A trigger for automations, which is not an entity.
    case deviceAutomation = "device_automation"
}

/// One entity or trigger of an announced device.
struct Component: Sendable, Hashable {
    /// The key, a part of `unique_id` and of the discovery topic in components mode; it must never change after a release.
    let key: String
    let platform: Platform
    /// The options without `platform`.
    private(set) var options: JSONObject
    /// Whether the device has it.
    private(set) var isOffered = true

    init(_ key: String, _ platform: Platform, options: JSONObject) { (self.key, self.platform, self.options) = (key, platform, options) }

    /// The JSON form below `components`; without options it removes the entity from Home Assistant.
    var json: JSONValue {
        var object: JSONObject = ["platform": .string(self.platform.rawValue)]
        for member in self.options.members { object.append(member.key, member.value) }
        return .object(object)
    }
}

// MARK: - Common options of entities

extension Component {
    /// - Parameter template: the value template; `nil` uses the payload unchanged.
    func state(_ topic: String, _ template: String? = nil) -> Self {
        self.with("state_topic", .string(topic)).with("value_template", template.map { .string($0) })
    }

    /// Not with `message_expiry_interval`: Home Assistant publishes nothing with it while its own link speaks MQTT 3.1.1.
    func command(_ topic: String) -> Self { self.with("command_topic", .string(topic)) }

    func attributes(_ topic: String) -> Self { self.with("json_attributes_topic", .string(topic)) }

    func icon(_ name: String) -> Self { self.with("icon", .string("mdi:\(name)")) }

    func deviceClass(_ name: String) -> Self { self.with("device_class", .string(name)) }

    func unit(_ unit: String) -> Self { self.with("unit_of_measurement", .string(unit)) }

    /// Sets the allowed values of a select or of a sensor with the device class `enum`.
    func options(_ values: [String]) -> Self { self.with("options", .array(values.map { .string($0) })) }

    /// Sets the range of a number, which is shown as a slider.
    func range(_ range: ClosedRange<Int64>, step: JSONValue) -> Self {
        self.with("min", .integer(range.lowerBound)).with("max", .integer(range.upperBound)).with("step", step).with("mode", "slider")
    }

    /// Puts the entity into the category `diagnostic`: it describes the device, not its media.
    func diagnostic() -> Self { self.with("entity_category", "diagnostic") }

    /// Disables the entity until the user enables it: at first sight a device has at most eight entities.
    func disabled(_ isDisabled: Bool = true) -> Self { self.with("enabled_by_default", isDisabled ? false : nil) }

    /// Leaves the entity out of devices that do not have it.
    func only(if isOffered: Bool) -> Self {
        var changed = self
        changed.isOffered = isOffered
        return changed
    }

    /// Appends an option; `nil` appends nothing.
    func with(_ key: String, _ value: JSONValue?) -> Self {
        guard let value else { return self }
        var changed = self
        changed.options.append(key, value)
        return changed
    }
}

/// Creates the entities of one announced device, with their unique ids, names and entity ids.
struct EntityFactory: Sendable, Hashable {
    /// The identifier of the announced device, such as `cast2mqtt_<id>`: the prefix of every `unique_id`.
    let identifier: String
    /// The prefix of entity ids: the slug, with `_` for `-`.
    let entityPrefix: String

    /// Returns an entity with its identifying options only.
    /// - Parameter name: a short name without the device's; `nil` for the entity that represents the device itself.
    func callAsFunction(_ key: String, _ platform: Platform, _ name: String?) -> Component {
        let suffix = name.map { "_" + $0.lowercased().split(separator: " ").joined(separator: "_") } ?? ""
        let id = self.entityPrefix + suffix
        return Component(
            key, platform,
            options: [
                "unique_id": .string("\(self.identifier)_\(key)"), "name": name.map { .string($0) } ?? .null,
                "default_entity_id": .string("\(platform.rawValue).\(id)"),
                // Home Assistant before 2025.10 reads this key instead; without it, entity ids would follow the device's name.
                "object_id": .string(id),
            ])
    }
}
