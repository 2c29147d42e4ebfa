import BridgeCore
import CastModels

/// Decides when each announcement is sent, and in which steps. Does no I/O and owns no timer.
///
/// Home Assistant processes an announcement for a while and skips parts of a second one for the same device that arrives meanwhile. So
/// announcements of one device are seconds apart and changes are collected. Devices follow each other with a pause, after the bridge, which
/// they refer to.
///
/// An announcement has two forms: one message for a device (mode `device`) or one for each of its entities (mode `components`). When the
/// mode has changed, topics of the other form are migrated in steps.
public struct Announcer: Sendable {
    /// The pause between two devices.
    public static let devicePause = Duration.milliseconds(100)
    /// The shortest time between two announcements of one device.
    public static let announcementInterval = Duration.seconds(5)
    /// The time after an announcement at which state that Home Assistant did not accept before is sent again.
    public static let stateDelay = Duration.seconds(2)
    /// The time for which changes of a device are collected.
    public static let collectionTime = Duration.seconds(1)
    /// The time after `linkUp` in which a start of Home Assistant is ignored, because everything is being sent anyway.
    public static let birthIgnoredAfterLinkUp = Duration.seconds(10)

    /// The content of an owner's current announcement.
    public enum Step: Sendable, Hashable {
        /// A message on each topic of the other form announces that its entities will be migrated.
        case migrating(from: [String])
        /// The topics of the other form are cleared before the new form is sent. Once the new form owns the entities, Home Assistant
        /// reports an empty message there as a conflict; before that it accepts one.
        case clearing
        /// The announcement removes entities of the previous one.
        case removing([RemovedEntity])
        /// The announcement without migration or removals.
        case settled
    }

    public enum Action: Sendable, Hashable {
        /// Send the messages of `step(of:)`, and call `sent` when the broker has acknowledged them.
        /// If `isAgain`, send them even if the broker already holds equal ones.
        case announce(DocumentOwner, isAgain: Bool)
        /// Send the `state` document of this device again.
        case repeatState(Device.ID)
        /// Home Assistant has received every announcement that it missed: send all state again.
        case republishState
    }

    private struct Entry {
        var step = Step.settled
        /// The time at which the announcement is due; `nil` when it is not due.
        var due: MonotonicTime?
        var isAgain = false
        /// The step that the broker has not confirmed yet.
        var underway: Step?
        var lastSent: MonotonicTime?
        /// Whether Home Assistant received state that it accepts only after the announcement.
        var isStateMissed = false
        /// The time to send that state again; `nil` when it is not due.
        var stateDue: MonotonicTime?
    }

    private var entries: [DocumentOwner: Entry] = [:]
    /// The time of `linkUp`; `nil` while the link is down.
    private var connected: MonotonicTime?
    /// The earliest time of the next action.
    private var nextTurn = MonotonicTime(nanoseconds: 0)
    /// Whether to send all state again once every announcement that a birth message requires is confirmed.
    private var isAnsweringBirth = false

    public init() {}

    /// Adds the topics of the other form from an earlier run, to be migrated. Call it before `linkUp`.
    public mutating func restore(_ owner: DocumentOwner, migratingFrom topics: [String]) {
        self.entries[owner, default: Entry()].step = .migrating(from: topics)
    }

    /// Returns the step whose messages an owner needs now; see `DiscoveryMapper.messages(of:in:)`.
    public func step(of owner: DocumentOwner) -> Step { self.entries[owner]?.step ?? .settled }

    // MARK: Events

    /// Makes all announcements due. Call it when the retained state has been sent; the announcements on the broker are not known.
    public mutating func linkUp(now: MonotonicTime) {
        self.connected = now
        self.entries[.bridgeDiscovery, default: Entry()].due = now
        for owner in self.entries.keys { self.entries[owner]?.due = now }
    }

    public mutating func linkDown() {
        self.connected = nil
        self.isAnsweringBirth = false
        self.entries = self.entries.mapValues { Entry(step: $0.step, lastSent: $0.lastSent, isStateMissed: $0.isStateMissed) }
    }

    /// Announces an owner for the first time, or with changes.
    /// - Parameters:
    ///   - removed: entities that its previous announcement had and the new one does not.
    ///   - isStateMissed: whether its `state` document has a value that Home Assistant accepts only after the announcement.
    public mutating func changed(
        _ owner: DocumentOwner, removing removed: [RemovedEntity] = [], isStateMissed: Bool = false, now: MonotonicTime
    ) {
        var entry = self.entries[owner] ?? Entry()
        if isStateMissed { entry.isStateMissed = true }
        if !removed.isEmpty {
            switch entry.step {
            case .settled: entry.step = .removing(removed)
            case .removing(let earlier): entry.step = .removing(earlier + removed.filter { !earlier.contains($0) })
            case .migrating, .clearing: break
            }
        }
        if self.connected != nil { entry.due = min(entry.due ?? .init(nanoseconds: .max), now + Self.collectionTime) }
        self.entries[owner] = entry
    }

