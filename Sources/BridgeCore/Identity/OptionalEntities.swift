import CastModels

/// The kinds of Home Assistant entities that only some devices or configurations have. The announced ones are remembered, because Home
/// Assistant keeps an entity until an announcement removes it.
package struct OptionalEntities: OptionSet, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Entities that read `status/<name>`.
    package static let plainValues = Self(rawValue: 1)
    /// Entities of devices with a screen: text tracks, ads, an HDMI input.
    package static let screen = Self(rawValue: 2)
    /// Entities for the members of a group.
    package static let members = Self(rawValue: 4)

    /// Volume and mute, which a device with a fixed volume does not have.
    package static let volume = Self(rawValue: 8)

    /// The picture, which reads `status/artwork` or `artwork/image`.
    package static let artwork = Self(rawValue: 16)

    package static let all: Self = [.plainValues, .screen, .members, .volume, .artwork]

    private static let words: [(Self, String)] = [
        (.plainValues, "plain_values"), (.screen, "screen"), (.members, "members"), (.artwork, "artwork"),
    ]

    /// The word for a device without `volume`. Older versions announced volume for every device and wrote no word for it.
    private static let withoutVolume = JSONValue.string("no_volume")

    /// Reads the words of the state file; unknown words are ignored.
    init(json: [JSONValue]) {
        self = json.contains(Self.withoutVolume) ? [] : .volume
        for (kind, word) in Self.words where json.contains(.string(word)) { self.insert(kind) }
        // Versions without this word announced the artwork with the plain values.
        if self.contains(.plainValues) { self.insert(.artwork) }
    }

    var json: JSONValue {
        let words = Self.words.filter { self.contains($0.0) }.map { JSONValue.string($0.1) }
        return .array(self.contains(.volume) ? words : words + [Self.withoutVolume])
    }
}
