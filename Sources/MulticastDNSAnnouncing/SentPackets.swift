import NIOCore

/// Remembers the packets that we have just multicast. The network returns them to us, and an old record of ours must not look like a
/// rival's.
struct SentPackets {
    static let memory = TimeAmount.seconds(2)
    static let maximumCount = 4096

    private var times: [Int: NIODeadline] = [:]

    var count: Int { self.times.count }

    mutating func insert(_ packet: [UInt8], now: NIODeadline) {
        if self.times.count >= Self.maximumCount {
            self.times = self.times.filter { $0.value + Self.memory > now }
            if self.times.count >= Self.maximumCount { self.times = [:] }
        }
        self.times[packet.hashValue] = now
    }

    func contains(_ packet: [UInt8], now: NIODeadline) -> Bool { self.times[packet.hashValue].map { $0 + Self.memory > now } ?? false }
}
