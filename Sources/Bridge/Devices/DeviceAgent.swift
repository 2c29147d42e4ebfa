import BridgeCore
import CastSender
import EventLoopTiming
import HomeAssistantDiscovery

/// One device of the bridge. The fleet changes it; all other parts only read it.
final class DeviceAgent {
    /// Identifies one registration of a device. A device that is removed and found again gets a new key, so late callbacks of the old one
    /// are ignored.
    struct Key: Sendable, Hashable {
        var device: Device.ID
        /// Unique in the process.
        var number: UInt64

        static func == (left: Self, right: Self) -> Bool { left.number == right.number }

        // Several parts look a device up for each status: an id costs four times as much to hash, a number given to a hasher twice as much.
        func hash(into hasher: inout Hasher) { hasher.combine(self.number) }
        func _rawHashValue(seed: Int) -> Int { self.number._rawHashValue(seed: seed) }
    }

    let key: Key
    /// Borrowed, because each copy of `DeviceState` allocates and costs 1 350 instructions; those of a pause would be a tenth of it.
    var state: DeviceState {
        _read { yield self.storedState }
    }
    private var storedState: DeviceState
    private let texts = DocumentTexts()
    let supervisor: DeviceSupervisor
    /// The options for deriving its state: the bridge's, or the user's for this device.
    private(set) var options: DeviceOptions
    /// The refused aliases that the log has reported.
    private var refusedAliases: [String] = []
    /// Whether its relation to groups is known.
    private(set) var isSettledInGroups = false
    let link = LinkRecord()
    /// What it plays, for the moment in which that moves to another device.
    private(set) var streams = StreamWatch()
    /// Whether it was asked which offered applications it can run, and has not answered; its announcement waits for the answer.
    private(set) var awaitsOffers = false
    let stateDeadline: Deadline

    init(key: Key, state: DeviceState, supervisor: DeviceSupervisor, options: DeviceOptions, stateDeadline: Deadline) {
        (self.key, self.storedState, self.supervisor, self.options, self.stateDeadline) = (key, state, supervisor, options, stateDeadline)
    }

    var id: Device.ID { self.key.device }

    // MARK: The state

    /// Applies an event to the state.
    /// - Returns: the resulting actions.
    func reduce(_ event: DeviceEvent, at now: Now) -> [DeviceOutput] {
        switch event {
        case .group: self.isSettledInGroups = true
        case .applicationsReported: self.awaitsOffers = false
        default: break
        }
        return self.storedState.reduce(event, at: now, options: self.options)
    }

    /// The next `applicationsReported` is the answer to a question.
    func offersRequested() { self.awaitsOffers = true }

    /// Follows what it plays; called before a media status is applied.
    func willChange(to status: MediaStatus?, at time: MonotonicTime) {
        self.streams.changes(self.state.media.reported, to: status, in: self.state.receiver?.application, at: time)
    }

    /// Returns the stream that ends with `application`; `nil` when none does. Called before the end is applied.
    func lostStream(with application: ReceiverApplication, at time: MonotonicTime) -> LostStream? {
        self.streams.ends(application, media: self.state.media.reported, part: self.state.application.part, at: time)
    }

    func isPublished(by mapper: TopicMapper) -> Bool { self.borrow { mapper.publishes($0) } }

    /// When the state's timer is due, see `DeviceState.nextDeadline`.
    var nextDeadline: MonotonicTime? { self.borrow { $0.nextDeadline } }

    /// The data for the offered options of Home Assistant, see `OfferedOptions.Source`.
    var offerSource: OfferedOptions.Source { self.borrow { OfferedOptions.Source($0) } }

    func artworkAddress(by mapper: TopicMapper) -> String? { self.borrow { mapper.artworkAddress(of: $0) } }

    func nextTick(by mapper: TopicMapper, after time: MonotonicTime) -> MonotonicTime? {
        self.borrow { mapper.nextTick(player: $0.player, anchor: $0.presentedAnchor, after: time) }
    }

    /// Returns how to treat the topics that all documents leave out; see `TopicMapper.remainingTopics`.
    func remainingTopics(by mapper: TopicMapper) -> RemainingTopics { self.borrow { mapper.remainingTopics($0) } }

    func write(_ documents: DeviceDocuments, with mapper: TopicMapper, at time: Timestamp, to batch: inout MessageBatch) {
        self.borrow { mapper.write(documents, of: $0, at: time, self.texts, to: &batch) }
    }

    func messages(of documents: DeviceDocuments = .all, with mapper: TopicMapper) -> [OutgoingMessage] {
        self.borrow { mapper.messages(for: $0, documents: documents) }
    }

    /// Calls methods of the state in place. Passing a property of a class on copies it, unless it is passed `inout`: 3 % of a pause.
    private func borrow<Result>(_ body: (DeviceState) -> Result) -> Result {
        func call(_ state: inout DeviceState) -> Result { body(state) }
        return call(&self.storedState)
    }

    func setSlug(_ slug: String) { self.storedState.move(to: slug) }

    /// Returns the refused aliases that the log has to report; none when they are those of the last call.
    func newlyRefused(_ aliases: [String]) -> [String] {
        guard aliases != self.refusedAliases else { return [] }
        self.refusedAliases = aliases
        return aliases
    }

    /// Applies the user's choices for this device.
    /// - Returns: whether any of them changed.
    func choose(_ options: DeviceOptions, aliases: [String], area: String?) -> Bool {
        guard self.options != options || self.state.aliases != aliases || self.state.area != area else { return false }
        self.options = options
        self.storedState.choose(aliases: aliases, area: area)
        return true
    }

    // MARK: The link

    /// The session over the current link, while it is ready.
    var session: CastSession? { self.supervisor.assumeIsolated { $0.session } }
    var endpoint: DeviceEndpoint? { self.supervisor.assumeIsolated { $0.endpoint } }
    var heartbeatLateness: Duration { self.supervisor.assumeIsolated { $0.heartbeatLateness } }
}

/// What a device's link went through in this run.
final class LinkRecord {
    private(set) var history = LinkHistory()
    private var wasReady = false
    /// When the link was lost; `nil` while it is up, and before the first one.
    private var outageSince: MonotonicTime?
    /// Whether the log has reported this outage: one line when it begins, one when it ends.
    private var hasWarned = false
    /// The device that answered in its place.
    private var other: Device.ID?

    /// The link is ready.
    /// - Returns: whether it was before, and when the outage began that ends.
    func ready(at now: Now) -> (isReconnection: Bool, outageSince: MonotonicTime?) {
        defer { (self.wasReady, self.outageSince, self.hasWarned, self.other) = (true, nil, false, nil) }
        self.note(.connected, at: now)
        return (self.wasReady, self.outageSince)
    }

    /// The link was lost, or an attempt failed.
    func failed(_ event: LinkHistory.Event, code: String, at now: Now) {
        self.outageSince = self.outageSince ?? now.monotonic
        self.note(event, code: code, at: now)
    }

    /// - Returns: whether a warning about this outage is still to be logged, which it is after this call.
    func warns() -> Bool {
        defer { self.hasWarned = true }
        return !self.hasWarned
    }

    /// - Returns: whether this is another one than the one before that answered in its place.
    func isNew(_ other: Device.ID) -> Bool {
        defer { self.other = other }
        return self.other != other
    }

    func clockStepped(by seconds: Double) { self.history.clockStepped(by: seconds) }

    func note(_ event: LinkHistory.Event, code: String? = nil, at now: Now) { self.history.note(event, code: code, at: now.wall) }
}
