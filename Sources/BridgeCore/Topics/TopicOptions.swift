/// How retained topics are named and how long they stay: the configuration's choices about topics.
package struct TopicOptions: Sendable, Hashable {
    /// What slugs are made of.
    package var identity = SlugRegistry.Identity.slug
    package var rename = RenamePolicy.keep
    /// Days without a device after which it is removed; `nil` is never.
    package var forgetAfterDays: Int?
    /// Whether stale topics of an earlier run are looked for at the start.
    package var cleansOnStart = true
    /// Whether everything retained is cleared at a clean end.
    package var clearsOnExit = false

    /// The defaults.
    package init() {}
}

/// What a new name in the Google Home app changes.
package enum RenamePolicy: String, Sendable, Hashable, CaseIterable {
    /// The name in documents; topics stay.
    case keep
    /// The topics, too.
    case follow
}
