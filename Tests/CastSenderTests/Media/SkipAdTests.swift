import CastModels
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct SkipAdTests {
    /// The break a receiver is in.
    private static func ad(clip: String, time: Double, skippable: Double?) -> String {
        #","breakStatus":{"breakId":"b1","breakClipId":"\#(clip)","currentBreakTime":\#(time),"currentBreakClipTime":\#(time)"#
            + (skippable.map { #","whenSkippable":\#($0)"# } ?? "") + "}"
    }

    private static func playing(
        _ ad: String, commands: Int = 15, _ change: @escaping @Sendable (inout FakeReceiver.State) -> Void = { _ in }
    )
        -> FakeReceiver
    {
        FakeReceiver { state in
            state.application = FakeReceiver.Application()
            state.media = FakeReceiver.Media(time: 100)
            state.media?.commands = commands
            state.media?.statusFields = ad
            change(&state)
        }
    }

    private static func skip(_ receiver: FakeReceiver, after wait: TimeAmount = .zero) async throws -> (
        Result<Void, CastError>, SupervisorWorld, Task<Void, Never>
    ) {
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        await world.virtual.advance(wait)
        let client = try await world.session().remoteMediaClient
        let outcome = await world.virtual.call { await result { () async throws(CastError) in try await client.skipAd(customData: 1) } }
        return (try #require(outcome).value, world, task)
    }

    @Test("a clip whose time has come is skipped, and the skip is done when the next one plays")
    func skips() async throws {
        let next = Self.ad(clip: "c2", time: 0, skippable: nil)
        let receiver = Self.playing(Self.ad(clip: "c1", time: 4, skippable: 5)) {
            $0.obeys = { if $0.type == "SKIP_AD" { $1.statusFields = next } }
        }
        let (outcome, world, task) = try await Self.skip(receiver, after: .seconds(2))
        try outcome.get()
        #expect(world.log.lastMedia?.adBreakStatus?.breakClipID == "c2")
        #expect(receiver.journal.last { $0.type == "SKIP_AD" }?.body["customData"] == 1)
        _ = await world.end(task)
    }

    @Test("a skip that the receiver offers needs no time, and its answer may be only a status")
    func offered() async throws {
        let receiver = Self.playing(Self.ad(clip: "c1", time: 4, skippable: nil), commands: 15 + 512) {
            $0.mediaAnswer = .broadcast
            $0.obeys = { if $0.type == "SKIP_AD" { $1.statusFields = "" } }
        }
        let (outcome, world, task) = try await Self.skip(receiver)
        try outcome.get()
        #expect(world.log.lastMedia?.isPlayingAd == false)
        _ = await world.end(task)
    }

    /// The playing media, the code of the refusal, and a word of its detail; nothing is sent.
    static let refused: [(String, CastError.Code, String)] = [
        ("", .invalidState, "no ad"), (Self.ad(clip: "c1", time: 4, skippable: nil), .notAllowed, "can't be skipped"),
        (Self.ad(clip: "c1", time: 4, skippable: -1), .notAllowed, "can't be skipped"),
        (Self.ad(clip: "c1", time: 4, skippable: 60), .notAllowed, "in 5"),
    ]

    @Test("an ad that cannot be skipped is refused with the reason, and nothing is sent", arguments: Self.refused)
    func refuses(ad: String, code: CastError.Code, word: String) async throws {
        let receiver = Self.playing(ad)
        let (outcome, world, task) = try await Self.skip(receiver)
        guard case .failure(let error) = outcome else { return #expect(Bool(false), "a silent success") }
        #expect(error.code == code)
        #expect(error.detail.contains(word), "\(error.detail)")
        #expect(!receiver.types("cast.media").contains("SKIP_AD"))
        _ = await world.end(task)
    }

    @Test("an ad that is offered to skip is skipped, also where the receiver reports no break")
    func withoutBreak() async throws {
        let receiver = Self.playing(#","customData":{"playerState":1081}"#, commands: 515) {
            $0.media?.state = "BUFFERING"
            $0.obeys = {
                if $0.type == "SKIP_AD" { ($1.state, $1.commands, $1.statusFields) = ("PLAYING", 3, #","customData":{"playerState":1}"#) }
            }
        }
        let (outcome, world, task) = try await Self.skip(receiver)
        try outcome.get()
        #expect(receiver.types("cast.media").contains("SKIP_AD"))
        _ = await world.end(task)
    }

    @Test("an answer without an effect is no success")
    func ignored() async throws {
        let receiver = Self.playing(Self.ad(clip: "c1", time: 10, skippable: 5))
        let (outcome, world, task) = try await Self.skip(receiver)
        #expect(LaunchTests.code(outcome) == .notApplied)
        #expect(receiver.types("cast.media").contains("SKIP_AD"))
        _ = await world.end(task)
    }

    @Test("a receiver's refusal comes with its reason")
    func refusedByReceiver() async throws {
        let receiver = Self.playing(Self.ad(clip: "c1", time: 10, skippable: 5)) {
            $0.mediaAnswer = .error(type: "INVALID_REQUEST", reason: "SKIP_LIMIT_REACHED")
        }
        let (outcome, world, task) = try await Self.skip(receiver)
        guard case .failure(let error) = outcome else { return #expect(Bool(false), "a silent success") }
        #expect(error.reason == "SKIP_LIMIT_REACHED")
        _ = await world.end(task)
    }
}
