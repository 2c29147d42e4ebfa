/// The configured options of topics: how they are named, and when retained ones are cleared.
public struct TopicOptions: Sendable, Hashable {
    /// The source of slugs: the name of a device, or its id.
    public var identity = SlugRegistry.Identity.slug
    /// Whether topics change when a device is renamed.
    public var rename = RenamePolicy.keep
    /// The number of days offline after which a device is removed; `nil` keeps every device.
    public var forgetAfterDays: Int?
    /// Whether the bridge clears stale topics of earlier runs once after its start.
    public var cleansOnStart = true
    /// Whether the bridge clears all its retained topics when it stops cleanly.
    public var clearsOnExit = false

    public init() {}
}

/// The effect of renaming a device in the Google Home app.
public enum RenamePolicy: String, Sendable, Hashable, CaseIterable {
    /// The name in documents changes; topics stay.
    case keep
    /// The topics change, too.
    case follow
}
