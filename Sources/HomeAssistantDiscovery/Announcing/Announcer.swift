import BridgeCore
import CastModels

/// Decides when each announcement goes out, and in which steps. Does no I/O and owns no timer.
///
/// Home Assistant works on an announcement for a while, and of a second one for the same device that comes meanwhile it skips parts. So there
/// are seconds between two of one device; changes are gathered; and devices follow each other with a pause, the bridge first, to which they point.
package struct Announcer: Sendable {
    /// Between two devices.
    package static let betweenSubjects = Duration.milliseconds(100)
    /// Between two announcements of one device.
    package static let betweenAnnouncements = Duration.seconds(5)
    /// How long Home Assistant gets to apply an announcement before the state that it did not accept is sent again.
    package static let beforeState = Duration.seconds(2)
    /// How long changes of a device are gathered.
    package static let gathering = Duration.seconds(1)
    /// A start of Home Assistant this soon after our own connect needs nothing: all is being sent anyway.
    package static let afterConnect = Duration.seconds(10)

    /// Who is announced. The bridge goes before its devices, and these in the order of their ids.
    package enum Subject: Sendable, Hashable, Comparable {
        case bridge
        case device(Device.ID)
    }

    /// What a subject's announcement consists of for now.
    package enum Step: Sendable, Hashable {
        /// The topics of the other form say that their entities will be handed over.
        case migrating(from: [String])
        /// Those topics are cleared, before the new form comes: Home Assistant reports an empty message as a conflict once the new form owns
        /// the entities, and has nothing to say to it before.
        case clearing
        /// The announcement takes back what the one before it had.
        case removing([RemovedEntity])
        /// The announcement alone.
        case settled

        /// Whether the messages of this step announce the subject's entities as they are.
        fileprivate var hasEntities: Bool {
            switch self {
            case .removing, .settled: true
            case .migrating, .clearing: false
            }
        }
    }

    package enum Action: Sendable, Hashable {
        /// Send what `step(of:)` says, and call `sent` when the broker has it.
        /// - Parameter isAgain: whether it goes out even if the broker holds the same already.
        case announce(Subject, isAgain: Bool)
        /// Send the `state` document of this device again.
        case repeatState(Device.ID)
        /// Home Assistant has every announcement that it missed: send all state again.
        case republishState
    }

    private struct Entry {
        var step = Step.settled
        /// When it may go out; `nil` when nothing is due.
        var due: MonotonicTime?
        var isAgain = false
        /// What the broker has not confirmed yet.
        var underway: Step?
        var lastSent: MonotonicTime?
        /// Whether Home Assistant received state that only the announcement makes acceptable.
        var isStateMissed = false
        /// When that state is due again; `nil` when it is not.
        var stateDue: MonotonicTime?
    }

    private var entries: [Subject: Entry] = [:]
    /// When our own link came up; `nil` while it is down.
    private var connected: MonotonicTime?
    /// When the next subject may follow.
    private var nextTurn = MonotonicTime(nanoseconds: 0)
    /// Whether the state follows when nothing is due again any more.
    private var isAnsweringBirth = false

    package init() {}

    /// What an earlier run left in the other form, to be migrated. Before `linkUp`.
    package mutating func restore(_ subject: Subject, migratingFrom topics: [String]) {
        self.entries[subject, default: Entry()].step = topics.isEmpty ? .settled : .migrating(from: topics.sorted())
    }

    /// What to form for a subject now.
    package func step(of subject: Subject) -> Step { self.entries[subject]?.step ?? .settled }

    // MARK: What happens

    /// The retained state is complete; nothing is known of the announcements that the broker holds.
    package mutating func linkUp(now: MonotonicTime) {
        self.connected = now
        self.entries[.bridge, default: Entry()].due = now
        for subject in self.entries.keys { self.entries[subject]?.due = now }
    }

    package mutating func linkDown() {
        self.connected = nil
        self.isAnsweringBirth = false
        for subject in self.entries.keys {
            self.entries[subject]?.due = nil
            self.entries[subject]?.underway = nil
            self.entries[subject]?.isAgain = false
            self.entries[subject]?.stateDue = nil
        }
    }

    /// A subject is to be announced, or differently from now on.
    /// - Parameters:
    ///   - removed: entities that it had and has no more.
    ///   - isStateMissed: whether its `state` document has a value that Home Assistant accepts after the announcement only.
    package mutating func changed(
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
        if self.connected != nil { entry.due = min(entry.due ?? .init(nanoseconds: .max), now + Self.gathering) }
        self.entries[subject] = entry
    }

    /// The subject is gone; its topics are cleared by others.
    package mutating func forget(_ subject: Subject) { self.entries[subject] = nil }

    /// Somebody wants every announcement again.
    package mutating func announceAll(now: MonotonicTime) {
        guard self.connected != nil else { return }
        for (subject, entry) in self.entries {
            self.entries[subject]?.due = min(entry.due ?? now, now)
            self.entries[subject]?.isAgain = true
        }
    }

    /// Home Assistant says that it started.
    /// - Parameter random: in `0..<1`; spreads the answers of many bridges over 1 to 5 seconds.
    package mutating func birth(now: MonotonicTime, random: Double) {
        guard let connected, now >= connected + Self.afterConnect else { return }
        let due = now + .seconds(1) + .milliseconds(Int64(random * 4000))
        for (subject, entry) in self.entries {
            self.entries[subject]?.due = min(entry.due ?? due, due)
            self.entries[subject]?.isAgain = true
        }
        self.isAnsweringBirth = true
    }

    /// The broker confirmed the announcement, so the next step may follow.
    package mutating func sent(_ subject: Subject, now: MonotonicTime) {
        guard var entry = self.entries[subject], let sent = entry.underway else { return }
        entry.underway = nil
        entry.lastSent = now
        var isFollowed = true
        switch (sent, entry.step) {
        case (.migrating, _): entry.step = .clearing
        case (.clearing, _): entry.step = .settled
        case (.removing(let gone), .removing(let all)):
            // More may have gone while this was on its way.
            let rest = all.filter { !gone.contains($0) }
            entry.step = rest.isEmpty ? .settled : .removing(rest)
        case (.settled, _), (.removing, _): isFollowed = false
        }
        if entry.isStateMissed, sent.hasEntities {
            entry.stateDue = now + Self.beforeState
            // A newer value may wait for the next announcement.
            entry.isStateMissed = entry.due != nil
        }
        if isFollowed { entry.due = entry.due ?? now }
        self.entries[subject] = entry
    }

    /// Nothing could be formed for the subject yet, so nothing went out: the step stays.
    package mutating func postponed(_ subject: Subject) { self.entries[subject]?.underway = nil }

    // MARK: What to do

    /// When to call `next`, if at all.
    package var deadline: MonotonicTime? {
        guard self.connected != nil else { return nil }
        if self.isAnsweringBirth, !self.isAnyAgain { return self.nextTurn }
        guard let earliest = self.entries.values.flatMap({ [self.readyTime($0), $0.stateDue] }).compactMap({ $0 }).min() else { return nil }
        return max(earliest, self.nextTurn)
    }

    /// The next thing to do, or nothing for now. At most one a turn.
    package mutating func next(now: MonotonicTime) -> Action? {
        guard let deadline, deadline <= now else { return nil }
        if self.isAnsweringBirth, !self.isAnyAgain {
            self.isAnsweringBirth = false
            return .republishState
        }
        if let missed = self.entries.filter({ $0.value.stateDue.map { $0 <= now } ?? false }).keys.min(), case .device(let id) = missed {
            self.entries[missed]?.stateDue = nil
            self.nextTurn = now + Self.betweenSubjects
            return .repeatState(id)
        }
        let ready = self.entries.filter { self.readyTime($0.value).map { $0 <= now } ?? false }.keys
        guard let subject = ready.min() else { return nil }
        let isAgain = self.entries[subject]?.isAgain ?? false
        self.entries[subject]?.due = nil
        self.entries[subject]?.isAgain = false
        let step = self.step(of: subject)
        self.entries[subject]?.underway = step
        self.nextTurn = now + Self.betweenSubjects
        return .announce(subject, isAgain: isAgain)
    }

    private var isAnyAgain: Bool { self.entries.values.contains { $0.isAgain || $0.underway != nil } }

    private func readyTime(_ entry: Entry) -> MonotonicTime? {
        guard let due = entry.due, entry.underway == nil else { return nil }
        guard let last = entry.lastSent else { return due }
        return max(due, last + Self.betweenAnnouncements)
    }
}
