/// Chooses between MQTT 5 and 3.1.1 for a broker that may know only one of them.
///
/// With `auto`: 5, until the broker refuses it (CONNACK 132) or ends two connections in a row without a CONNACK; then 3.1.1, and back after
/// two such ends of 3.1.1, because a restarting broker looks the same. A 3.1.1 that worked is kept for 24 hours.
struct ProtocolFallback: Sendable {
    static let memory = Duration.seconds(24 * 3600)

    private let preference: MQTTConfiguration.ProtocolPreference
    /// The version of the next attempt.
    private(set) var version: MQTTProtocolVersion
    /// What the owner holds as remembered.
    private var remembered: MQTTProtocolVersion?
    private var closesInARow = 0
    private var settledAt: Duration?

    init(preference: MQTTConfiguration.ProtocolPreference, remembered: MQTTProtocolVersion?, now: Duration) {
        self.preference = preference
        self.remembered = remembered
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
        self.version = .v5
        self.settledAt = nil
        self.closesInARow = 0
    }

    /// - Returns: the version to remember from now on, when that is news.
    mutating func accepted(now: Duration) -> MQTTProtocolVersion? {
        self.closesInARow = 0
        guard self.preference == .auto else { return nil }
        let renewed = self.version == .v311 && self.settledAt == nil
        let changed = self.version != (self.remembered ?? .v5)
        self.remembered = self.version
        if self.version == .v5 { self.settledAt = nil } else { self.settledAt = self.settledAt ?? now }
        return changed || renewed ? self.version : nil
    }

    /// - Returns: whether the next attempt speaks another version, so that it is worth making at once.
    mutating func refused(_ reason: MQTTReasonCode) -> Bool {
        self.closesInARow = 0
        guard self.preference == .auto, reason == .unsupportedProtocolVersion else { return false }
        self.switchVersion()
        return true
    }

    /// The broker ended a connection after TLS and before CONNACK.
    mutating func closedBeforeConnack() {
        guard self.preference == .auto else { return }
        self.closesInARow += 1
        if self.closesInARow >= 2 { self.switchVersion() }
    }

    /// The attempt ended otherwise (no TCP connection, silence, TLS), which says nothing about versions.
    mutating func endedOtherwise() { self.closesInARow = 0 }

    private mutating func switchVersion() {
        self.version = self.version == .v5 ? .v311 : .v5
        self.closesInARow = 0
        self.settledAt = nil
    }
}
