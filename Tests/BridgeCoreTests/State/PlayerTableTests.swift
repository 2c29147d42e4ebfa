import CastModels
import Foundation
import Testing

@testable import BridgeCore

/// The table of `docs/TOPICS.md` is the arguments of this test: each row with its condition, the first that holds counts.
@Suite("The table of player states")
struct PlayerTableTests {
    /// The inputs of a player state.
    struct Situation: Sendable, CustomStringConvertible {
        var isAvailable: Bool
        var receiver: ReceiverStatus?
        var media: MediaStatus?
        var isLoadPending: Bool
        var group: DevicePlayerState?
        var inactiveInputIsOff: Bool
        var description: String {
            "\(self.isAvailable ? "" : "un")available, app \(self.receiver?.application?.displayName ?? "-"), standby "
                + "\(self.receiver?.isStandBy.map { "\($0)" } ?? "?"), media \(self.media.map { "\($0.playerState)" } ?? "-"), "
                + "group \(self.group?.rawValue ?? "-"), load \(self.isLoadPending)"
        }

        var player: DevicePlayerState {
            DevicePlayerState(
                isAvailable: self.isAvailable, receiver: self.receiver, media: self.media, isLoadPending: self.isLoadPending,
                group: self.group, inactiveInputIsOff: self.inactiveInputIsOff)
        }
    }

    struct Row: Sendable {
        /// The row of the guide, without the bars.
        var words: String
        var when: String
        /// The state, if the row holds.
        var state: @Sendable (Situation) -> DevicePlayerState?
    }

    static let rows: [Row] = [
        Row(words: "`unknown`", when: "not available, or nothing was reported yet") {
            !$0.isAvailable || $0.receiver == nil ? .unknown : nil
        },
        Row(words: "`loading`", when: "a load of ours is on its way") { $0.isLoadPending ? .loading : nil },
        Row(
            words: "`loading`, `buffering`, `playing`, `paused`",
            when: "nothing of its own is loaded, and a speaker group that it belongs to plays: as the group does"
        ) { $0.media == nil ? $0.group : nil },
        Row(words: "`off`", when: "standby, or the HDMI input is known to be inactive") {
            $0.receiver?.isStandBy == true || ($0.inactiveInputIsOff && $0.receiver?.isActiveInput == false) ? .off : nil
        },
        Row(words: "`loading`", when: "the application reports that it loads") {
            switch $0.media?.playerState {
            case .loading: .loading
            case .idle where $0.media?.loadingItemID != nil: .loading
            default: nil
            }
        },
        Row(words: "`buffering`, `playing`, `paused`", when: "as the application reports") {
            switch $0.media?.playerState {
            case .buffering: .buffering
            case .playing: .playing
            case .paused: .paused
            default: nil
            }
        },
        Row(words: "`unknown`", when: "the application reports a state of its own invention") {
            if case .unknown? = $0.media?.playerState { .unknown } else { nil }
        },
        Row(words: "`idle`", when: "an application that plays media is open and nothing is loaded") {
            let application = $0.receiver?.application
            let isOpen = application?.isIdleScreen == false && application?.namespaces.contains("urn:x-cast:com.google.cast.media") == true
            return $0.media != nil || isOpen ? .idle : nil
        },
        Row(words: "`on`", when: "an application without media control shows something: a dashboard, a game, photos") {
            $0.receiver?.application?.isIdleScreen == false ? .on : nil
        },
        Row(words: "`off`", when: "the idle screen, or no application at all") { _ in .off },
    ]

    static let situations: [Situation] = {
        let applications = [nil, StateFixture.backdrop, StateFixture.dashboard, StateFixture.defaultMediaReceiver]
        var receivers: [ReceiverStatus?] = [nil]
        for application in applications {
            for standby in [nil, false, true] {
                for input in [nil, false, true] {
                    receivers.append(StateFixture.receiver(application, standby: standby, activeInput: input))
                }
            }
        }
        let fixture = StateFixture()
        let medias: [MediaStatus?] =
            [nil, fixture.idle(.finished), fixture.idle(nil, loading: 3)]
            + [PlayerState.loading, .buffering, .playing, .paused, .unknown("DREAMING")].map { fixture.status($0) }
        var all: [Situation] = []
        for receiver in receivers {
            for media in medias {
                for flags in 0..<8 {
                    for group in [nil, DevicePlayerState.playing, .paused] {
                        all.append(
                            Situation(
                                isAvailable: flags & 1 != 0, receiver: receiver, media: media, isLoadPending: flags & 2 != 0, group: group,
                                inactiveInputIsOff: flags & 4 != 0))
                    }
                }
            }
        }
        return all
    }()

    @Test("the first matching row gives the player state, and every row matches in some case")
    func table() {
        var used: Set<Int> = []
        for situation in Self.situations {
            for (index, row) in Self.rows.enumerated() {
                guard let expected = row.state(situation) else { continue }
                #expect(situation.player == expected, "\(situation): \(row.when)")
                used.insert(index)
                break
            }
        }
        #expect(used == Set(Self.rows.indices))
    }

    @Test("it is the table of the guide, row by row")
    func guide() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/TOPICS.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "\n| `player` | When |\n|---|---|\n"))
        let table = text[start.upperBound...].components(separatedBy: "\n").prefix { $0.hasPrefix("|") }
        #expect(Array(table) == Self.rows.map { "| \($0.words) | \($0.when) |" })
    }
}
