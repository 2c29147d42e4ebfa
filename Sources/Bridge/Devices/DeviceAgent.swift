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
        var number: UInt64
    }

    let key: Key
    /// Borrowed, because a copy of `DeviceState` retains about 100 references.
    var state: DeviceState {
        _read { yield self.storedState }
    }
    private var storedState: DeviceState
    private let texts = DocumentTexts()
    private let supervisor: DeviceSupervisor
    /// The options for deriving its state: the bridge's, or the user's for this device.
    private var options: DeviceOptions
    /// The refused aliases that the log has reported.
    var refusedAliases: [String] = []
    /// Whether its relation to groups is known.
    var isSettledInGroups = false
    /// What its link went through.
    var link = LinkRecord()
    /// What it plays, for the moment in which that moves to another device.
    var streams = StreamWatch()
    /// Whether it was asked which offered applications it can run, and has not answered; its announcement waits for the answer.
    var awaitsOffers = false
    /// Fires at the state's own deadlines.
    let stateDeadline: Deadline

    init(key: Key, state: DeviceState, supervisor: DeviceSupervisor, options: DeviceOptions, stateDeadline: Deadline) {
        self.key = key
        self.storedState = state
        self.supervisor = supervisor
        self.options = options
        self.stateDeadline = stateDeadline
    }

    var id: Device.ID { self.key.device }

    // MARK: The state

    /// Applies an event to the state.
    /// - Returns: the resulting actions.
    func reduce(_ event: DeviceEvent, at now: Now) -> [DeviceOutput] { self.storedState.reduce(event, at: now, options: self.options) }

    /// Returns whether the device has topics.
    func isPublished(by mapper: TopicMapper) -> Bool { self.borrow { mapper.publishes($0) } }

    /// When the state's timer is due, see `DeviceState.nextDeadline`.
    var nextDeadline: MonotonicTime? { self.borrow { $0.nextDeadline } }

    /// The data for the offered options of Home Assistant, see `OfferedOptions.Source`.
    var offerSource: OfferedOptions.Source { self.borrow { OfferedOptions.Source($0) } }

    /// Returns the address of the picture to fetch, see `TopicMapper.artworkAddress`.
    func artworkAddress(by mapper: TopicMapper) -> String? { self.borrow { mapper.artworkAddress(of: $0) } }

    /// Returns when the next position tick is due.
    func nextTick(by mapper: TopicMapper, after time: MonotonicTime) -> MonotonicTime? {
        self.borrow { mapper.nextTick(player: $0.player, anchor: $0.presentedAnchor, after: time) }
    }

    /// Returns how to treat the topics that all documents leave out; see `TopicMapper.remainingTopics`.
    func remainingTopics(by mapper: TopicMapper) -> RemainingTopics { self.borrow { mapper.remainingTopics($0) } }

    /// Writes documents, see `TopicMapper.write`.
    func write(_ documents: DeviceDocuments, with mapper: TopicMapper, at time: Timestamp, to batch: inout MessageBatch) {
        self.borrow { mapper.write(documents, of: $0, at: time, self.texts, to: &batch) }
    }

    /// Returns documents as single messages.
    func messages(of documents: DeviceDocuments = .all, with mapper: TopicMapper) -> [OutgoingMessage] {
        self.borrow { mapper.messages(for: $0, documents: documents) }
    }

    /// Calls methods of the state in place. Reading a property of a class copies it, unless it is passed `inout`.
    private func borrow<Result>(_ body: (DeviceState) -> Result) -> Result {
        func call(_ state: inout DeviceState) -> Result { body(state) }
        return call(&self.storedState)
    }

    func setSlug(_ slug: String) { self.storedState.slug = slug }

    /// Applies the user's choices for this device.
    /// - Returns: whether any of them changed.
    func choose(_ options: DeviceOptions, aliases: [String], area: String?) -> Bool {
        guard self.options != options || self.state.aliases != aliases || self.state.area != area else { return false }
        self.options = options
        self.storedState.aliases = aliases
        self.storedState.area = area
        return true
    }

    // MARK: The link

    /// The session over the current link, while it is ready.
    var session: CastSession? { self.supervisor.assumeIsolated { $0.session } }
    /// The endpoint of the current link.
    var endpoint: DeviceEndpoint? { self.supervisor.assumeIsolated { $0.endpoint } }
    /// The largest delay of a heartbeat.
    var heartbeatLateness: Duration { self.supervisor.assumeIsolated { $0.heartbeatLateness } }
    func update(endpoints: [DeviceEndpoint]) { self.supervisor.update(endpoints: endpoints) }
    /// Retries at once instead of waiting for the next attempt.
    func wake() { self.supervisor.wake() }
    /// Ends the link; applications keep running.
    func end() { self.supervisor.stop() }
}

/// What a device's link went through in this run.
struct LinkRecord {
    /// Whether it has been ready.
    var wasReady = false
    /// The current outage.
    var outage = Outage()
    var history = LinkHistory()
}

/// The outage that the log has reported: one line when it begins, one when it ends.
struct Outage {
    /// When the link was lost; `nil` while it is up, and before the first one.
    var since: MonotonicTime?
    var hasWarned = false
}
