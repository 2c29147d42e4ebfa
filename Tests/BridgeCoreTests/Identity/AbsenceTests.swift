import CastModels
import Testing

@testable import BridgeCore

@Suite("An absence")
struct AbsenceTests {
    /// A look at a device. Times are in hours; `now` is 2027.
    struct Look: Sendable {
        var lastSeen: Timestamp?
        var isAvailable = false
        var now = AbsenceTests.now
        var days: Int? = 2
        var action: Absence.Action
    }

    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let unset = Timestamp(milliseconds: 3_600_000)

    private static func ago(_ hours: Double) -> Timestamp { Self.now.adding(seconds: -3600 * hours) }

    private static let looks = [
        Look(lastSeen: nil, action: .note(now)), Look(lastSeen: nil, isAvailable: true, action: .note(now)),
        Look(lastSeen: ago(47.9), action: .none), Look(lastSeen: ago(48.1), action: .forget),
        Look(lastSeen: ago(48.1), days: nil, action: .none), Look(lastSeen: ago(1500), days: 3650, action: .none),
        Look(lastSeen: ago(23.9), isAvailable: true, action: .none), Look(lastSeen: ago(24), isAvailable: true, action: .note(now)),
        Look(lastSeen: ago(1000), isAvailable: true, action: .note(now)),
        // Recorded by a clock that was not set, or far ahead.
        Look(lastSeen: unset, action: .note(now)), Look(lastSeen: unset, isAvailable: true, action: .note(now)),
        Look(lastSeen: ago(-25), action: .note(now)), Look(lastSeen: ago(-23), action: .none),
        Look(lastSeen: ago(-9000), isAvailable: true, action: .note(now)),
        // The clock is not set.
        Look(lastSeen: nil, now: unset, action: .none), Look(lastSeen: nil, isAvailable: true, now: unset, action: .none),
        Look(lastSeen: ago(0), now: unset, action: .none), Look(lastSeen: ago(0), isAvailable: true, now: unset, action: .none),
        Look(lastSeen: Timestamp(milliseconds: 0), now: Timestamp(milliseconds: 1_790_000_000_000), action: .none),
    ]

    @Test("is judged by the time of day when that is set, and by nothing else", arguments: looks)
    func look(_ look: Look) {
        let action = Absence.action(lastSeen: look.lastSeen, isAvailable: look.isAvailable, now: look.now, forgetAfterDays: look.days)
        #expect(action == look.action)
    }
}
