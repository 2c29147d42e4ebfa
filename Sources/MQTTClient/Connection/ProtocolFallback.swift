/// Chooses between MQTT 5 and 3.1.1 for a broker that may know only one of them.
///
/// With `auto`: 5, until the broker refuses it (CONNACK 132) or ends two connections in a row without a CONNACK; then 3.1.1, and back after
/// two such ends of 3.1.1, because a restarting broker looks the same. When the broker answers 5 with silence twice in a row, one attempt speaks
/// 3.1.1, because some brokers ignore a CONNECT that they cannot read. A 3.1.1 that worked is kept for 24 hours.
struct ProtocolFallback: Sendable {
    static let memory = Duration.seconds(24 * 3600)

    private let preference: MQTTConfiguration.ProtocolPreference
    /// The version of the next attempt.
    private(set) var version: MQTTProtocolVersion
    /// What the owner holds as remembered.
    private var remembered: MQTTProtocolVersion?
    private var closesInARow = 0
    /// Connections in a row on which no answer came to a CONNECT of version 5.
    private var silencesInARow = 0
    /// Whether 3.1.1 is spoken for one attempt, because 5 met with silence.
    private var isTrial = false
    /// A broker that has answered 5 and is silent now is overloaded or stopped: 3.1.1 would be kept for a day when it recovers.
    private var hasSpoken5: Bool
    private var settledAt: Duration?

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

    /// Call before each attempt: a remembered 3.1.1 is forgotten after a day.
    mutating func attemptStarts(now: Duration) {
        guard self.preference == .auto, self.version == .v311, let settledAt, now >= settledAt + Self.memory else { return }
        self.speak(.v5)
    }

    /// - Returns: the version to remember from now on, when that is news.
    mutating func accepted(now: Duration) -> MQTTProtocolVersion? {
        self.startCounting()
        if self.version == .v5 { self.hasSpoken5 = true }
        guard self.preference == .auto else { return nil }
        let renewed = self.version == .v311 && self.settledAt == nil
        let changed = self.version != (self.remembered ?? .v5)
        self.remembered = self.version
        if self.version == .v5 { self.settledAt = nil } else { self.settledAt = self.settledAt ?? now }
        return changed || renewed ? self.version : nil
    }

    /// - Returns: whether the next attempt speaks another version, so that it is worth making at once.
    mutating func refused(_ reason: MQTTReasonCode) -> Bool {
        self.startCounting()
        guard self.preference == .auto, reason == .unsupportedProtocolVersion else { return false }
        self.speak(self.version == .v5 ? .v311 : .v5)
        return true
    }

    /// The broker ended a connection after TLS and before CONNACK.
    mutating func closedBeforeConnack() {
        guard self.preference == .auto else { return }
        if self.isTrial { return self.speak(.v5) }
        self.silencesInARow = 0
        self.closesInARow += 1
        if self.closesInARow >= 2 { self.speak(self.version == .v5 ? .v311 : .v5) }
    }

    /// The broker took the connection and sent no CONNACK.
    mutating func wasSilent() {
        self.closesInARow = 0
        if self.isTrial { return self.speak(.v5) }
        guard self.preference == .auto, self.version == .v5, !self.hasSpoken5 else { return }
        self.silencesInARow += 1
        guard self.silencesInARow >= 2 else { return }
        self.speak(.v311)
        self.isTrial = true
    }

    /// The attempt ended otherwise (no TCP connection, TLS), which says nothing about versions.
    mutating func endedOtherwise() { if self.isTrial { self.speak(.v5) } else { self.startCounting() } }

    /// Earlier ends do not count any more.
    private mutating func startCounting() { (self.closesInARow, self.silencesInARow, self.isTrial) = (0, 0, false) }

    private mutating func speak(_ version: MQTTProtocolVersion) {
        self.version = version
        self.settledAt = nil
        self.startCounting()
    }
}
