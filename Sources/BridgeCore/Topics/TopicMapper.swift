import CastModels

/// From a snapshot of state to the messages it should be on the broker: pure, complete, and the same bytes for the same state.
///
/// What of it has to be sent, because it differs from what the broker holds, is decided elsewhere.
public struct TopicMapper: Sendable {
    public let tree: TopicTree
    public let options: Options

    public init(tree: TopicTree, options: Options) {
        self.tree = tree
        self.options = options
    }

    public struct Options: Sendable, Hashable {
        /// The name of this bridge in `info` and `bridge/info`.
        public var instance: String
        public var status: StatusOptions
        /// Whether `status/media_player` says `player` in the words of a media player that knows fewer.
        public var includesMediaPlayer: Bool

        public init(instance: String, status: StatusOptions = StatusOptions(), includesMediaPlayer: Bool = false) {
            self.instance = instance
            self.status = status
            self.includesMediaPlayer = includesMediaPlayer
        }
    }

    /// Whether the device has topics at all.
    public func publishes(_ device: Device) -> Bool { self.options.status.includesDynamicGroups || !device.isDynamicGroup }

    /// The groups of a device that have topics: nobody is sent to any other.
    func groups(_ state: DeviceState) -> [GroupStanding.Membership] {
        state.group.memberships.filter { self.options.status.includesDynamicGroups || !$0.isDynamic }
    }

    /// Whether `bridge/devices` has the device, and whoever goes by it.
    public func lists(_ device: Device) -> Bool {
        self.publishes(device) && (self.options.status.listsStereoHalves || !device.isStereoPairMember)
    }

    /// Every retained message that should be on the broker for this device, availability last.
    ///
    /// Before anything is known of a device in this run that is `availability` alone, so that what an earlier run left is not replaced by
    /// unknowns for the second it takes to connect; see `isComplete`.
    /// - Parameter documents: which of them; pass what `DeviceOutput.changed` told to save work.
    public func messages(for state: DeviceState, documents: DeviceDocuments = .all) -> [OutgoingMessage] {
        var texts = MediaTexts()
        return self.messages(for: state, documents: documents, &texts)
    }

    /// The same, quicker for a medium whose texts were kept by the call before.
    public func messages(for state: DeviceState, documents: DeviceDocuments, _ texts: inout MediaTexts) -> [OutgoingMessage] {
        guard self.publishes(state.device) else { return [] }
        var messages: [OutgoingMessage] = []
        messages.reserveCapacity(documents.contains(.plain) && self.options.status.split != .none ? 48 : 8)
        if state.link.isDetermined {
            if documents.contains(.info) { messages.append(self.document("info", of: state, self.info(state))) }
            if documents.contains(.app) { messages.append(self.document("app", of: state, self.app(state))) }
            if !documents.isDisjoint(with: [.media, .state]) {
                texts.update(with: state.presentedMedia?.shownMedia)
                let shared = Self.sharedMedia(state, texts)
                if documents.contains(.media) { messages.append(self.document("media", of: state, self.media(state, shared, texts))) }
                if documents.contains(.state) { messages.append(self.document("state", of: state, self.state(state, shared))) }
            }
            if documents.contains(.queue) { messages.append(self.document("queue", of: state, self.queue(state))) }
            if documents.contains(.tracks) { messages.append(self.document("tracks", of: state, self.tracks(state))) }
            if documents.contains(.group) { messages.append(self.document("group", of: state, self.group(state))) }
            if documents.contains(.plain), self.options.status.split != .none {
                self.appendPlain(state, to: &messages)
                if self.options.status.split == .full { self.appendMediaValues(state, to: &messages) }
            }
        }
        if documents.contains(.availability) {
            messages.append(self.word(state.isAvailable ? "online" : "offline", topic: self.tree.device(state.slug, "availability")))
        }
        return messages
    }

    /// Whether `messages(for:documents:)` of the same arguments is all there should be, so that any other topic of the device is to be cleared.
    public func isComplete(_ state: DeviceState, documents: DeviceDocuments = .all) -> Bool {
        documents.isSuperset(of: .all) && state.link.isDetermined
    }

    /// Every name below a device's slug that may hold something retained, for those who clear what an earlier run left.
    public static let retainedNames =
        ["info", "app", "media", "state", "queue", "tracks", "group"]
        + (plainNames + [mediaPlayerName] + mediaValueNames).map { "status/" + $0 } + [
            "availability"
        ]

    /// One event of a device. It carries the time it happened, not the time it is sent.
    public func event(_ event: PublishedEvent, of slug: String, at time: Timestamp) -> OutgoingMessage {
        var writer = JSONWriter.document(capacity: 256)
        writer.member("ts", time)
        writer.member("event_type", event.kind.rawValue)
        writer.key("data")
        writer.beginObject()
        writer.member("title", text: event.title)
        writer.member("content_id", text: event.contentID)
        writer.member("app", text: event.app)
        writer.member("device", slug)
        if let item = event.item {
            writer.member("kind", item.kind)
            writer.member("artist", text: item.artist)
            writer.member("album", text: item.album)
            writer.member("series", text: item.series)
            writer.member("duration", rounded: item.duration)
        }
        for member in event.facts.members {
            if let text = member.value.stringValue {
                writer.member(member.key, text: text)
            } else {
                writer.member(member.key, member.value)
            }
        }
        writer.endObject()
        writer.endObject()
        return OutgoingMessage(
            topic: self.tree.device(slug, "event"), payload: writer.bytes, qos: 1, retain: false, content: .document(schema: 1),
            expirySeconds: 300)
    }

    private func document(_ name: String, of state: DeviceState, _ payload: [UInt8]) -> OutgoingMessage {
        OutgoingMessage(
            topic: self.tree.device(state.slug, name), payload: payload, timestampOffset: JSONWriter.timestampOffset, qos: 1, retain: true,
            content: .document(schema: 1))
    }

    /// A retained word, as consumers compare it literally.
    func word(_ word: String, topic: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: Array(word.utf8), qos: 1, retain: true, content: .text)
    }
}
