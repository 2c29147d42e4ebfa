import BridgeCore

/// Decides whose password is compared next, because each comparison takes long. Does no I/O.
///
/// The client with the fewest wrong passwords comes first, and when there is no room, the one with the most gives way. So clients that guess
/// delay each other. Among clients with equally many, the newest and the oldest check take turns, so that a crowd of first guesses delays neither
/// those who came before it nor those who come after it.
struct PasswordQueue {
    struct Check: Sendable {
        let password: String
        let client: NetworkAddress
        let answer: @Sendable (PasswordCheck.Outcome) -> Void
    }

    /// The most checks that wait, of all clients and of one.
    static let (maximumCount, maximumPerClient) = (64, 8)

    /// Oldest first.
    private var checks: [Check] = []
    private var isTurnOfNewest = false

    /// - Parameter failures: returns how often a client failed lately.
    /// - Returns: the check that has no place, which may be the new one; `nil` when there is room for all.
    mutating func add(_ check: Check, failures: (NetworkAddress) -> Int) -> Check? {
        let counts = Dictionary(grouping: self.checks, by: \.client.household).mapValues(\.count)
        guard counts[check.client.household, default: 0] < Self.maximumPerClient else { return check }
        self.checks.append(check)
        guard self.checks.count > Self.maximumCount else { return nil }
        func rank(_ check: Check) -> (Int, Int) { (failures(check.client), counts[check.client.household, default: 0]) }
        let last = self.checks.indices.reversed().max { rank(self.checks[$0]) < rank(self.checks[$1]) }
        return last.map { self.checks.remove(at: $0) }
    }

    /// Takes the check that is carried out next; `nil` when none waits.
    mutating func next(failures: (NetworkAddress) -> Int) -> Check? {
        self.isTurnOfNewest.toggle()
        let fewest = self.checks.map { failures($0.client) }.min()
        let first = self.checks.indices.filter { failures(self.checks[$0].client) == fewest }
        return (self.isTurnOfNewest ? first.last : first.first).map { self.checks.remove(at: $0) }
    }
}
