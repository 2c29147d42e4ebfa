import CastModels

/// The kinds of Home Assistant entities that only some devices or configurations have. The announced ones are remembered, because Home
/// Assistant keeps an entity until an announcement removes it.
public struct OptionalEntities: OptionSet, Sendable, Hashable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Entities that read `status/<name>`.
    public static let plainValues = Self(rawValue: 1)
    /// Entities of devices with a screen: text tracks, ads, an HDMI input.
    public static let screen = Self(rawValue: 2)
    /// Entities for the members of a group.
    public static let members = Self(rawValue: 4)

    /// Volume and mute, which a device with a fixed volume does not have.
    public static let volume = Self(rawValue: 8)

    /// The picture, which reads `status/artwork` or `artwork/image`.
    public static let artwork = Self(rawValue: 16)

    /// What the media player of the integration offers, too.
    public static let controls = Self(rawValue: 32)

    public static let all: Self = [.plainValues, .screen, .members, .volume, .artwork, .controls]

    private static let words: [(Self, String)] = [
        (.plainValues, "plain_values"), (.screen, "screen"), (.members, "members"), (.artwork, "artwork"),
    ]

    /// The words for devices without a kind that older versions announced for every device, and wrote no word for.
    private static let absences: [(Self, String)] = [(.volume, "no_volume"), (.controls, "companion")]

    /// Reads the words of the state file; unknown words are ignored.
    init(json: [JSONValue]) {
        self = []
        for (kind, word) in Self.absences where !json.contains(.string(word)) { self.insert(kind) }
        for (kind, word) in Self.words where json.contains(.string(word)) { self.insert(kind) }
        // Versions without this word announced the artwork with the plain values.
        if self.contains(.plainValues) { self.insert(.artwork) }
    }

    var json: JSONValue {
        let words = Self.words.filter { self.contains($0.0) } + Self.absences.filter { !self.contains($0.0) }
        return .array(words.map { .string($0.1) })
    }
}
