/// The configuration's choices about topics: how retained topics are named and how long they stay.
public struct TopicOptions: Sendable, Hashable {
    /// The source of slugs.
    public var identity = SlugRegistry.Identity.slug
    public var rename = RenamePolicy.keep
    /// The days of absence after which a device is removed; `nil` means never.
    public var forgetAfterDays: Int?
    /// Whether stale topics of an earlier run are cleared at the start.
    public var cleansOnStart = true
    /// Whether all retained topics are cleared at a clean end.
    public var clearsOnExit = false

    /// Creates the default options.
    public init() {}
}

/// The effect of a new name in the Google Home app.
public enum RenamePolicy: String, Sendable, Hashable, CaseIterable {
    /// The name in documents changes; topics stay.
    case keep
    /// The topics change, too.
    case follow
}
