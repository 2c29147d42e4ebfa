/// What is published of each device: the section `status` of the configuration.
package struct StatusOptions: Sendable, Hashable {
    /// How much of the state is mirrored as plain values: nothing, what is used most, or every scalar of `media` as well.
    package enum Split: String, Sendable, Hashable, CaseIterable { case none, basic, full }

    package var split: Split
    /// Between two position ticks; zero is never.
    package var positionInterval: Duration
    /// Whether a device that plays and doesn't report its position is asked for it.
    package var probesPosition: Bool
    /// Whether `media.custom_data` carries what applications attach.
    package var includesCustomData: Bool
    /// A web address for `status/artwork` where there is neither a picture nor an icon; without one it is empty then.
    package var artworkPlaceholder: String?
    /// Whether dynamic groups have topics like other devices. They have no lasting identity, and their members show what they play.
    package var includesDynamicGroups: Bool
    /// Whether `bridge/devices` lists the halves of stereo pairs, which are addressed as the pair.
    package var listsStereoHalves: Bool

    /// The defaults.
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
