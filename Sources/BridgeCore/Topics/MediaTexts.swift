import CastModels

/// What documents say of the medium alone, kept as text while the medium is the same: most statuses change nothing but the position and the
/// player's state. One value serves one device.
public struct MediaTexts: Sendable {
    /// Longest texts that are kept. Documents cut their lists when they grow long, which depends on all that is written before; shorter ones
    /// are never cut.
    static let limit = 8192

    private var media: MediaInformation?
    /// What `TopicMapper.describe` writes of it; `nil` when nothing is kept.
    private(set) var description: JSONWriter?
    /// What `TopicMapper.detail` writes of it; `nil` when nothing is kept.
    private(set) var details: JSONWriter?

    public init() {}

    /// Makes sure that what is kept is of `media`, which is quickly seen when it is the same object.
    mutating func update(with media: MediaInformation?) {
        guard media != self.media else { return }
        self.media = media
        (self.description, self.details) = (nil, nil)
        guard let media else { return }
        var (description, details) = (JSONWriter(), JSONWriter(capacity: 512))
        TopicMapper.describe(media, isPlaying: true, to: &description)
        TopicMapper.detail(media, to: &details)
        if description.bytes.count + details.bytes.count <= Self.limit { (self.description, self.details) = (description, details) }
    }
}
