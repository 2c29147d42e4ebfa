/// Chooses between MQTT 5 and 3.1.1 for a broker that may support only one of them.
///
/// With `auto` it uses 5 until the broker refuses it (CONNACK 132) or closes two connections in a row without a CONNACK. Then it uses
/// 3.1.1, and returns to 5 after two such closes of 3.1.1, because a restarting broker looks the same. When the broker does not answer 5
/// twice in a row, one attempt uses 3.1.1, because some brokers ignore a CONNECT that they cannot parse.
///
/// A 3.1.1 that worked is kept for 24 hours only after CONNACK 132, or when the broker never answered 5 and did not close 3.1.1 as well: a
/// proxy closes every connection while its broker restarts. Otherwise the next attempt uses 5 again.
struct ProtocolFallback: Sendable {
    static let memory = Duration.seconds(24 * 3600)
    /// The number of closes in a row after which a broker that has answered 5 may have been replaced by an older one.
    static let closesAfter5 = 30

    private let preference: MQTTConfiguration.ProtocolPreference
    /// The version of the next attempt.
    private(set) var version: MQTTProtocolVersion
    /// The version that the owner has stored as remembered.
    private var remembered: MQTTProtocolVersion?
    private var closesInARow = 0
    /// The number of connections in a row without an answer to a CONNECT of version 5.
    private var silencesInARow = 0
    /// Whether 3.1.1 is used for one attempt, because 5 was not answered.
    private var isTrial = false
    /// Whether the broker has answered 5 before. If it is silent now, it is overloaded or stopped, and 3.1.1 would be kept for a day after
    /// it recovers.
    private var hasSpoken5: Bool
    private var settledAt: Duration?
    /// Whether the broker refused 5 with CONNACK 132.
    private var wasRefused = false
    /// Whether 3.1.1 was closed without a CONNACK since the last link.
    private var wasClosed = false
    /// Whether the link uses 3.1.1 although the broker may support 5.
    private var isDoubtful = false

    init(preference: MQTTConfiguration.ProtocolPreference, remembered: MQTTProtocolVersion?, now: Duration) {
        self.preference = preference
        self.remembered = remembered
        self.hasSpoken5 = remembered == .v5
        switch preference {
        case .v5: self.version = .v5
        case .v311: self.version = .v311
        case .auto:
            self.version = remembered ?? .v5
            self.settledAt = remembered == .v311 ? now : nil
        }
    }

    /// Call before each attempt: a remembered 3.1.1 is forgotten after a day, a doubtful one at once.
    mutating func attemptStarts(now: Duration) {
        guard self.preference == .auto, self.version == .v311 else { return }
        if self.isDoubtful || self.settledAt.map({ now >= $0 + Self.memory }) == true { self.speak(.v5) }
    }

    /// - Returns: the version to remember from now on; `nil` when it has not changed.
    mutating func accepted(now: Duration) -> MQTTProtocolVersion? {
        self.startCounting()
        if self.version == .v5 { self.hasSpoken5 = true }
        guard self.preference == .auto else { return nil }
        let isProven = self.settledAt != nil || self.wasRefused || !self.hasSpoken5 && !self.wasClosed
        (self.isDoubtful, self.wasClosed) = (self.version == .v311 && !isProven, false)
        if self.isDoubtful { return nil }
        let renewed = self.version == .v311 && self.settledAt == nil
        let changed = self.version != (self.remembered ?? .v5)
        self.remembered = self.version
        if self.version == .v5 { self.settledAt = nil } else { self.settledAt = self.settledAt ?? now }
        return changed || renewed ? self.version : nil
    }

    /// - Returns: whether the next attempt uses another version and should follow at once.
    mutating func refused(_ reason: MQTTReasonCode) -> Bool {
        self.startCounting()
        guard self.preference == .auto, reason == .unsupportedProtocolVersion else { return false }
        self.speak(self.version == .v5 ? .v311 : .v5)
        self.wasRefused = self.version == .v311
        return true
    }

    /// The broker closed a connection after TLS and before CONNACK.
    mutating func closedBeforeConnack() {
        guard self.preference == .auto else { return }
        if self.isTrial { return self.speak(.v5) }
        self.silencesInARow = 0
        self.closesInARow += 1
        if self.version == .v311 { self.wasClosed = true }
        let patience = self.version == .v5 && self.hasSpoken5 ? Self.closesAfter5 : 2
        if self.closesInARow >= patience { self.speak(self.version == .v5 ? .v311 : .v5) }
    }

    /// The broker accepted the connection and sent no CONNACK.
    mutating func wasSilent() {
        self.closesInARow = 0
        if self.isTrial { return self.speak(.v5) }
        guard self.preference == .auto, self.version == .v5, !self.hasSpoken5 else { return }
        self.silencesInARow += 1
        guard self.silencesInARow >= 2 else { return }
        self.speak(.v311)
        self.isTrial = true
    }

    /// The attempt failed in another way (no TCP connection, TLS), which is no evidence about versions.
    mutating func endedOtherwise() { if self.isTrial { self.speak(.v5) } else { self.startCounting() } }

    /// Resets the counts of earlier failures.
    private mutating func startCounting() { (self.closesInARow, self.silencesInARow, self.isTrial) = (0, 0, false) }

    private mutating func speak(_ version: MQTTProtocolVersion) {
        self.version = version
        (self.settledAt, self.wasRefused, self.isDoubtful) = (nil, false, false)
        self.startCounting()
    }
}
