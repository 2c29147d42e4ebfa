import CastModels

/// Kinds of Home Assistant entities that not every device has, or not with every configuration. Those that a device was announced with are
/// remembered: Home Assistant keeps what the next run has no more until it is told that it is gone.
package struct OptionalEntities: OptionSet, Sendable, Hashable {
    package var rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// What reads `status/<name>`.
    package static let plainValues = Self(rawValue: 1)
    /// What comes with a screen: text tracks, ads, an HDMI input.
    package static let screen = Self(rawValue: 2)
    /// What tells the members of a group.
    package static let members = Self(rawValue: 4)

    /// Volume and mute, which a device with a fixed volume has not.
    package static let volume = Self(rawValue: 8)

    /// The picture, which reads `status/artwork` or `artwork/image`.
    package static let artwork = Self(rawValue: 16)

    package static let all: Self = [.plainValues, .screen, .members, .volume, .artwork]

    private static let words: [(Self, String)] = [
        (.plainValues, "plain_values"), (.screen, "screen"), (.members, "members"), (.artwork, "artwork"),
    ]

    /// Stands for no `volume`: in files of versions that announced it of every device there is no word for it.
    private static let withoutVolume = JSONValue.string("no_volume")

    /// As the state file has them; words that it doesn't know are left out.
    init(json: [JSONValue]) {
        self = json.contains(Self.withoutVolume) ? [] : .volume
        for (kind, word) in Self.words where json.contains(.string(word)) { self.insert(kind) }
        // Versions without a word for it announced it with the plain values.
        if self.contains(.plainValues) { self.insert(.artwork) }
    }

    var json: JSONValue {
        let words = Self.words.filter { self.contains($0.0) }.map { JSONValue.string($0.1) }
        return .array(self.contains(.volume) ? words : words + [Self.withoutVolume])
    }
}
