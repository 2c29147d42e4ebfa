/// The content of a LOAD request (SDK: `GCKMediaLoadRequestData`). It has `media`, or `queueData` with items, or both.
public struct MediaLoadRequest: Sendable, Hashable {
    public var media: MediaInformation?
    /// The queue to load with the media.
    public var queueData: MediaQueueData?
    /// Whether to play after loading. `nil` leaves it to the receiver, which plays; `false` loads and stays paused.
    public var autoplay: Bool?
    /// Seconds at which to start; `nil` starts at the beginning, or at the live edge.
    public var startTime: Double?
    /// The playback rate, within `playbackRateRange`; `nil` is normal speed.
    public var playbackRate: Double?
    /// The tracks to show from the start; an empty list shows none, `nil` leaves it to the receiver.
    public var activeTrackIDs: [Int]?
    /// The credentials of the application's user; a secret.
    public var credentials: String?
    /// The kind of sender that the credentials belong to (`android`, `ios`, `web`; `cloud` is reserved).
    public var credentialsType: String?
    /// The credentials for an Android TV application; a secret.
    public var atvCredentials: String?
    public var atvCredentialsType: String?
    public var contentFilteringMode: ContentFilteringMode?
    /// Data that only the application interprets.
    public var customData: JSONValue?

    public init(media: MediaInformation, autoplay: Bool? = nil, startTime: Double? = nil) {
        self.media = media
        self.autoplay = autoplay
        self.startTime = startTime
    }

    public init(queueData: MediaQueueData, autoplay: Bool? = nil) { (self.queueData, self.autoplay) = (queueData, autoplay) }

    /// The playback rates at which receivers start media.
    public static let playbackRateRange = 0.5...2.0

    /// The content that the application must not play.
    public enum ContentFilteringMode: WireWord {
        case filterExplicit
        case unknown(String)

        public static let words: KeyValuePairs<String, Self> = ["FILTER_EXPLICIT": .filterExplicit]
        public var unknownWord: String? { if case .unknown(let word) = self { word } else { nil } }
    }

    /// Checks for values that no receiver can accept.
    ///
    /// - Throws: `invalidRequest` with the name of the argument.
    public func validate() throws(CastError) {
        guard self.media != nil || self.queueData?.items.isEmpty == false || self.queueData?.entity != nil else {
            throw .invalidArgument("media", "a load needs media, or a queue with items or an entity")
        }
        try self.media?.validate("media", activeTrackIDs: self.activeTrackIDs, named: "activeTrackIDs")
        try self.queueData?.validate("queueData")
        try CastError.checkSeconds(self.startTime, "startTime")
        try CastError.check(self.playbackRate, in: Self.playbackRateRange, "playbackRate")
        try CastError.checkText(self.credentialsType, "credentialsType")
        if self.credentials == nil, self.credentialsType != nil {
            throw .invalidArgument("credentialsType", "given without credentials")
        }
        if self.credentialsType == "cloud" { throw .invalidArgument("credentialsType", "cloud is reserved for receivers") }
    }
}
