/// Decides when outcomes of messages are told. Brokers acknowledge messages that came together one by one, a wake-up of this thread each;
/// told one by one, they would wake the owner as often, who can only go on when room has become free.
///
/// Told at once: what failed, the last one that is missing, and every eighth. The rest waits for these, at most `patience`.
struct OutcomeGathering: Sendable {
    /// Longest time that an outcome is kept. Shorter than anybody notices; far longer than the pauses within a broker's answers.
    static let patience = Duration.milliseconds(5)
    /// Outcomes that are always told, less than half of what an owner has under way.
    static let enough = 8

    private var gathered = 0
    private var hasFailure = false
    /// When to tell what there is.
    private(set) var deadline: Duration?

    /// An outcome is known; the first of several starts the patience.
    mutating func add(isFailure: Bool, now: Duration) {
        self.gathered += 1
        self.hasFailure = self.hasFailure || isFailure
        if self.deadline == nil { self.deadline = now + Self.patience }
    }

    /// Whether to tell now what was gathered.
    /// - Parameter isLast: nothing more is under way.
    func isDue(isLast: Bool, now: Duration) -> Bool {
        guard let deadline else { return false }
        return self.hasFailure || isLast || self.gathered >= Self.enough || now >= deadline
    }

    mutating func told() { self = Self() }
}
