/// A break in a medium, in which clips play (SDK: `GCKAdBreakInfo`).
public struct AdBreak: Sendable, Hashable {
    public var id: String
    /// The ids of the clips in playing order; `MediaInformation.adBreakClips` holds the clips.
    public var clipIDs: [String]
    /// Seconds from the start of the medium; negative for a break after its end.
    public var position: Double?
    /// Seconds; `nil` when it follows from the clips or is unknown.
    public var duration: Double?
    /// Whether a server stitched the ads into the medium's own stream, so that the position advances while they play.
    public var isEmbedded: Bool
    /// Whether the break was played; receivers skip watched ones.
    public var isWatched: Bool

    public init(
        id: String, clipIDs: [String] = [], position: Double? = nil, duration: Double? = nil, isEmbedded: Bool = false,
        isWatched: Bool = false
    ) {
        self.id = id
        self.clipIDs = clipIDs
        self.position = position
        self.duration = duration
        self.isEmbedded = isEmbedded
        self.isWatched = isWatched
    }

    /// Where in a medium a break lies.
    public enum Placement: Sendable, Hashable {
        case preRoll, midRoll, postRoll
    }

    /// Returns where the break lies; `nil` when its position is unknown.
    ///
    /// - Parameter duration: the duration of the medium in seconds; with `nil`, only a negative position is after the end.
    public func placement(in duration: Double?) -> Placement? {
        guard let position else { return nil }
        if position < 0 { return .postRoll }
        if position == 0 { return .preRoll }
        return duration.map { position >= $0 } ?? false ? .postRoll : .midRoll
    }
}

/// One clip of an ad break (SDK: `GCKAdBreakClipInfo`).
public struct AdBreakClip: Sendable, Hashable {
    public var id: String
    public var title: String?
    public var contentID: String?
    public var contentURL: String?
    public var contentType: String?
    /// The duration in seconds.
    public var duration: Double?
    /// The page to open when the viewer asks for more.
    public var clickThroughURL: String?
    /// A picture to show with an audio ad.
    public var posterURL: String?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not be skipped.
    public var whenSkippable: Double?
    /// The request that returns the clip from an ad server, in place of `contentURL`.
    public var vastAdsRequest: VASTAdsRequest?
    /// The segment format of an HLS clip; `nil` for other clips.
    public var hlsSegmentFormat: HLSSegmentFormat?
    /// Data of the application, for example companion ads.
    public var customData: JSONValue?

    public init(id: String) { self.id = id }
}

/// A request to an ad server: VAST for clips, VMAP for all breaks of a medium (SDK: `GCKVASTAdsRequest`). One of the two fields is set.
public struct VASTAdsRequest: Sendable, Hashable {
    /// The URL to ask.
    public var adTagURL: String?
    /// The response itself, so that the receiver need not request it.
    public var adsResponse: String?

    public init(adTagURL: String? = nil, adsResponse: String? = nil) { (self.adTagURL, self.adsResponse) = (adTagURL, adsResponse) }
}

/// Where in an ad break the player is (SDK: `GCKAdBreakStatus`). Times are as of the status that reported them; see
/// `MediaStatus.approximateAdBreakClipPosition(at:)`.
public struct AdBreakStatus: Sendable, Hashable {
    public var breakID: String?
    public var breakClipID: String?
    /// Seconds since the start of the break.
    public var currentBreakTime: Double?
    /// Seconds since the start of the clip.
    public var currentBreakClipTime: Double?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not be skipped.
    public var whenSkippable: Double?

    public init(
        breakID: String? = nil, breakClipID: String? = nil, currentBreakTime: Double? = nil, currentBreakClipTime: Double? = nil,
        whenSkippable: Double? = nil
    ) {
        self.breakID = breakID
        self.breakClipID = breakClipID
        self.currentBreakTime = currentBreakTime
        self.currentBreakClipTime = currentBreakClipTime
        self.whenSkippable = whenSkippable
    }
}
