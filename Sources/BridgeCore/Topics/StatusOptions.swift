/// The published values of each device: the section `status` of the configuration.
public struct StatusOptions: Sendable, Hashable {
    /// How much of the state is also published as plain values: none, the most used, or every scalar of `media` as well.
    public enum Split: String, Sendable, Hashable, CaseIterable { case none, basic, full }

    public var split = Split.basic
    /// The time between two position ticks; zero disables them.
    public var positionInterval = Duration.seconds(10)
    /// Whether a playing device that does not report its position is asked for it.
    public var probesPosition = false
    /// Whether `media.custom_data` contains the data of applications.
    public var includesCustomData = false
    /// A web address for `status/artwork` when there is neither a picture nor an icon; without it, `status/artwork` is then empty.
    public var artworkPlaceholder: String?
    /// Whether dynamic groups have topics like other devices. They have no lasting identity, and their members show their playback.
    public var includesDynamicGroups = false
    /// Whether `bridge/devices` lists the halves of stereo pairs; commands go to the pair.
    public var listsStereoHalves = false

    public init() {}
}
