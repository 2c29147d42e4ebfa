import CastModels
import Testing

@testable import BridgeCore

@Suite("The value of player")
struct DevicePlayerStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var expected: DevicePlayerState
        var available = true
        var receiver: ReceiverStatus? = StateFixture.receiver()
        var media: MediaStatus?
        var loadPending = false
        var inactiveInputIsOff = true
        var testDescription: String { self.name }
    }

    static func media(_ state: PlayerState, _ change: (inout MediaStatus) -> Void = { _ in }) -> MediaStatus {
        var status = MediaStatus(mediaSessionID: 1, playerState: state, receivedAt: MonotonicTime(nanoseconds: 0))
        change(&status)
        return status
    }

    static let rows: [Row] = [
        Row(name: "not connected", expected: .unknown, available: false, media: media(.playing)),
        Row(name: "not connected with a load pending", expected: .unknown, available: false, loadPending: true),
        Row(name: "no receiver status yet", expected: .unknown, receiver: nil),
        Row(name: "no receiver status yet, but media", expected: .unknown, receiver: nil, media: media(.playing)),
        Row(name: "load pending from nothing", expected: .loading, receiver: StateFixture.receiver(nil), loadPending: true),
        Row(name: "load pending in standby", expected: .loading, receiver: StateFixture.receiver(nil, standby: true), loadPending: true),
        Row(name: "load pending over something that plays", expected: .loading, media: media(.playing), loadPending: true),
        Row(name: "standby", expected: .off, receiver: StateFixture.receiver(standby: true)),
        Row(
            name: "standby while an application plays", expected: .off, receiver: StateFixture.receiver(standby: true),
            media: media(.playing)),
        Row(name: "input inactive", expected: .off, receiver: StateFixture.receiver(activeInput: false), media: media(.playing)),
        Row(
            name: "input inactive, which this device is known to report wrongly", expected: .playing,
            receiver: StateFixture.receiver(activeInput: false), media: media(.playing), inactiveInputIsOff: false),
        Row(name: "input unknown is not inactive", expected: .idle, receiver: StateFixture.receiver(standby: nil, activeInput: nil)),
        Row(name: "idle screen", expected: .off, receiver: StateFixture.receiver(StateFixture.backdrop)),
        Row(name: "no application", expected: .off, receiver: StateFixture.receiver(nil)),
        Row(name: "media application with nothing loaded", expected: .idle),
        Row(name: "media application, media finished", expected: .idle, media: media(.idle)),
        Row(name: "application without media control", expected: .on, receiver: StateFixture.receiver(StateFixture.dashboard)),
        Row(name: "playing", expected: .playing, media: media(.playing)),
        Row(name: "paused", expected: .paused, media: media(.paused)),
        Row(name: "buffering", expected: .buffering, media: media(.buffering)),
        Row(name: "loading reported at top level", expected: .loading, media: media(.loading)),
        Row(name: "idle with an item being loaded", expected: .loading, media: media(.idle) { $0.loadingItemID = 4 }),
        Row(
            name: "idle with an extended status that loads", expected: .loading,
            media: media(.idle) { $0.extendedStatus = .init(playerState: .loading) }),
        Row(name: "a player state of another age", expected: .unknown, media: media(.unknown("REWINDING"))),
        Row(
            name: "media reported before the application", expected: .buffering, receiver: StateFixture.receiver(nil),
            media: media(.buffering)),
    ]

    @Test("each row of the table gives its state", arguments: rows)
    func table(_ row: Row) {
        let player = DevicePlayerState(
            isAvailable: row.available, receiver: row.receiver, media: row.media, isLoadPending: row.loadPending,
            inactiveInputIsOff: row.inactiveInputIsOff)
        #expect(player == row.expected)
    }

    @Test("every word of the closed list is reached by the table")
    func listIsReached() { #expect(Set(Self.rows.map(\.expected)) == Set(DevicePlayerState.allCases)) }
}
