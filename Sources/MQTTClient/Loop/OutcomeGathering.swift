/// Decides when outcomes of messages are reported. A broker acknowledges messages that arrived together one by one, and each acknowledgement wakes
/// the MQTT thread. Reported one by one, they would wake the owner as often.
///
/// Reported at once: a failure, the last outcome that is missing, and every eighth. Other outcomes wait for these, at most `patience`.
struct OutcomeGathering: Sendable {
    /// Longest time that an outcome waits: far longer than the pauses within a broker's answers, and short for a user.
    static let patience = Duration.milliseconds(5)
    /// So many outcomes are reported at once: less than half of what the bridge has in flight.
    static let enough = 8

    private var gathered = 0
    private var hasFailure = false
    /// When to report what is known; `nil` while nothing is.
    private(set) var deadline: Duration?

    /// An outcome is known; the first of several starts the patience.
    mutating func add(isFailure: Bool, now: Duration) {
        self.gathered += 1
        self.hasFailure = self.hasFailure || isFailure
        if self.deadline == nil { self.deadline = now + Self.patience }
    }

    /// Whether to report now what is known.
    /// - Parameter isLast: nothing more is in flight.
    func isDue(isLast: Bool, now: Duration) -> Bool {
        guard let deadline else { return false }
        return self.hasFailure || isLast || self.gathered >= Self.enough || now >= deadline
    }

    mutating func reported() { self = Self() }
}
