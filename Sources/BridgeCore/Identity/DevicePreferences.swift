import CastModels

/// What a user chose for one device. Whatever is `nil` was not chosen.
package struct DevicePreferences: Sendable, Hashable {
    /// Further names that commands accept in place of the slug.
    package var aliases: [String]?
    /// The room, for those who arrange devices by rooms.
    package var area: String?
    /// Whether an HDMI input that is known to be inactive makes the player `off`.
    package var inactiveInputIsOff: Bool?

    /// Most aliases of one device.
    package static let maximumAliases = 16
    /// Longest area, in bytes.
    package static let maximumAreaBytes = 100

    package init(aliases: [String]? = nil, area: String? = nil, inactiveInputIsOff: Bool? = nil) {
        self.aliases = aliases
        self.area = area
        self.inactiveInputIsOff = inactiveInputIsOff
    }

    package var isEmpty: Bool { self == Self() }

    /// These choices, and those of `other` where there are none.
    package func over(_ other: Self) -> Self {
        Self(
            aliases: self.aliases ?? other.aliases, area: self.area ?? other.area,
            inactiveInputIsOff: self.inactiveInputIsOff ?? other.inactiveInputIsOff)
    }

    /// Whether `text` can be an alias: what could also be a slug, so that no topic and no reserved word is ambiguous.
    package static func isAlias(_ text: String) -> Bool { Slug.isValid(text) && text.utf8.count <= 64 }
}

extension DevicePreferences {
    /// What of `json` can be used.
    package init(json: JSONObject) {
        self.init(
            aliases: json["aliases"]?.arrayValue.map { $0.compactMap(\.stringValue).filter(Self.isAlias) },
            area: json["area"]?.stringValue, inactiveInputIsOff: json["inactive_input_is_off"]?.boolValue)
    }

    /// The choices that were made, as requests and the state file spell them.
    package var json: JSONObject {
        var object = JSONObject()
        if let aliases { object.append("aliases", .array(aliases.map { .string($0) })) }
        if let area { object.append("area", .string(area)) }
        if let inactiveInputIsOff { object.append("inactive_input_is_off", .bool(inactiveInputIsOff)) }
        return object
    }
}

/// The choices for a device as the configuration has them, before anyone knows which device it is.
package struct ConfiguredDevice: Sendable, Hashable {
    /// An id, a slug or a name.
    package var device: String
    package var preferences: DevicePreferences

    package init(device: String, preferences: DevicePreferences) {
        self.device = device
        self.preferences = preferences
    }

    /// Whether this means the device: its id with or without hyphens, its slug, or its name, letters in either case.
    package func matches(id: Device.ID, slug: String, name: String) -> Bool {
        let wanted = self.device.lowercased()
        return wanted == slug || Device.id(normalizing: wanted) == id || wanted == name.lowercased()
    }
}
