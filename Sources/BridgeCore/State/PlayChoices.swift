/// What people chose for a device beside its own state.
struct PlayChoices: Sendable, Hashable {
    /// A preset, and what ran when it was played.
    struct Played: Sendable, Hashable {
        var name: String
        /// The session of the application.
        var application: String?
        /// The media session; `nil` when the preset only launched an application.
        var media: Int?
    }

    var preset: Played?
    /// When the sleep timer ends.
    var sleepEnd: Timestamp?
}
