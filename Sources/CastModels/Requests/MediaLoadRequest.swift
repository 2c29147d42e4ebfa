/// What LOAD asks of a receiver application (SDK: `GCKMediaLoadRequestData`).
public struct MediaLoadRequest: Sendable, Hashable {
    public var media: MediaInformation
    /// `nil` leaves it to the receiver, which plays.
    public var autoplay: Bool?
    /// Seconds; `nil` starts at the beginning, or at the live edge.
    public var startTime: Double?
    public var playbackRate: Double?
    public var activeTrackIDs: [Int]?
    public var credentials: String?
    public var credentialsType: String?
    public var customData: JSONValue?

    public init(media: MediaInformation, autoplay: Bool? = nil, startTime: Double? = nil) {
        self.media = media
        self.autoplay = autoplay
        self.startTime = startTime
    }
}
