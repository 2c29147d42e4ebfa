import CastModels

/// What people chose for a device beside its own state.
struct DeviceChoices: Sendable, Hashable {
    /// Further names that commands accept in place of the slug.
    var aliases: [String]
    /// The room that a user assigned.
    var area: String?
    var preset: PlayedPreset?
    /// When the sleep timer ends.
    var sleepEnd: Timestamp?
}

/// A preset that a device was asked for, and what ran when it was played.
public struct PlayedPreset: Sendable, Hashable {
    public let name: String
    /// The session of the application.
    var application: String?
    /// The media session; `nil` when the preset only launched an application.
    var media: Int?
    /// What that session played first: after an announcement it plays in another session.
    var content: String?

    /// - Parameter session: the media session that the preset began.
    public init(name: String, mediaSession session: Int?, on device: borrowing DeviceState) {
        self.name = name
        (self.application, self.media) = (device.receiver?.application?.sessionID, session)
        self.content = device.media.reported.flatMap { $0.mediaSessionID == session ? $0.media?.contentID : nil }
    }

    /// For a file: it contains an address, which may be a secret.
    public var json: JSONValue {
        [
            "name": .string(self.name), "application": self.application.map { .string($0) } ?? .null,
            "media": self.media.map { .integer(Int64($0)) } ?? .null, "content": self.content.map { .string($0) } ?? .null,
        ]
    }

    public init?(json: JSONValue) {
        guard let name = json["name"]?.stringValue else { return nil }
        self.name = name
        (self.application, self.media) = (json["application"]?.stringValue, json["media"]?.intValue)
        self.content = json["content"]?.stringValue
    }
}
