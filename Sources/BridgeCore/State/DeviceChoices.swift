/// What people chose for a device beside its own state.
struct DeviceChoices: Sendable, Hashable {
    /// A preset, and what ran when it was played.
    struct Played: Sendable, Hashable {
        var name: String
        /// The session of the application.
        var application: String?
        /// The media session; `nil` when the preset only launched an application.
        var media: Int?
        /// What that session played first: after an announcement it plays in another session.
        var content: String?
    }

    /// Further names that commands accept in place of the slug.
    var aliases: [String]
    /// The room that a user assigned.
    var area: String?
    var preset: Played?
    /// When the sleep timer ends.
    var sleepEnd: Timestamp?
}
