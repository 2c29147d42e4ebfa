/// A medium that is loaded or can be loaded (SDK: `GCKMediaInformation`).
///
/// The fields live behind one reference, because many owners pass the value on and keep copies of it.
public struct MediaInformation: Sendable, Hashable {
    @Shared private var fields: Fields

    public init(
        contentID: String? = nil, contentURL: String? = nil, contentType: String? = nil, streamType: StreamType? = nil,
        duration: Double? = nil, metadata: MediaMetadata? = nil, tracks: [MediaTrack] = [], textTrackStyle: TextTrackStyle? = nil,
        adBreaks: [AdBreak] = [], adBreakClips: [AdBreakClip] = [], customData: JSONValue? = nil
    ) {
        self._fields = Shared(
            wrappedValue: Fields(
                contentID: contentID, contentURL: contentURL, contentType: contentType, streamType: streamType, duration: duration,
                metadata: metadata, tracks: tracks, textTrackStyle: textTrackStyle, adBreaks: adBreaks, adBreakClips: adBreakClips,
                customData: customData))
    }

    /// Returns whether both are copies of one value. Copies are equal, and this check does not read a field.
    package func isCopy(of other: Self) -> Bool { self._fields.isCopy(of: other._fields) }

    /// Returns whether both have the same tracks, ads and custom data.
    func hasOptions(of other: Self) -> Bool {
        self.fields.tracks == other.fields.tracks && self.fields.adBreaks == other.fields.adBreaks
            && self.fields.adBreakClips == other.fields.adBreakClips && self.fields.customData == other.fields.customData
    }

    /// Changes several properties with one copy of the fields.
    package mutating func change(_ body: (inout Fields) -> Void) { body(&self.fields) }

    /// Compares the references first, which costs nothing for copies of one value; a synthesized `==` would compare every field. Different
    /// media mostly differ in their id, which is compared in place, because comparing all fields copies them.
    public static func == (left: Self, right: Self) -> Bool {
        left.isCopy(of: right) || left.fields.contentID == right.fields.contentID && left._fields == right._fields
    }

    /// The storage of the properties of the same names.
    package struct Fields: Sendable, Hashable {
        package var contentID: String?
        package var contentURL: String?
        package var contentType: String?
        package var streamType: StreamType?
        package var mediaCategory: MediaCategory?
        package var hlsSegmentFormat: HLSSegmentFormat?
        package var hlsVideoSegmentFormat: HLSVideoSegmentFormat?
        package var duration: Double?
        package var metadata: MediaMetadata?
        package var tracks: [MediaTrack] = []
        package var textTrackStyle: TextTrackStyle?
        package var adBreaks: [AdBreak] = []
        package var adBreakClips: [AdBreakClip] = []
        package var vmapAdsRequest: VASTAdsRequest?
        package var entity: String?
        package var atvEntity: String?
        package var startAbsoluteTime: Double?
        package var customData: JSONValue?
        package var unknownFields: JSONObject = JSONObject()
    }

    /// The application's id of the content, often its URL; at most 1000 characters.
    public var contentID: String? {
        get { self.fields.contentID }
        set { self.fields.contentID = newValue }
    }

    /// The URL of the content when `contentID` is not a URL.
    public var contentURL: String? {
        get { self.fields.contentURL }
        set { self.fields.contentURL = newValue }
    }

    /// The MIME type.
    public var contentType: String? {
        get { self.fields.contentType }
        set { self.fields.contentType = newValue }
    }

    public var streamType: StreamType? {
        get { self.fields.streamType }
        set { self.fields.streamType = newValue }
    }

    var isLive: Bool { self.fields.streamType == .live }
    var isBuffered: Bool { self.fields.streamType == .buffered }

    public var mediaCategory: MediaCategory? {
        get { self.fields.mediaCategory }
        set { self.fields.mediaCategory = newValue }
    }

    /// The container of audio segments of an HLS stream, or of all segments where audio and video share them.
    public var hlsSegmentFormat: HLSSegmentFormat? {
        get { self.fields.hlsSegmentFormat }
        set { self.fields.hlsSegmentFormat = newValue }
    }

    /// The container of video segments of an HLS stream.
    public var hlsVideoSegmentFormat: HLSVideoSegmentFormat? {
        get { self.fields.hlsVideoSegmentFormat }
        set { self.fields.hlsVideoSegmentFormat = newValue }
    }

    /// The duration in seconds; `nil` when unknown or endless.
    public var duration: Double? {
        get { self.fields.duration }
        set { self.fields.duration = newValue }
    }

    public var metadata: MediaMetadata? {
        get { self.fields.metadata }
        set { self.fields.metadata = newValue }
    }

    public var tracks: [MediaTrack] {
        get { self.fields.tracks }
        set { self.fields.tracks = newValue }
    }

    public var textTrackStyle: TextTrackStyle? {
        get { self.fields.textTrackStyle }
        set { self.fields.textTrackStyle = newValue }
    }

    public var adBreaks: [AdBreak] {
        get { self.fields.adBreaks }
        set { self.fields.adBreaks = newValue }
    }

    public var adBreakClips: [AdBreakClip] {
        get { self.fields.adBreakClips }
        set { self.fields.adBreakClips = newValue }
    }

    /// The request to an ad server that returns all breaks (VMAP).
    public var vmapAdsRequest: VASTAdsRequest? {
        get { self.fields.vmapAdsRequest }
        set { self.fields.vmapAdsRequest = newValue }
    }

    /// A deep link to the content.
    public var entity: String? {
        get { self.fields.entity }
        set { self.fields.entity = newValue }
    }

    /// The deep link for Android TV applications.
    public var atvEntity: String? {
        get { self.fields.atvEntity }
        set { self.fields.atvEntity = newValue }
    }

    /// The start of the live stream's time line, in seconds since 1970.
    public var startAbsoluteTime: Double? {
        get { self.fields.startAbsoluteTime }
        set { self.fields.startAbsoluteTime = newValue }
    }

    public var customData: JSONValue? {
        get { self.fields.customData }
        set { self.fields.customData = newValue }
    }

    /// Members that have no field here, unchanged.
    public var unknownFields: JSONObject {
        get { self.fields.unknownFields }
        set { self.fields.unknownFields = newValue }
    }
}

extension MediaInformation {
    /// The content id, or the URL of media that has no id.
    package var shownContentID: String? {
        if let contentID, !contentID.isEmpty { return contentID }
        return self.contentURL
    }
}
