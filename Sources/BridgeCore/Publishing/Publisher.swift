import CastModels

/// Decides which messages are sent to the broker and when. Does no I/O and owns no timer.
///
/// After each event its owner calls `next` for actions until there is none. Documents are conflated: only the fact that an owner's state
/// changed is kept, and they are formed when there is room to send them. Answers and events have separate bounded queues. While the link is
/// down, only the changes are kept.
///
/// ```
///            linkUp               SUBACK            all documents acknowledged            PUBACK of online
///   down ──────────► subscribing ───────► filling ─────────────────────────► announcing ────────────────► online
///    ▲                    │                  │                                   │                          │
///    └────────────────────┴──────────────────┴──── linkDown ─────────────────────┴──────────────────────────┘
///
///   leave, from any of them ──► leaving (answers, events, then offline) ──► left
/// ```
///
/// - **Callers.** `PublisherRunner` owns it, reports every event to it and performs its actions. No other code calls it.
/// - **Thread.** A value without a thread of its own; the runner is on the bridge's event loop.
/// - **Invariants.** `PublishedState` is the only record of what the broker has, and it begins empty with each link. A topic is recorded
///   before it is first published. An acknowledgement counts only with the token of its message. Documents leave two places of the window free for
///   answers and events, if it has more than two.
///
/// Where to look next: `Publisher+Next` for the order of the work, `Publisher+Link` for the phases, `PublishedState` for the comparison.
///
/// Not copyable: a copy would retain all its tables, and its owner reads it several times for each status.
public struct Publisher: ~Copyable, Sendable {
    var window: MessageWindow
    var state: StateMessages
    var phase = Phase.down
    var hasBeenOnline = false
    var fullRound = FullRound()
    var published = PublishedState()
    var dirty = DirtyOwners()
    var waiting: WaitingMessages
    var clearings = TopicClearings()
    var notices: [Action] = []
    var round = DocumentRound()
    var awaitingRecord: [DocumentOwner: Set<String>] = [:]
    var postponed = PostponedOwners()
    var refused = RefusedTopics()
    /// The owners for which `settled` was requested.
    var watched: Set<DocumentOwner> = []

    /// - Parameter bridgeState: the topic of the bridge's `online` and `offline`.
    public init(bridgeState: String, limits: Limits = Limits()) {
        let lessons = CutLessons(base: String(bridgeState.dropLast("bridge/state".utf8.count)))
        self.window = MessageWindow(limit: limits.unacknowledged, lessons: lessons)
        self.waiting = WaitingMessages(limits: limits)
        self.state = StateMessages(topic: bridgeState)
        self.dirty.mark(.bridge)
    }

    /// Adds the recorded topics of an owner, before its first document.
    public mutating func restore(_ topics: Set<String>, for owner: DocumentOwner) {
        self.published.record(topics, for: owner)
        self.dirty.mark(owner)
    }

    /// Marks these documents of the owner as changed; the others are as they were last formed. The bridge's documents are always formed
    /// together.
    public mutating func changed(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) { self.dirty.mark(owner, documents) }

    /// Sends all documents of the owner that differ, and reports `settled` when the broker has answered for each of them.
    public mutating func settle(_ owner: DocumentOwner) {
        self.dirty.mark(owner)
        self.watched.insert(owner)
    }

    /// Like `settle`, for all documents of the owner, also those that do not differ.
    public mutating func settleAgain(_ owner: DocumentOwner) {
        self.published.forgetValues(of: owner)
        if self.round.owner == owner { self.round.stopSending() }
        self.settle(owner)
    }

    /// Returns whether a document of this run is on the broker at this topic, or in flight to it.
    public func holds(_ topic: String) -> Bool { topic == self.state.online.topic || self.published.holds(topic) }

    /// The number of messages that may be sent in a quarter of a second; `nil` for no limit.
    public var burst: Int? { self.window.lessons.pace.map { $0 / 4 } }

    /// Returns whether nothing may be sent to the topic, because it ended a link; `refused` is then its outcome.
    public func isHeldBack(_ topic: String) -> Bool { self.window.lessons.limit(of: topic) == 0 }

    /// The topics that the broker should retain; empty until everything is published.
    public var retained: [String] { self.phase == .online ? self.published.retained + [self.state.online.topic] : [] }

    /// Sends the messages of these topics again, because the broker has lost them.
    public mutating func vanished(_ topics: Set<String>, now: MonotonicTime) {
        if topics.contains(self.state.online.topic) { _ = self.received(self.state.online.topic, [], now: now) }
        for owner in self.published.vanished(topics) { self.dirty.mark(owner) }
    }

    /// Returns every topic of the owner that the record must contain.
    public func record(of owner: DocumentOwner) -> Set<String> {
        // The topics that are about to be recorded will still be used.
        self.published.recorded(owner).union(self.awaitingRecord[owner] ?? [])
    }

    /// The number of waiting and unacknowledged messages, without documents that are only marked as changed.
    public var backlog: Int { self.waiting.count + self.window.count }

    /// Whether the broker has the full retained state and `online`.
    public var isOnline: Bool { self.phase == .online }

    /// Whether an action depends on outcomes of messages in flight: the first round, the end of a round or of a clearing, or room for
    /// unsent messages.
    public var awaitsOutcomes: Bool {
        guard case .online = self.phase, self.watched.isEmpty, self.clearings.isIdle, !self.round.isSending, self.dirty.isEmpty,
            self.waiting.count == 0
        else { return true }
        return self.window.contains { if case .document(_, isClearing: true) = $0 { true } else { false } }
    }

    /// The numbers of dropped messages since the start.
    public var counts: Counts { self.waiting.counts }

    /// When to call `wake`; `nil` when nothing is due.
    public var nextWake: MonotonicTime? {
        let refusedTurn = MonotonicTime.earlier(self.refused.nextTurn, self.state.nextTurn)
        return MonotonicTime.earlier(MonotonicTime.earlier(self.postponed.nextTurn, self.window.lessons.forgetAt), refusedTurn)
    }
}
