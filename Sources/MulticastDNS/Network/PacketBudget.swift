import NIOCore

/// A token bucket: so many packets a second, as many at once.
struct PacketBudget {
    private let packetsPerSecond: Int
    private var left: Double
    private var last: NIODeadline

    init(packetsPerSecond: Int, now: NIODeadline) {
        self.packetsPerSecond = packetsPerSecond
        self.left = Double(packetsPerSecond)
        self.last = now
    }

    /// Whether one more packet may be taken now.
    mutating func take(now: NIODeadline) -> Bool {
        let gained = Double((now - self.last).nanoseconds) / 1e9 * Double(self.packetsPerSecond)
        self.left = min(self.left + gained, Double(self.packetsPerSecond))
        self.last = now
        guard self.left >= 1 else { return false }
        self.left -= 1
        return true
    }
}
