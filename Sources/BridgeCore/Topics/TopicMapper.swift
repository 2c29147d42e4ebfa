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
        public var split: Split
        /// Between two position ticks; zero is never.
        public var positionInterval: Duration
        /// Whether `media.custom_data` carries what applications attach.
        public var includesCustomData: Bool

        public init(
            instance: String, split: Split = .basic, positionInterval: Duration = .seconds(10), includesCustomData: Bool = false
        ) {
            self.instance = instance
            self.split = split
            self.positionInterval = positionInterval
            self.includesCustomData = includesCustomData
        }
    }

    /// How much of the state is mirrored as plain values.
    public enum Split: String, Sendable, Hashable, CaseIterable { case none, basic }

    /// Every retained message that should be on the broker for this device, availability last.
    ///
    /// Before anything is known of a device in this run that is `availability` alone, so that what an earlier run left is not replaced by
    /// unknowns for the second it takes to connect; see `isComplete`.
    /// - Parameter documents: which of them; pass what `DeviceOutput.changed` told to save work.
    public func messages(for state: DeviceState, documents: DeviceDocuments = .all) -> [OutgoingMessage] {
        var messages: [OutgoingMessage] = []
        messages.reserveCapacity(documents.contains(.plain) && self.options.split == .basic ? 24 : 5)
        if state.link.isDetermined {
            if documents.contains(.info) { messages.append(self.document("info", of: state, self.info(state))) }
            if documents.contains(.app) { messages.append(self.document("app", of: state, self.app(state))) }
            if !documents.isDisjoint(with: [.media, .state]) {
                let shared = Self.sharedMedia(state)
                if documents.contains(.media) { messages.append(self.document("media", of: state, self.media(state, shared))) }
                if documents.contains(.state) { messages.append(self.document("state", of: state, self.state(state, shared))) }
            }
            if documents.contains(.plain), self.options.split == .basic { self.appendPlain(state, to: &messages) }
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
    public static let retainedNames = ["info", "app", "media", "state"] + plainNames.map { "status/" + $0 } + ["availability"]

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
