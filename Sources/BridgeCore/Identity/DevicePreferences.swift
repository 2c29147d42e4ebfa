import CastModels

/// The choices of a user for one device; `nil` means not chosen.
public struct DevicePreferences: Sendable, Hashable {
    /// Further names that commands accept in place of the slug.
    public var aliases: [String]?
    /// The room, for consumers that arrange devices by rooms.
    public var area: String?
    /// Whether the player is `off` while its HDMI input is known to be inactive.
    public var inactiveInputIsOff: Bool?
    /// The loudest that the bridge makes the device, in percent.
    public var maximumVolume: Int?

    public static let maximumAliases = 16
    /// The longest area, in bytes.
    public static let maximumAreaBytes = 100

    public init(aliases: [String]? = nil, area: String? = nil, inactiveInputIsOff: Bool? = nil, maximumVolume: Int? = nil) {
        (self.aliases, self.area, self.inactiveInputIsOff, self.maximumVolume) = (aliases, area, inactiveInputIsOff, maximumVolume)
    }

    public var isEmpty: Bool { self == Self() }

    /// Returns these choices, with missing ones taken from `other`.
    public func over(_ other: Self) -> Self {
        Self(
            aliases: self.aliases ?? other.aliases, area: self.area ?? other.area,
            inactiveInputIsOff: self.inactiveInputIsOff ?? other.inactiveInputIsOff,
            maximumVolume: self.maximumVolume ?? other.maximumVolume)
    }

    /// Returns whether `text` can be an alias. Aliases follow the rules of slugs, so that no topic and no reserved word is ambiguous.
    public static func isAlias(_ text: String) -> Bool { Slug.isValid(text) && text.utf8.count <= 64 }
}

extension DevicePreferences {
    /// Reads the usable members of `json`.
    public init(json: JSONObject) {
        self.init(
            aliases: json["aliases"]?.arrayValue.map { $0.compactMap(\.stringValue).filter(Self.isAlias) },
            area: json["area"]?.stringValue, inactiveInputIsOff: json["inactive_input_is_off"]?.boolValue,
            maximumVolume: json["max_volume"]?.intValue.flatMap { (0...100).contains($0) ? $0 : nil })
    }

    /// The choices in the form of requests and the state file.
    public var json: JSONObject {
        var object = JSONObject()
        if let aliases { object.append("aliases", .array(aliases.map { .string($0) })) }
        if let area { object.append("area", .string(area)) }
        if let inactiveInputIsOff { object.append("inactive_input_is_off", .bool(inactiveInputIsOff)) }
        if let maximumVolume { object.append("max_volume", .integer(Int64(maximumVolume))) }
        return object
    }
}

/// The choices for a device in the configuration, before the device is identified.
public struct ConfiguredDevice: Sendable, Hashable {
    /// The id, slug or name of the device.
    public var device: String
    public var preferences: DevicePreferences

    public init(device: String, preferences: DevicePreferences) { (self.device, self.preferences) = (device, preferences) }

    /// Returns whether this refers to the device: by its id with or without hyphens, its slug, or its name in any case.
    public func matches(id: Device.ID, slug: String, name: String) -> Bool {
        let wanted = self.device.lowercased()
        return wanted == slug || Device.id(normalizing: wanted) == id || wanted == name.lowercased()
    }
}
