import NIOCore

/// A token bucket: limits the number of packets per second, with a burst of the same size.
struct PacketBudget {
    private let packetsPerSecond: Int
    private var left: Double
    private var last: NIODeadline

    init(packetsPerSecond: Int, now: NIODeadline) {
        self.packetsPerSecond = packetsPerSecond
        self.left = Double(packetsPerSecond)
        self.last = now
    }

    /// Returns whether one more packet may be accepted now.
    mutating func take(now: NIODeadline) -> Bool {
        let gained = Double((now - self.last).nanoseconds) / 1e9 * Double(self.packetsPerSecond)
        self.left = min(self.left + gained, Double(self.packetsPerSecond))
        self.last = now
        guard self.left >= 1 else { return false }
        self.left -= 1
        return true
    }
}
