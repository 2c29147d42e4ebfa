/// The configuration's choices about topics: how retained topics are named and how long they stay.
package struct TopicOptions: Sendable, Hashable {
    /// The source of slugs.
    package var identity = SlugRegistry.Identity.slug
    package var rename = RenamePolicy.keep
    /// The days of absence after which a device is removed; `nil` means never.
    package var forgetAfterDays: Int?
    /// Whether stale topics of an earlier run are cleared at the start.
    package var cleansOnStart = true
    /// Whether all retained topics are cleared at a clean end.
    package var clearsOnExit = false

    /// Creates the default options.
    package init() {}
}

/// The effect of a new name in the Google Home app.
package enum RenamePolicy: String, Sendable, Hashable, CaseIterable {
    /// The name in documents changes; topics stay.
    case keep
    /// The topics change, too.
    case follow
}
