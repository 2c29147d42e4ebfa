import BridgeCore
import CastSender
import EventLoopTiming
import HomeAssistantDiscovery

/// One device of the bridge. The fleet changes it; every other part only reads it.
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
    /// How its state is derived: the bridge's choice, or the user's for this device.
    private var options: DeviceOptions
    /// Aliases that it can't have, as the log has reported.
    var refusedAliases: [String] = []
    /// How the session is connected to the running application, as last reported.
    var applicationConnection = ApplicationConnection(.none)
    /// Whether it knows how it stands to groups.
    var isSettledInGroups = false
    /// Whether its link was ever ready in this run.
    var wasReady = false
    /// The present outage.
    var outage = Outage()
    /// The run of an application that the bridge launched there, while it lasts; kept while the connection to it is lost.
    var ownedSessionID: String?
    /// When its media session was first reported; `nil` when it has reported none.
    var mediaBegan: MonotonicTime?
    /// What it played when its player ended last, with the application still running.
    var endedStream: StreamTrail?
    /// Whether it was asked which of the offered applications it can run, and has not answered: its announcement waits.
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
    /// - Returns: what follows from it.
    func reduce(_ event: DeviceEvent, at now: Now) -> [DeviceOutput] { self.storedState.reduce(event, at: now, options: self.options) }

    /// Whether the device has topics at all.
    func isPublished(by mapper: TopicMapper) -> Bool { self.borrow { mapper.publishes($0) } }

    /// When the state is due, see `DeviceState.nextDeadline`.
    var nextDeadline: MonotonicTime? { self.borrow { $0.nextDeadline } }

    /// What Home Assistant is offered, see `OfferedOptions.Source`.
    var offerSource: OfferedOptions.Source { self.borrow { OfferedOptions.Source($0) } }

    /// The address of the picture to fetch, see `TopicMapper.artworkAddress`.
    func artworkAddress(by mapper: TopicMapper) -> String? { self.borrow { mapper.artworkAddress(of: $0) } }

    /// When the next position tick is due.
    func nextTick(by mapper: TopicMapper, after time: MonotonicTime) -> MonotonicTime? {
        self.borrow { mapper.nextTick(player: $0.player, anchor: $0.presentedAnchor, after: time) }
    }

    /// Returns how to treat the topics that all documents leave out; see `TopicMapper.remainingTopics`.
    func remainingTopics(by mapper: TopicMapper) -> RemainingTopics { self.borrow { mapper.remainingTopics($0) } }

    /// Writes documents, see `TopicMapper.write`.
    func write(_ documents: DeviceDocuments, with mapper: TopicMapper, at time: Timestamp, to batch: inout MessageBatch) {
        self.borrow { mapper.write(documents, of: $0, at: time, self.texts, to: &batch) }
    }

    /// The same, as messages by themselves.
    func messages(of documents: DeviceDocuments = .all, with mapper: TopicMapper) -> [OutgoingMessage] {
        self.borrow { mapper.messages(for: $0, documents: documents) }
    }

    /// Calls methods of the state in place. A property of a class that is handed on is copied, unless it is handed on to be changed.
    private func borrow<Result>(_ body: (DeviceState) -> Result) -> Result {
        func call(_ state: inout DeviceState) -> Result { body(state) }
        return call(&self.storedState)
    }

    func setSlug(_ slug: String) { self.storedState.slug = slug }

    /// Applies what users chose for this device.
    /// - Returns: whether anything of it differs from what was chosen before.
    func choose(_ options: DeviceOptions, aliases: [String], area: String?) -> Bool {
        guard self.options != options || self.state.aliases != aliases || self.state.area != area else { return false }
        self.options = options
        self.storedState.aliases = aliases
        self.storedState.area = area
        return true
    }

    // MARK: The link

    /// The session over the present link, while it is ready.
    var session: CastSession? { self.supervisor.assumeIsolated { $0.session } }
    /// Where the device is connected.
    var endpoint: DeviceEndpoint? { self.supervisor.assumeIsolated { $0.endpoint } }
    /// The most that a heartbeat was sent after its time.
    var heartbeatLateness: Duration { self.supervisor.assumeIsolated { $0.heartbeatLateness } }
    func update(endpoints: [DeviceEndpoint]) { self.supervisor.update(endpoints: endpoints) }
    /// Tries at once instead of waiting for the next attempt.
    func wake() { self.supervisor.wake() }
    /// Ends the link; applications keep running.
    func end() { self.supervisor.end() }
}

/// What the log has reported of a device that can't be reached: one line when it begins, one when it is over.
struct Outage {
    /// When the link was lost; `nil` while it stands, and before the first.
    var since: MonotonicTime?
    var hasWarned = false
}
