/// What is loaded, or to be loaded (SDK: `GCKMediaInformation`).
public struct MediaInformation: Sendable, Hashable {
    /// The application's id of the content, often its URL; at most about 1000 characters.
    public var contentID: String?
    /// The real URL when `contentID` is an id.
    public var contentURL: String?
    /// A MIME type.
    public var contentType: String?
    public var streamType: StreamType?
    public var mediaCategory: MediaCategory?
    /// What the audio, or all, of an HLS stream is packed in.
    public var hlsSegmentFormat: HLSSegmentFormat?
    /// What the video of an HLS stream is packed in.
    public var hlsVideoSegmentFormat: HLSVideoSegmentFormat?
    /// Seconds; `nil` when unknown or endless.
    public var duration: Double?
    public var metadata: MediaMetadata?
    public var tracks: [MediaTrack]
    public var textTrackStyle: TextTrackStyle?
    public var adBreaks: [AdBreak]
    public var adBreakClips: [AdBreakClip]
    /// Asks an ad server for all breaks (VMAP).
    public var vmapAdsRequest: VASTAdsRequest?
    /// A deep link to the content.
    public var entity: String?
    /// The deep link for Android TV applications.
    public var atvEntity: String?
    /// Seconds since 1970 at which the live stream's time line starts.
    public var startAbsoluteTime: Double?
    public var customData: JSONValue?
    /// Members without a field here, kept as they came.
    public var unknownFields: JSONObject

    public init(
        contentID: String? = nil, contentURL: String? = nil, contentType: String? = nil, streamType: StreamType? = nil,
        duration: Double? = nil, metadata: MediaMetadata? = nil, tracks: [MediaTrack] = [], textTrackStyle: TextTrackStyle? = nil,
        adBreaks: [AdBreak] = [], adBreakClips: [AdBreakClip] = [], customData: JSONValue? = nil
    ) {
        self.contentID = contentID
        self.contentURL = contentURL
        self.contentType = contentType
        self.streamType = streamType
        self.duration = duration
        self.metadata = metadata
        self.tracks = tracks
        self.textTrackStyle = textTrackStyle
        self.adBreaks = adBreaks
        self.adBreakClips = adBreakClips
        self.customData = customData
        self.unknownFields = [:]
    }
}
