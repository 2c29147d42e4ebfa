import BridgeCore

/// Slows down password guessing: after five failures within a minute an address must wait, twice as long after each further one.
struct LoginThrottle {
    private struct Entry {
        var failures = 0
        var last = Duration.zero
        var blockedUntil = Duration.zero
    }

    /// The most addresses with failures. A further one replaces the one whose last failure is the oldest.
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

    /// Returns how often the address failed lately.
    func failures(of client: NetworkAddress, now: Duration) -> Int {
        self.entries[client.household].map { now - $0.last > Self.maximumDelay ? 0 : $0.failures } ?? 0
    }

    mutating func failed(_ address: NetworkAddress, now: Duration) {
        let key = address.household
        var entry = self.entries[key] ?? Entry()
        // After its wait an address starts from scratch; until then failures add up.
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
