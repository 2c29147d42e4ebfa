import CastModels

/// Keeps parts of the documents of one device as text, because most statuses change only the position and the player's state. Writing the members about
/// the medium each time would be 12 % of a pause.
package final class DocumentTexts {
    /// Most bytes that are kept. Documents cut their lists when they grow long, which depends on all that is written before; shorter ones are
    /// never cut.
    static let limit = 8192

    /// Members of documents that follow each other.
    enum Part: Int, CaseIterable {
        /// The members about the medium: those that `state.media` and `media` share, and those of `media` alone.
        case description, details
        /// The members `app` and `volume` of `state`.
        case receiver
        /// The members of `state` between `media` and `busy`.
        case standing
        /// The members of `media` behind `live_range`.
        case controls
    }

    private var facts: DeviceState.Facts?
    /// One text for each `Part`; none when they are too long to be kept.
    private var texts: [[UInt8]] = []

    package init() {}

    /// Prepares the parts of a state; `append` appends them.
    func update(with state: DeviceState, by mapper: TopicMapper) {
        var changed = self.facts?.partsChanged(in: state)
        guard changed != [] else {
            // The newest copy, with which the next status most likely shares its storage: then they are compared at no cost.
            self.facts?.status = state.presentedMedia
            return
        }
        if self.texts.isEmpty { changed = nil }
        self.facts = DeviceState.Facts(state)
        var writer = JSONWriter(capacity: 512)
        self.texts = Part.allCases.map { part in
            if let changed, !changed.contains(part) { return self.texts[part.rawValue] }
            writer.removeAll()
            mapper.write(part, of: state, to: &writer)
            return writer.bytes
        }
        if self.texts.reduce(0, { $0 + $1.count }) > Self.limit { self.texts = [] }
    }

    /// Appends a part of the state that was prepared last.
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
