import NIOCore

/// Decides when a continuous query is repeated: after 20 to 120 ms, then after 1 s, 2 s, 4 s … at most an hour (RFC 6762 section 5.2).
struct QueryBackoff {
    private(set) var next: NIODeadline
    private var interval: TimeAmount
    private(set) var sent = 0

    static let firstDelayMilliseconds = 20.0...120.0
    static let longestInterval = TimeAmount.minutes(60)

    /// - Parameter firstDelay: 20 to 120 ms for a first query, less if an answer of another host caused it.
    init(now: NIODeadline, firstDelay: TimeAmount) {
        self.next = now + firstDelay
        self.interval = .seconds(1)
    }

    /// Returns whether a query is due, and schedules the next one.
    mutating func fire(now: NIODeadline) -> Bool {
        guard self.next <= now else { return false }
        self.sent += 1
        self.next = now + self.interval
        self.interval = min(self.interval * 2, Self.longestInterval)
        return true
    }
}
