import CastModels

/// What documents say of the medium alone, kept as text while the medium is the same: most statuses change nothing but the position and the
/// player's state. Writing it each time would be 12 % of a pause. One object serves one device.
public final class MediaTexts {
    /// Longest texts that are kept. Documents cut their lists when they grow long, which depends on all that is written before; shorter ones
    /// are never cut.
    static let limit = 8192

    private var media: MediaInformation?
    private var isKept = false
    private var description = JSONWriter(capacity: 0)
    private var details = JSONWriter(capacity: 0)

    public init() {}

    /// Appends what `TopicMapper.describe` writes of `media`.
    func describe(_ media: MediaInformation, to writer: inout JSONWriter) {
        self.update(with: media)
        if self.isKept { writer.members(of: self.description) } else { TopicMapper.describe(media, isPlaying: true, to: &writer) }
    }

    /// Appends what `TopicMapper.detail` writes of `media`.
    func detail(_ media: MediaInformation, to writer: inout JSONWriter) {
        self.update(with: media)
        if self.isKept { writer.members(of: self.details) } else { TopicMapper.detail(media, to: &writer) }
    }

    private func update(with media: MediaInformation) {
        let isSame = media == self.media
        // The newest copy, with which the next status most likely shares its storage: then they are compared at no cost.
        self.media = media
        guard !isSame else { return }
        self.description.removeAll()
        TopicMapper.describe(media, isPlaying: true, to: &self.description)
        self.details.removeAll()
        TopicMapper.detail(media, to: &self.details)
        self.isKept = self.description.count + self.details.count <= Self.limit
        guard !self.isKept else { return }
        self.description = JSONWriter(capacity: 0)
        self.details = JSONWriter(capacity: 0)
    }
}
