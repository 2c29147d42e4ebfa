/// A break of a medium, in which clips play (SDK: `GCKAdBreakInfo`).
public struct AdBreak: Sendable, Hashable {
    public var id: String
    /// The clips in the order in which they play; `MediaInformation.adBreakClips` has them.
    public var clipIDs: [String]
    /// Seconds from the start of the medium; negative means after its end.
    public var position: Double?
    /// Seconds; `nil` when it follows from the clips, or is not known.
    public var duration: Double?
    /// Whether the ads are part of the medium's own stream (stitched in by a server), so that its time runs on while they play.
    public var isEmbedded: Bool
    /// Whether the break was played; receivers pass over watched ones.
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

    /// Where in a medium a break is.
    public enum Placement: Sendable, Hashable {
        case preRoll, midRoll, postRoll
    }

    /// Where the break is; `nil` when its position is not known.
    ///
    /// - Parameter duration: seconds of the medium; with `nil` only a negative position is after the end.
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
    /// Seconds.
    public var duration: Double?
    /// What to open when a viewer wants to know more.
    public var clickThroughURL: String?
    /// A picture beside an ad that can only be heard.
    public var posterURL: String?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not.
    public var whenSkippable: Double?
    /// Asks an ad server for the clip, instead of `contentURL`.
    public var vastAdsRequest: VASTAdsRequest?
    /// A word of `HLSSegmentFormat`; `nil` for what is no HLS.
    public var hlsSegmentFormat: HLSSegmentFormat?
    /// The application's own: companion ads and the like.
    public var customData: JSONValue?

    public init(id: String) { self.id = id }
}

/// A request to an ad server: VAST for clips, VMAP for all breaks of a medium (SDK: `GCKVASTAdsRequest`). One of the two is given.
public struct VASTAdsRequest: Sendable, Hashable {
    /// The URL to ask.
    public var adTagURL: String?
    /// The answer itself, a document that the receiver need not ask for.
    public var adsResponse: String?

    public init(adTagURL: String? = nil, adsResponse: String? = nil) {
        self.adTagURL = adTagURL
        self.adsResponse = adsResponse
    }
}

/// Where in an ad break the player is (SDK: `GCKAdBreakStatus`). Times are as of the status that told them; see
/// `MediaStatus.approximateAdBreakClipPosition(at:)`.
public struct AdBreakStatus: Sendable, Hashable {
    public var breakID: String?
    public var breakClipID: String?
    /// Seconds since the start of the break.
    public var currentBreakTime: Double?
    /// Seconds since the start of the clip.
    public var currentBreakClipTime: Double?
    /// Seconds into the clip after which it may be skipped; `nil` when it may not.
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
