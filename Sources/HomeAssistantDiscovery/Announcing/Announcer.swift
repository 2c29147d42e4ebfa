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
    public static let subjectPause = Duration.milliseconds(100)
    /// The shortest time between two announcements of one device.
    public static let announcementInterval = Duration.seconds(5)
    /// The time after an announcement at which state that Home Assistant did not accept before is sent again.
    public static let stateDelay = Duration.seconds(2)
    /// The time for which changes of a device are collected.
    public static let collectionTime = Duration.seconds(1)
    /// The time after `linkUp` in which a start of Home Assistant is ignored, because everything is being sent anyway.
    public static let birthIgnoredAfterLinkUp = Duration.seconds(10)

    /// The subject of an announcement. The bridge precedes its devices, which are sorted by id.
    public enum Subject: Sendable, Hashable, Comparable {
        case bridge
        case device(Device.ID)
    }

    /// The content of a subject's current announcement.
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

        /// Whether the messages of this step contain the subject's current entities.
        fileprivate var hasEntities: Bool {
            switch self {
            case .removing, .settled: true
            case .migrating, .clearing: false
            }
        }
    }

    public enum Action: Sendable, Hashable {
        /// Send the messages of `step(of:)`, and call `sent` when the broker has acknowledged them.
        /// If `isAgain`, send them even if the broker already holds equal ones.
        case announce(Subject, isAgain: Bool)
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

    private var entries: [Subject: Entry] = [:]
    /// The time of `linkUp`; `nil` while the link is down.
    private var connected: MonotonicTime?
    /// The earliest time of the next action.
    private var nextTurn = MonotonicTime(nanoseconds: 0)
    /// Whether to send all state again once every announcement that a birth message requires is confirmed.
    private var isAnsweringBirth = false

    public init() {}

    /// Adds the topics of the other form from an earlier run, to be migrated. Call it before `linkUp`.
    public mutating func restore(_ subject: Subject, migratingFrom topics: [String]) {
        self.entries[subject, default: Entry()].step = topics.isEmpty ? .settled : .migrating(from: topics.sorted())
    }

    /// Returns the step whose messages a subject needs now; see `DiscoveryMapper.messages(of:in:)`.
    public func step(of subject: Subject) -> Step { self.entries[subject]?.step ?? .settled }

    // MARK: Events

    /// Makes all announcements due. Call it when the retained state has been sent; the announcements on the broker are not known.
    public mutating func linkUp(now: MonotonicTime) {
        self.connected = now
        self.entries[.bridge, default: Entry()].due = now
        for subject in self.entries.keys { self.entries[subject]?.due = now }
    }

    public mutating func linkDown() {
        self.connected = nil
        self.isAnsweringBirth = false
        self.entries = self.entries.mapValues { entry in
            var entry = entry
            (entry.due, entry.underway, entry.isAgain, entry.stateDue) = (nil, nil, false, nil)
            return entry
        }
    }

    /// Announces a subject for the first time, or with changes.
    /// - Parameters:
    ///   - removed: entities that its previous announcement had and the new one does not.
    ///   - isStateMissed: whether its `state` document has a value that Home Assistant accepts only after the announcement.
    public mutating func changed(
        _ subject: Subject, removing removed: [RemovedEntity] = [], isStateMissed: Bool = false, now: MonotonicTime
    ) {
        var entry = self.entries[subject] ?? Entry()
        if isStateMissed { entry.isStateMissed = true }
        if !removed.isEmpty {
            switch entry.step {
            case .settled: entry.step = .removing(removed)
            case .removing(let earlier): entry.step = .removing(earlier + removed.filter { !earlier.contains($0) })
            case .migrating, .clearing: break
            }
        }
        if self.connected != nil { entry.due = min(entry.due ?? .init(nanoseconds: .max), now + Self.collectionTime) }
        self.entries[subject] = entry
    }

    /// Removes a subject; the caller clears its topics.
    public mutating func forget(_ subject: Subject) { self.entries[subject] = nil }

    /// Sends every announcement again.
    public mutating func announceAll(now: MonotonicTime) {
        if self.connected != nil { self.announceAgain(at: now) }
    }

    private mutating func announceAgain(at due: MonotonicTime) {
        for (subject, entry) in self.entries {
            self.entries[subject]?.due = min(entry.due ?? due, due)
            self.entries[subject]?.isAgain = true
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
    public mutating func sent(_ subject: Subject, now: MonotonicTime) {
        guard var entry = self.entries[subject], let sent = entry.underway else { return }
        entry.underway = nil
        entry.lastSent = now
        var isFollowed = true
        switch (sent, entry.step) {
        case (.migrating, _): entry.step = .clearing
        case (.clearing, _): entry.step = .settled
        case (.removing(let cleared), .removing(let all)):
            // More entities may have been removed since this was sent.
            let rest = all.filter { !cleared.contains($0) }
            entry.step = rest.isEmpty ? .settled : .removing(rest)
        case (.settled, _), (.removing, _): isFollowed = false
        }
        if entry.isStateMissed, sent.hasEntities {
            entry.stateDue = now + Self.stateDelay
            // A newer value may wait for the next announcement.
            entry.isStateMissed = entry.due != nil
        }
        if isFollowed { entry.due = entry.due ?? now }
        self.entries[subject] = entry
    }

    /// Handles an announcement that could not be formed yet and was not sent. Its step is kept.
    public mutating func postponed(_ subject: Subject) { self.entries[subject]?.underway = nil }

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
        if let missed = self.entries.filter({ $0.value.stateDue.map { $0 <= now } ?? false }).keys.min(), case .device(let id) = missed {
            self.entries[missed]?.stateDue = nil
            self.nextTurn = now + Self.subjectPause
            return .repeatState(id)
        }
        let ready = self.entries.filter { self.readyTime($0.value).map { $0 <= now } ?? false }.keys
        guard let subject = ready.min() else { return nil }
        let isAgain = self.entries[subject]?.isAgain ?? false
        self.entries[subject]?.due = nil
        self.entries[subject]?.isAgain = false
        let step = self.step(of: subject)
        self.entries[subject]?.underway = step
        self.nextTurn = now + Self.subjectPause
        return .announce(subject, isAgain: isAgain)
    }

    /// Whether an announcement is to be repeated, or waits for the broker's confirmation.
    private var isRepeating: Bool { self.entries.values.contains { $0.isAgain || $0.underway != nil } }

    private func readyTime(_ entry: Entry) -> MonotonicTime? {
        guard let due = entry.due, entry.underway == nil else { return nil }
        guard let last = entry.lastSent else { return due }
        return max(due, last + Self.announcementInterval)
    }
}
