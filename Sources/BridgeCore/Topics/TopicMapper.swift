import CastModels

/// Maps a snapshot of state to the messages that should be on the broker. Pure and complete; equal states give equal bytes.
///
/// `PublishedState` decides which of them differ from the broker's content and must be sent. A class, because reading a structure in a
/// property of a class copies its texts.
public final class TopicMapper: Sendable {
    public let tree: TopicTree
    public let options: Options

    public init(tree: TopicTree, options: Options) { (self.tree, self.options) = (tree, options) }

    public struct Options: Sendable, Hashable {
        /// The name of this bridge in `info` and `bridge/info`.
        public var instance: String
        public var status: StatusOptions
        /// Whether `status/media_player` is published: `player` in the reduced vocabulary of a media player.
        public var includesMediaPlayer: Bool
        public var includesArtworkImage: Bool
        /// Whether documents name MAC addresses.
        public var sharesMACAddress: Bool
        public var redaction: SecretRedaction
        public var applications: OfferedApplications

        public init(
            instance: String, status: StatusOptions = StatusOptions(), includesMediaPlayer: Bool = false,
            includesArtworkImage: Bool = false, sharesMACAddress: Bool = false, redaction: SecretRedaction = SecretRedaction(),
            applications: OfferedApplications = OfferedApplications()
        ) {
            self.instance = instance
            self.status = status
            self.includesMediaPlayer = includesMediaPlayer
            self.includesArtworkImage = includesArtworkImage
            self.sharesMACAddress = sharesMACAddress
            self.redaction = redaction
            self.applications = applications
        }
    }

    /// Returns whether the device has topics.
    public func publishes(_ device: Device) -> Bool { self.options.status.includesDynamicGroups || !device.isDynamicGroup }

    /// Returns whether the device has topics; reads the state in place.
    public func publishes(_ state: borrowing DeviceState) -> Bool {
        self.options.status.includesDynamicGroups || state.device.capabilities?.contains(.dynamicGroup) != true
    }

    /// Returns the groups of a device that have topics; documents do not name other groups.
    func groups(_ state: DeviceState) -> [GroupStanding.Membership] {
        state.group.memberships.filter { self.options.status.includesDynamicGroups || !$0.isDynamic }
    }

    /// Returns whether `bridge/devices` and its readers, such as the page and announcements, include the device.
    public func lists(_ device: Device) -> Bool {
        self.publishes(device) && (self.options.status.listsStereoHalves || !device.isStereoPairMember)
    }

    /// Returns every retained message that should be on the broker for this device, in the order of `write`.
    public func messages(for state: DeviceState, documents: DeviceDocuments = .all) -> [OutgoingMessage] {
        var batch = MessageBatch()
        self.write(documents, of: state, at: Timestamp(milliseconds: 0), DocumentTexts(), to: &batch)
        batch.redact(self.options.redaction)
        var messages: [OutgoingMessage] = []
        for message in batch.messages { messages.append(batch.outgoing(message)) }
        return messages
    }

