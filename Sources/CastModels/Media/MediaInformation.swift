/// What is loaded, or to be loaded (SDK: `GCKMediaInformation`).
///
/// All of it is behind one reference: it is handed on, and kept, in many places.
public struct MediaInformation: Sendable, Hashable {
    /// Exactly one element: an array copies itself when one of several owners changes it.
    private var fields: [Fields]

    public init(
        contentID: String? = nil, contentURL: String? = nil, contentType: String? = nil, streamType: StreamType? = nil,
        duration: Double? = nil, metadata: MediaMetadata? = nil, tracks: [MediaTrack] = [], textTrackStyle: TextTrackStyle? = nil,
        adBreaks: [AdBreak] = [], adBreakClips: [AdBreakClip] = [], customData: JSONValue? = nil
    ) {
        var fields = Fields()
        fields.contentID = contentID
        fields.contentURL = contentURL
        fields.contentType = contentType
        fields.streamType = streamType
        fields.duration = duration
        fields.metadata = metadata
        fields.tracks = tracks
        fields.textTrackStyle = textTrackStyle
        fields.adBreaks = adBreaks
        fields.adBreakClips = adBreakClips
        fields.customData = customData
        self.fields = [fields]
    }

    /// What the properties of the same names hold.
    private struct Fields: Sendable, Hashable {
        var contentID: String?
        var contentURL: String?
        var contentType: String?
        var streamType: StreamType?
        var mediaCategory: MediaCategory?
        var hlsSegmentFormat: HLSSegmentFormat?
        var hlsVideoSegmentFormat: HLSVideoSegmentFormat?
        var duration: Double?
        var metadata: MediaMetadata?
        var tracks: [MediaTrack] = []
        var textTrackStyle: TextTrackStyle?
        var adBreaks: [AdBreak] = []
        var adBreakClips: [AdBreakClip] = []
        var vmapAdsRequest: VASTAdsRequest?
        var entity: String?
        var atvEntity: String?
        var startAbsoluteTime: Double?
        var customData: JSONValue?
        var unknownFields: JSONObject = JSONObject()
    }

    /// The application's id of the content, often its URL; at most about 1000 characters.
    public var contentID: String? {
        get { self.fields[0].contentID }
        set { self.fields[0].contentID = newValue }
    }

    /// The real URL when `contentID` is an id.
    public var contentURL: String? {
        get { self.fields[0].contentURL }
        set { self.fields[0].contentURL = newValue }
    }

    /// A MIME type.
    public var contentType: String? {
        get { self.fields[0].contentType }
        set { self.fields[0].contentType = newValue }
    }

    public var streamType: StreamType? {
        get { self.fields[0].streamType }
        set { self.fields[0].streamType = newValue }
    }
    /// Asked in place: with every status `streamType` would be taken out together with all other fields.
    var isLive: Bool { self.fields[0].streamType == .live }
    var isBuffered: Bool { self.fields[0].streamType == .buffered }

    public var mediaCategory: MediaCategory? {
        get { self.fields[0].mediaCategory }
        set { self.fields[0].mediaCategory = newValue }
    }

    /// What the audio, or all, of an HLS stream is packed in.
    public var hlsSegmentFormat: HLSSegmentFormat? {
        get { self.fields[0].hlsSegmentFormat }
        set { self.fields[0].hlsSegmentFormat = newValue }
    }

    /// What the video of an HLS stream is packed in.
    public var hlsVideoSegmentFormat: HLSVideoSegmentFormat? {
        get { self.fields[0].hlsVideoSegmentFormat }
        set { self.fields[0].hlsVideoSegmentFormat = newValue }
    }

    /// Seconds; `nil` when unknown or endless.
    public var duration: Double? {
        get { self.fields[0].duration }
        set { self.fields[0].duration = newValue }
    }

    public var metadata: MediaMetadata? {
        get { self.fields[0].metadata }
        set { self.fields[0].metadata = newValue }
    }

    public var tracks: [MediaTrack] {
        get { self.fields[0].tracks }
        set { self.fields[0].tracks = newValue }
    }

    public var textTrackStyle: TextTrackStyle? {
        get { self.fields[0].textTrackStyle }
        set { self.fields[0].textTrackStyle = newValue }
    }

    public var adBreaks: [AdBreak] {
        get { self.fields[0].adBreaks }
        set { self.fields[0].adBreaks = newValue }
    }

    public var adBreakClips: [AdBreakClip] {
        get { self.fields[0].adBreakClips }
        set { self.fields[0].adBreakClips = newValue }
    }

    /// Asks an ad server for all breaks (VMAP).
    public var vmapAdsRequest: VASTAdsRequest? {
        get { self.fields[0].vmapAdsRequest }
        set { self.fields[0].vmapAdsRequest = newValue }
    }

    /// A deep link to the content.
    public var entity: String? {
        get { self.fields[0].entity }
        set { self.fields[0].entity = newValue }
    }

    /// The deep link for Android TV applications.
    public var atvEntity: String? {
        get { self.fields[0].atvEntity }
        set { self.fields[0].atvEntity = newValue }
    }

    /// Seconds since 1970 at which the live stream's time line starts.
    public var startAbsoluteTime: Double? {
        get { self.fields[0].startAbsoluteTime }
        set { self.fields[0].startAbsoluteTime = newValue }
    }

    public var customData: JSONValue? {
        get { self.fields[0].customData }
        set { self.fields[0].customData = newValue }
    }

    /// Members without a field here, kept as they came.
    public var unknownFields: JSONObject {
        get { self.fields[0].unknownFields }
        set { self.fields[0].unknownFields = newValue }
    }
}
