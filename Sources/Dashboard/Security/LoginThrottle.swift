import BridgeCore

/// Slows down who guesses passwords: after five failures within a minute an address waits, twice as long after each further one.
struct LoginThrottle {
    private struct Entry {
        var failures = 0
        var last = Duration.zero
        var blockedUntil = Duration.zero
    }

    /// Of addresses that failed; more push the one that failed longest ago out.
    static let maximumCount = 1024
    static let freeFailures = 5
    static let window = Duration.seconds(60)
    static let firstDelay = Duration.seconds(2)
    static let maximumDelay = Duration.seconds(900)

    private var entries: [NetworkAddress: Entry] = [:]

    /// - Returns: how long the address has to wait; `nil` when it may try now.
    func delay(_ address: NetworkAddress, now: Duration) -> Duration? {
        guard let entry = self.entries[address.household], entry.blockedUntil > now else { return nil }
        return entry.blockedUntil - now
    }

    mutating func failed(_ address: NetworkAddress, now: Duration) {
        let key = address.household
        var entry = self.entries[key] ?? Entry()
        // Who has waited long enough starts again; until then failures add up.
        if now - entry.last > (entry.failures < Self.freeFailures ? Self.window : Self.maximumDelay) { entry = Entry() }
        entry.failures += 1
        entry.last = now
        if entry.failures >= Self.freeFailures {
            let doublings = min(entry.failures - Self.freeFailures, 16)
            entry.blockedUntil = now + min(Self.firstDelay * (1 << doublings), Self.maximumDelay)
        }
        if self.entries[key] == nil, self.entries.count >= Self.maximumCount,
            let oldest = self.entries.min(by: { $0.value.last < $1.value.last })
        {
            self.entries[oldest.key] = nil
        }
        self.entries[key] = entry
    }

    mutating func succeeded(_ address: NetworkAddress) { self.entries[address.household] = nil }
}