    /// Writes the retained messages that should be on the broker for this device: `state` first, because readers wait for it,
    /// `availability` last.
    ///
    /// Before the device has reported anything in this run, that is only `availability`. The documents of an earlier run are then not
    /// replaced by unknown values for the second that connecting takes; see `remainingTopics`.
    /// - Parameters:
    ///   - documents: the documents to write.
    ///   - time: the time of sending, which documents contain.
    ///   - texts: the cached texts of the device.
    public func write(
        _ documents: DeviceDocuments, of state: DeviceState, at time: Timestamp, _ texts: DocumentTexts, to batch: inout MessageBatch
    ) {
        guard self.publishes(state) else { return }
        if state.link.isDetermined {
            let form = (folder: batch.folder(self.tree, state.slug, "/"), head: batch.documentHead(at: time))
            var media: Range<Int>?
            if !documents.isDisjoint(with: [.state, .media]) { texts.update(with: state, by: self) }
            if documents.contains(.state) { self.append("state", form, to: &batch) { media = self.writeState(state, texts, to: &$0) } }
            if documents.contains(.media) { self.append("media", form, to: &batch) { self.writeMedia(state, texts, media, to: &$0) } }
            if documents.contains(.info) { self.append("info", form, to: &batch) { self.writeInfo(state, to: &$0) } }
            if documents.contains(.app) { self.append("app", form, to: &batch) { self.writeApp(state, to: &$0) } }
            if documents.contains(.queue) { self.append("queue", form, to: &batch) { self.writeQueue(state, to: &$0) } }
            if documents.contains(.tracks) { self.append("tracks", form, to: &batch) { self.writeTracks(state, to: &$0) } }
            if documents.contains(.group) { self.append("group", form, to: &batch) { self.writeGroupDocument(state, to: &$0) } }
            if !documents.isDisjoint(with: .plain), self.options.status.split != .none {
                self.appendPlain(state, documents, to: &batch)
                if self.options.status.split == .full { self.appendMediaValues(state, to: &batch) }
            }
            if documents.contains(.artworkImage), self.options.includesArtworkImage, state.artworkImage != .unknown {
                batch.append(form.folder, "artwork/image", qos: Self.artworkImageQoS, content: .binary) { writer in
                    if case .picture(let bytes) = state.artworkImage { bytes.withUnsafeBytes { writer.append(raw: $0) } }
                }
            }
        }
        if documents.contains(.channels), state.link.isDetermined {
            for namespace in state.application.channels.all {
                let word = state.application.channels.isConnected(namespace) ? "connected" : "disconnected"
                batch.append(self.word(word, topic: self.tree.channelState(state.slug, namespace)), at: time)
            }
        }
        if documents.contains(.availability) {
            batch.append(batch.folder(self.tree, state.slug, "/"), "availability", qos: 1, content: .text) {
                $0.append(raw: state.isAvailable ? "online" : "offline" as StaticString)
            }
        }
    }

    /// Appends a document of a device.
    /// - Parameter write: writes the members after `schema` and `ts`.
    private func append(
        _ name: StaticString, _ form: (folder: Range<Int>, head: Range<Int>), to batch: inout MessageBatch,
        _ write: (inout JSONWriter) -> Void
    ) {
        batch.append(form.folder, name, qos: 1, content: .document(schema: 1), hasTimestamp: true) { writer in
            writer.members(writtenAt: form.head)
            write(&writer)
            writer.endObject()
        }
    }

    /// Returns how to treat the topics of the device that a complete `write` leaves out.
    public func remainingTopics(_ state: DeviceState) -> RemainingTopics {
        guard state.link.isDetermined else { return .keptBelow(self.tree.device(state.slug, "")) }
        let awaitsImage = self.options.includesArtworkImage && state.artworkImage == .unknown
        return awaitsImage ? .keptBelow(self.tree.device(state.slug, Self.artworkImageName)) : .cleared
    }

    /// The names below a slug that may be retained, except for namespace states, whose names depend on applications. Used to find stale
    /// topics of an earlier run.
    public static let retainedNames =
        ["state", "media", "info", "app", "queue", "tracks", "group"]
        + (plainNames + [mediaPlayerName] + mediaValueNames).map { "status/" + $0 } + [
            "artwork/image", "availability",
        ]

    /// Returns one event of a device. It carries the time of its occurrence, not the time of sending.
    public func event(_ event: PublishedEvent, of slug: String, at time: Timestamp) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 1024)
        let topic = self.tree.write(slug, "/event", to: &writer)
        writer.beginDocument(at: time)
        writer.member("event_type", event.kind.rawValue)
        writer.beginObject("data")
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
        for (key, value) in event.facts.members { writer.member(key, limiting: value) }
        writer.endObject()
        writer.endObject()
        return OutgoingMessage(
            topic: String(decoding: writer.bytes(in: topic), as: UTF8.self), payload: writer.bytes(in: topic.upperBound..<writer.count),
            qos: 1, retain: false, content: .document(schema: 1),
            expirySeconds: 300)
    }

    /// Returns a retained word, which consumers compare literally.
    func word(_ word: String, topic: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: Array(word.utf8), qos: 1, retain: true, content: .text)
    }
}
