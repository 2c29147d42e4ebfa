/// Decides when outcomes of messages are reported. A broker acknowledges messages that arrived together one by one, and each acknowledgement wakes
/// the MQTT thread. Reported one by one, they would wake the owner as often.
///
/// A failure is reported at once. While the owner waits for outcomes, so are the last one that is missing and every eighth; the others wait for these, at
/// most `patience`. Otherwise successes are kept until the owner takes them, because most messages need nothing but their acknowledgement.
struct OutcomeGathering: Sendable {
    /// Longest time that an awaited outcome is kept: far longer than the pauses within a broker's answers, and short for a user.
    static let patience = Duration.milliseconds(5)
    /// So many awaited outcomes are reported at once: less than half of what the bridge has in flight.
    static let enough = 8

    /// Whether the owner waits for outcomes.
    var isAwaited = true
    private var gathered = 0
    private var hasFailure = false
    /// When the first of the gathered outcomes became known.
    private var since: Duration?

    /// When to report what is known; `nil` while nothing is, or while nothing waits for it.
    var deadline: Duration? { self.isAwaited ? self.since.map { $0 + Self.patience } : nil }

    /// An outcome is known; the first of several starts the patience.
    mutating func add(isFailure: Bool, now: Duration) {
        self.gathered += 1
        self.hasFailure = self.hasFailure || isFailure
        if self.since == nil { self.since = now }
    }

    /// Whether to report now what is known.
    /// - Parameter isLast: nothing more is in flight.
    func isDue(isLast: Bool, now: Duration) -> Bool {
        guard let since else { return false }
        return self.hasFailure || self.isAwaited && (isLast || self.gathered >= Self.enough || now >= since + Self.patience)
    }

    mutating func reported() { (self.gathered, self.hasFailure, self.since) = (0, false, nil) }
}
