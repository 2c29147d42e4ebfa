/// What is loaded, or to be loaded (SDK: `GCKMediaInformation`).
///
/// All of it is behind one reference: it is handed on, and kept, in many places.
public struct MediaInformation: Sendable, Hashable {
    @Shared private var fields: Fields

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
        self.fields = fields
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
        get { self.fields.contentID }
        _modify { yield &self.fields.contentID }
    }

    /// The real URL when `contentID` is an id.
    public var contentURL: String? {
        get { self.fields.contentURL }
        _modify { yield &self.fields.contentURL }
    }

    /// A MIME type.
    public var contentType: String? {
        get { self.fields.contentType }
        _modify { yield &self.fields.contentType }
    }

    public var streamType: StreamType? {
        get { self.fields.streamType }
        _modify { yield &self.fields.streamType }
    }

    public var mediaCategory: MediaCategory? {
        get { self.fields.mediaCategory }
        _modify { yield &self.fields.mediaCategory }
    }

    /// What the audio, or all, of an HLS stream is packed in.
    public var hlsSegmentFormat: HLSSegmentFormat? {
        get { self.fields.hlsSegmentFormat }
        _modify { yield &self.fields.hlsSegmentFormat }
    }

    /// What the video of an HLS stream is packed in.
    public var hlsVideoSegmentFormat: HLSVideoSegmentFormat? {
        get { self.fields.hlsVideoSegmentFormat }
        _modify { yield &self.fields.hlsVideoSegmentFormat }
    }

    /// Seconds; `nil` when unknown or endless.
    public var duration: Double? {
        get { self.fields.duration }
        _modify { yield &self.fields.duration }
    }

    public var metadata: MediaMetadata? {
        get { self.fields.metadata }
        _modify { yield &self.fields.metadata }
    }

    public var tracks: [MediaTrack] {
        get { self.fields.tracks }
        _modify { yield &self.fields.tracks }
    }

    public var textTrackStyle: TextTrackStyle? {
        get { self.fields.textTrackStyle }
        _modify { yield &self.fields.textTrackStyle }
    }

    public var adBreaks: [AdBreak] {
        get { self.fields.adBreaks }
        _modify { yield &self.fields.adBreaks }
    }

    public var adBreakClips: [AdBreakClip] {
        get { self.fields.adBreakClips }
        _modify { yield &self.fields.adBreakClips }
    }

    /// Asks an ad server for all breaks (VMAP).
    public var vmapAdsRequest: VASTAdsRequest? {
        get { self.fields.vmapAdsRequest }
        _modify { yield &self.fields.vmapAdsRequest }
    }

    /// A deep link to the content.
    public var entity: String? {
        get { self.fields.entity }
        _modify { yield &self.fields.entity }
    }

    /// The deep link for Android TV applications.
    public var atvEntity: String? {
        get { self.fields.atvEntity }
        _modify { yield &self.fields.atvEntity }
    }

    /// Seconds since 1970 at which the live stream's time line starts.
    public var startAbsoluteTime: Double? {
        get { self.fields.startAbsoluteTime }
        _modify { yield &self.fields.startAbsoluteTime }
    }

    public var customData: JSONValue? {
        get { self.fields.customData }
        _modify { yield &self.fields.customData }
    }

    /// Members without a field here, kept as they came.
    public var unknownFields: JSONObject {
        get { self.fields.unknownFields }
        _modify { yield &self.fields.unknownFields }
    }
}