    /// Removes an owner; the caller clears its topics.
    public mutating func forget(_ owner: DocumentOwner) { self.entries[owner] = nil }

    /// Sends every announcement again.
    public mutating func announceAll(now: MonotonicTime) {
        if self.connected != nil { self.announceAgain(at: now) }
    }

    private mutating func announceAgain(at due: MonotonicTime) {
        for (owner, entry) in self.entries {
            self.entries[owner]?.due = min(entry.due ?? due, due)
            self.entries[owner]?.isAgain = true
        }
    }

    /// Handles the birth message of Home Assistant.
    /// - Parameter random: in `0..<1`; spreads the reactions of many bridges over 1 to 5 seconds.
    public mutating func birth(now: MonotonicTime, random: Double) {
        guard let connected, now >= connected + Self.birthIgnoredAfterLinkUp else { return }
        self.announceAgain(at: now + .seconds(1) + .milliseconds(Int64(random * 4000)))
        self.isAnsweringBirth = true
    }

    /// Handles the broker's confirmation of an announcement; the next step may follow.
    public mutating func sent(_ owner: DocumentOwner, now: MonotonicTime) {
        guard var entry = self.entries[owner], let sent = entry.underway else { return }
        entry.underway = nil
        entry.lastSent = now
        // Whether its messages had the current entities, and whether another step follows.
        var (hadEntities, isFollowed) = (true, true)
        switch (sent, entry.step) {
        case (.migrating, _): (entry.step, hadEntities) = (.clearing, false)
        case (.clearing, _): (entry.step, hadEntities) = (.settled, false)
        case (.removing(let cleared), .removing(let all)):
            // More entities may have been removed since this was sent.
            let rest = all.filter { !cleared.contains($0) }
            entry.step = rest.isEmpty ? .settled : .removing(rest)
        case (.settled, _), (.removing, _): isFollowed = false
        }
        if entry.isStateMissed, hadEntities {
            entry.stateDue = now + Self.stateDelay
            // A newer value may wait for the next announcement.
            entry.isStateMissed = entry.due != nil
        }
        if isFollowed { entry.due = entry.due ?? now }
        self.entries[owner] = entry
    }

    /// Handles an announcement that could not be formed yet and was not sent. Its step is kept.
    public mutating func postponed(_ owner: DocumentOwner) { self.entries[owner]?.underway = nil }

    // MARK: Actions

    /// The time to call `next`; `nil` when nothing is due.
    public var deadline: MonotonicTime? {
        guard self.connected != nil else { return nil }
        if self.isAnsweringBirth, !self.isRepeating { return self.nextTurn }
        guard let earliest = self.entries.values.flatMap({ [self.readyTime($0), $0.stateDue] }).compactMap({ $0 }).min() else { return nil }
        return max(earliest, self.nextTurn)
    }

    /// Returns the next action, at most one per turn; `nil` when nothing is due.
    public mutating func next(now: MonotonicTime) -> Action? {
        guard let deadline, deadline <= now else { return nil }
        if self.isAnsweringBirth, !self.isRepeating {
            self.isAnsweringBirth = false
            return .republishState
        }
        if let missed = self.entries.filter({ $0.value.stateDue.map { $0 <= now } ?? false }).keys.min(), let id = missed.device {
            self.entries[missed]?.stateDue = nil
            self.nextTurn = now + Self.devicePause
            return .repeatState(id)
        }
        let ready = self.entries.filter { self.readyTime($0.value).map { $0 <= now } ?? false }
        guard let (owner, entry) = ready.min(by: { $0.key < $1.key }) else { return nil }
        self.entries[owner]?.due = nil
        self.entries[owner]?.isAgain = false
        self.entries[owner]?.underway = entry.step
        self.nextTurn = now + Self.devicePause
        return .announce(owner, isAgain: entry.isAgain)
    }

    /// Whether an announcement is to be repeated, or waits for the broker's confirmation.
    private var isRepeating: Bool { self.entries.values.contains { $0.isAgain || $0.underway != nil } }

    private func readyTime(_ entry: Entry) -> MonotonicTime? {
        guard let due = entry.due, entry.underway == nil else { return nil }
        guard let last = entry.lastSent else { return due }
        return max(due, last + Self.announcementInterval)
    }
}
