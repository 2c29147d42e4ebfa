/// How retained topics are named and how long they stay: the configuration's choices about topics.
public struct TopicOptions: Sendable, Hashable {
    /// What slugs are made of.
    public var identity = SlugRegistry.Identity.slug
    public var rename = RenamePolicy.keep
    /// Days without a device after which it is removed; `nil` is never.
    public var forgetAfterDays: Int?
    /// Whether stale topics of an earlier run are looked for at the start.
    public var cleansOnStart = true
    /// Whether everything retained is cleared at a clean end.
    public var clearsOnExit = false

    /// The defaults.
    public init() {}
}

/// What a new name in the Google Home app changes.
public enum RenamePolicy: String, Sendable, Hashable, CaseIterable {
    /// The name in documents; topics stay.
    case keep
    /// The topics, too.
    case follow
}
