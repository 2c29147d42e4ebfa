import CastModels

/// Caches parts of the documents of one device as text, because most statuses change only the position and the player's state. Writing the
/// members about the media each time would be 12 % of a pause.
public final class DocumentTexts {
    /// The largest cached text, in bytes. Long documents truncate their lists depending on everything written before; shorter ones are
    /// never truncated.
    static let limit = 8192

    /// Several parts. An option set, because a `Set` would hash each part for every status.
    struct Parts: OptionSet {
        let rawValue: UInt8

        static let description = Self(.description)
        static let details = Self(.details)
        static let receiver = Self(.receiver)
        static let standing = Self(.standing)
        static let controls = Self(.controls)

        init(rawValue: UInt8) { self.rawValue = rawValue }
        init(_ part: Part) { self.rawValue = 1 << UInt8(part.rawValue) }
    }

    /// Consecutive members of documents.
    enum Part: Int, CaseIterable {
        /// The members about the media: those that `state.media` and `media` share, and those of `media` alone.
        case description, details
        /// The members `app` and `volume` of `state`.
        case receiver
        /// The members of `state` between `media` and `busy`.
        case standing
        /// The members of `media` after `live_range`.
        case controls
    }

    private var facts: DeviceState.Facts?
    /// One text for each `Part`; empty when they are too long to cache.
    private var texts: [[UInt8]] = []

    public init() {}

    /// Prepares the parts for a state; `append` appends them.
    func update(with state: DeviceState, by mapper: TopicMapper) {
        var changed = self.facts?.partsChanged(in: state)
        guard changed != [] else {
            self.facts?.keep(state.presentedMedia)
            return
        }
        if self.texts.isEmpty { (self.texts, changed) = (Part.allCases.map { _ in [] }, nil) }
        self.facts = DeviceState.Facts(state)
        var writer = JSONWriter(capacity: 512)
        for part in Part.allCases where changed?.contains(Parts(part)) ?? true {
            writer.removeAll()
            mapper.write(part, of: state, to: &writer)
            // In the room of the former text.
            self.texts[part.rawValue].removeAll(keepingCapacity: true)
            writer.withBytes { self.texts[part.rawValue].append(contentsOf: $0) }
        }
        if self.texts.reduce(0, { $0 + $1.count }) > Self.limit { self.texts = [] }
    }

    /// Appends a part of the last prepared state.
    func append(_ part: Part, of state: DeviceState, by mapper: TopicMapper, to writer: inout JSONWriter) {
        guard !self.texts.isEmpty else { return mapper.write(part, of: state, to: &writer) }
        writer.members(self.texts[part.rawValue])
    }
}

extension TopicMapper {
    func write(_ part: DocumentTexts.Part, of state: DeviceState, to writer: inout JSONWriter) {
        let status = state.presentedMedia
        switch part {
        case .description: Self.describe(status?.shownMedia, isPlaying: status != nil, to: &writer)
        case .details: Self.detail(status?.shownMedia, to: &writer)
        case .receiver: Self.writeReceiver(state, to: &writer)
        case .standing: Self.writeStanding(state, to: &writer)
        case .controls: self.writeControls(status, to: &writer)
        }
    }
}
