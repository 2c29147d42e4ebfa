/// The published values of each device: the section `status` of the configuration.
package struct StatusOptions: Sendable, Hashable {
    /// How much of the state is also published as plain values: none, the most used, or every scalar of `media` as well.
    package enum Split: String, Sendable, Hashable, CaseIterable { case none, basic, full }

    package var split: Split
    /// The time between two position ticks; zero disables them.
    package var positionInterval: Duration
    /// Whether a playing device that does not report its position is asked for it.
    package var probesPosition: Bool
    /// Whether `media.custom_data` contains the data of applications.
    package var includesCustomData: Bool
    /// A web address for `status/artwork` when there is neither a picture nor an icon; without it, `status/artwork` is then empty.
    package var artworkPlaceholder: String?
    /// Whether dynamic groups have topics like other devices. They have no lasting identity, and their members show their playback.
    package var includesDynamicGroups: Bool
    /// Whether `bridge/devices` lists the halves of stereo pairs; commands go to the pair.
    package var listsStereoHalves: Bool

    /// Creates the default options.
    package init(
        split: Split = .basic, positionInterval: Duration = .seconds(10), probesPosition: Bool = false, includesCustomData: Bool = false,
        artworkPlaceholder: String? = nil, includesDynamicGroups: Bool = false, listsStereoHalves: Bool = false
    ) {
        self.split = split
        self.positionInterval = positionInterval
        self.probesPosition = probesPosition
        self.includesCustomData = includesCustomData
        self.artworkPlaceholder = artworkPlaceholder
        self.includesDynamicGroups = includesDynamicGroups
        self.listsStereoHalves = listsStereoHalves
    }
}
