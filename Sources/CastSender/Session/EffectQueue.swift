/// The effects of a session that wait for those before them, and the events that wait for all effects. Does nothing itself.
///
/// Effects of one input run to completion before those of the next one, and no event is reported in between: what the receiver of an event
/// asks for is a later input.
struct EffectQueue {
    private var effects: [SessionStateMachine.Effect] = []
    /// The next element of `effects`.
    private var position = 0
    private var isPerforming = false
    private var events: [CastLinkEvent] = []
    private var isReporting = false
    /// Whether `ready` was added.
    private(set) var isReady = false
    /// Whether `disconnected` was added.
    private var isOver = false

    /// Adds effects.
    ///
    /// - Returns: whether the caller performs them; otherwise they wait, because effects are being performed already.
    mutating func begins(_ effects: [SessionStateMachine.Effect]) -> Bool {
        guard self.isPerforming else {
            (self.effects, self.position, self.isPerforming) = (effects, 0, true)
            return true
        }
        self.effects += effects
        return false
    }

    mutating func next() -> SessionStateMachine.Effect? {
        guard self.position < self.effects.count else { return nil }
        defer { self.position += 1 }
        return self.effects[self.position]
    }

    /// Ends the work of the caller that `begins` asked to perform.
    ///
    /// - Returns: `false` when effects were added meanwhile.
    mutating func ends() -> Bool {
        guard self.position == self.effects.count else { return false }
        (self.effects, self.position, self.isPerforming) = ([], 0, false)
        return true
    }

    /// Adds an event; does nothing after `disconnected`.
    mutating func add(_ event: CastLinkEvent) {
        guard !self.isOver else { return }
        switch event {
        case .ready: self.isReady = true
        case .disconnected: self.isOver = true
        default: break
        }
        self.events.append(event)
    }

    /// Returns the next event to report; `nil` while effects or another report are under way. `eventDelivered` follows each.
    mutating func nextEvent() -> CastLinkEvent? {
        guard !self.isPerforming, !self.isReporting, !self.events.isEmpty else { return nil }
        self.isReporting = true
        return self.events.removeFirst()
    }

    /// Another link begins.
    mutating func reopened() { (self.isReady, self.isOver) = (false, false) }

    mutating func eventDelivered() { self.isReporting = false }
}
