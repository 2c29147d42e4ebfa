/// What people chose for a device beside its own state.
struct PlayChoices: Sendable, Hashable {
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

    var preset: Played?
    /// When the sleep timer ends.
    var sleepEnd: Timestamp?
}
