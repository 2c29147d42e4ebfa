/// Decides when outcomes of messages are reported to the owner of the client. A broker acknowledges messages that arrived together one by
/// one, and each acknowledgement wakes the MQTT thread. Reporting each one separately would wake the owner as often: 4 % of a pause.
///
/// A failure is reported at once, together with all held outcomes. While the owner waits for outcomes, they are also reported when
/// `enough` are held, when no further message is in flight, or `patience` after the first one. While it does not wait, successes are held
/// until the owner takes them or the client's housekeeping reports them.
struct OutcomeGathering: Sendable {
    /// The longest time that an awaited outcome is held: much longer than the pauses within a broker's answers, and short for a user.
    static let patience = Duration.milliseconds(5)
    /// The number of held outcomes at which awaited ones are reported: less than half of the messages that the bridge has in flight.
    static let enough = 8

    /// Whether the owner waits for outcomes.
    var isAwaited = true
    private var gathered = 0
    private var hasFailure = false
    /// The time at which the first of the held outcomes became known; `nil` when none is held.
    private var since: Duration?

    /// The latest time to report the held outcomes; `nil` when there are none, or when the owner does not wait for them.
    var deadline: Duration? { self.isAwaited ? self.since.map { $0 + Self.patience } : nil }

    /// Adds an outcome; the first one starts the waiting time.
    mutating func add(isFailure: Bool, now: Duration) {
        self.gathered += 1
        self.hasFailure = self.hasFailure || isFailure
        if self.since == nil { self.since = now }
    }

    /// Returns whether to report the held outcomes now.
    /// - Parameter isLast: whether no further message is in flight.
    func isDue(isLast: Bool, now: Duration) -> Bool {
        guard let since else { return false }
        return self.hasFailure || self.isAwaited && (isLast || self.gathered >= Self.enough || now >= since + Self.patience)
    }

    mutating func reported() { (self.gathered, self.hasFailure, self.since) = (0, false, nil) }
}
