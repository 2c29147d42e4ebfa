import CastModels

/// Decides what goes to the broker when. Does no I/O and owns no timer.
///
/// After each event its owner asks `next` for actions until there is none. Documents are conflated: only that an owner's state changed is
/// kept, and they are formed when there is room to send them. Answers and events have bounded queues of their own. While the link is down
/// nothing is kept but what changed.
package struct Publisher: Sendable {
    let limits: Limits
    let onlineMessage: OutgoingMessage
    let offlineMessage: OutgoingMessage
    var link = LinkLimits()
    var phase = Phase.down
    var published = PublishedState()
    var dirty = DirtyOwners()
    var waiting: WaitingMessages
    /// Topics to clear beside the owners' documents, last first.
    var clearings: [Clearing] = []
    /// Oldest first; fewer than `Limits.unacknowledged`.
    var inFlight: [InFlight] = []
    var notices: [Action] = []
    var nextToken: UInt64 = 1
    /// The owner whose documents are being sent.
    var current: Sending?
    var forming: (owner: DocumentOwner, documents: DeviceDocuments)?
    var awaitingRecord: [DocumentOwner: Set<String>] = [:]
    var postponed = PostponedOwners()
    var refused = RefusedDocuments()
    var stateRetry = StateRetry()
    var refusedTopics: Set<String> = []
    /// Whether `staleCleared` is to be reported once `clearings` are done.
    var isClearingWatched = false
    /// What of that the broker refused so far.
    var refusedClearings: Set<String> = []
    /// Owners whose next rest somebody waits for.
    var watched: Set<DocumentOwner> = []

    /// - Parameter bridgeState: the topic of the bridge's `online` and `offline`.
    package init(bridgeState: String, limits: Limits = Limits()) {
        self.limits = limits
        self.waiting = WaitingMessages(limits: limits)
        let message = { (text: String) in
            OutgoingMessage(topic: bridgeState, payload: Array(text.utf8), qos: 1, retain: true, content: .text)
        }
        self.onlineMessage = message("online")
        self.offlineMessage = message("offline")
        self.dirty.mark(.bridge)
    }

    /// Takes in the topics the record names for an owner, before its first document.
    package mutating func restore(_ topics: Set<String>, for owner: DocumentOwner) {
        self.published.record(topics, for: owner)
        self.dirty.mark(owner)
    }

    /// Something in these documents of the owner may have changed; the others are as they were formed last. The bridge's go together.
    package mutating func changed(_ owner: DocumentOwner, _ documents: DeviceDocuments = .all) { self.dirty.mark(owner, documents) }

    /// Sends all documents of the owner that differ and tells with `settled` once the broker has answered for each of them.
    package mutating func settle(_ owner: DocumentOwner) {
        self.dirty.mark(owner)
        self.watched.insert(owner)
    }

    /// The same, for all documents of the owner, also those that do not differ.
    package mutating func settleAnew(_ owner: DocumentOwner) {
        self.published.forgetValues(of: owner)
        if self.current?.owner == owner { self.current = nil }
        self.settle(owner)
    }

    /// Whether a document of this run is on the broker at this topic, or on its way there.
    package func holds(_ topic: String) -> Bool { topic == self.onlineMessage.topic || self.published.holds(topic) }

    /// Every topic of the owner that the record has to name.
    package func record(of owner: DocumentOwner) -> Set<String> {
        // What is about to be written is still to be used.
        self.published.recorded(owner).union(self.awaitingRecord[owner] ?? [])
    }

    /// Waiting and unacknowledged messages, without what was only marked as changed.
    package var backlog: Int { self.waiting.count + self.inFlight.count }

    /// Whether the broker has the full retained state and `online`.
    package var isOnline: Bool { self.phase == .online }

    /// Whether anything depends on the outcomes of messages under way: the first round, the end of a round or of a clearing, or room for what is
    /// not sent yet.
    package var awaitsOutcomes: Bool {
        guard case .online = self.phase, self.watched.isEmpty, !self.isClearingWatched, self.clearings.isEmpty, self.current == nil,
            self.dirty.isEmpty, self.waiting.count == 0
        else { return true }
        return self.inFlight.contains { if case .document(_, isClearing: true) = $0.kind { true } else { false } }
    }

    /// What was dropped since the start.
    package var counts: Counts { self.waiting.counts }

    /// When `wake` wants to be called, if at all.
    package var nextWake: MonotonicTime? {
        MonotonicTime.earlier(self.postponed.nextTurn, MonotonicTime.earlier(self.refused.nextTurn, self.stateRetry.nextTurn))
    }
}
