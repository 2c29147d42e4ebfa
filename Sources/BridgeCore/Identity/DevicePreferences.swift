import CastModels

/// What a user chose for one device. Whatever is `nil` was not chosen.
public struct DevicePreferences: Sendable, Hashable {
    /// Further names that commands accept in place of the slug.
    public var aliases: [String]?
    /// The room, for those who arrange devices by rooms.
    public var area: String?
    /// Whether an HDMI input that is known to be inactive makes the player `off`.
    public var inactiveInputIsOff: Bool?

    /// Most aliases of one device.
    public static let maximumAliases = 16
    /// Longest area, in bytes.
    public static let maximumAreaBytes = 100

    public init(aliases: [String]? = nil, area: String? = nil, inactiveInputIsOff: Bool? = nil) {
        self.aliases = aliases
        self.area = area
        self.inactiveInputIsOff = inactiveInputIsOff
    }

    public var isEmpty: Bool { self == Self() }

    /// These choices, and those of `other` where there are none.
    public func over(_ other: Self) -> Self {
        Self(
            aliases: self.aliases ?? other.aliases, area: self.area ?? other.area,
            inactiveInputIsOff: self.inactiveInputIsOff ?? other.inactiveInputIsOff)
    }

    /// Whether `text` can be an alias: what could also be a slug, so that no topic and no reserved word is ambiguous.
    public static func isAlias(_ text: String) -> Bool { Slug.isValid(text) && text.utf8.count <= 64 }
}

extension DevicePreferences {
    /// What of `json` can be used.
    public init(json: JSONObject) {
        self.init(
            aliases: json["aliases"]?.arrayValue.map { $0.compactMap(\.stringValue).filter(Self.isAlias) },
            area: json["area"]?.stringValue, inactiveInputIsOff: json["inactive_input_is_off"]?.boolValue)
    }

    /// The choices that were made, as requests and the state file spell them.
    public var json: JSONObject {
        var object = JSONObject()
        if let aliases { object.append("aliases", .array(aliases.map { .string($0) })) }
        if let area { object.append("area", .string(area)) }
        if let inactiveInputIsOff { object.append("inactive_input_is_off", .bool(inactiveInputIsOff)) }
        return object
    }
}

/// The choices for a device as the configuration has them, before anyone knows which device it is.
public struct ConfiguredDevice: Sendable, Hashable {
    /// An id, a slug or a name.
    public var device: String
    public var preferences: DevicePreferences

    public init(device: String, preferences: DevicePreferences) {
        self.device = device
        self.preferences = preferences
    }

    /// Whether this means the device: its id with or without hyphens, its slug, or its name, letters in either case.
    public func matches(id: Device.ID, slug: String, name: String) -> Bool {
        let wanted = self.device.lowercased()
        return wanted == slug || Device.id(normalizing: wanted) == id || wanted == name.lowercased()
    }
}
