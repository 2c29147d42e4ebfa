import NIOCore
import Testing

@testable import CastSender

@Suite struct RequestProgressTests {
    private static func progress() -> RequestProgress {
        RequestProgress(RequestTerms("media", timeout: .seconds(8)), now: .seconds(0))
    }

    /// A request that was answered at 1 s with this.
    private static func answered(_ evidence: ObservedState.Evidence) -> RequestProgress {
        var progress = Self.progress()
        #expect(progress.answered(evidence, now: .seconds(1)) == false)
        return progress
    }

    @Test("an answer that shows the state ends a request at once, and so does one of a receiver that does not report it")
    func done() {
        for evidence in [ObservedState.Evidence.shown, .unreported] {
            var progress = Self.progress()
            #expect(progress.answered(evidence, now: .seconds(1)) == true)
        }
    }

    @Test("a state that shows before the answer ends a request after its grace, whatever the answer then shows")
    func early() {
        var progress = Self.progress()
        progress.follow(.shown, now: .seconds(1))
        #expect(progress.endTime == .seconds(1.5))
        #expect(progress.end == .observed)
        progress.follow(.other(), now: .seconds(1.1))
        #expect(progress.end == .observed)
        #expect(progress.answered(.other(), now: .seconds(1.2)) == true)
    }

    static let courses: [(ObservedState.Evidence, ObservedState.Evidence?, RequestProgress.End, Double)] = [
        (.other(), nil, .notApplied, 3), (.other(), .other(), .notApplied, 3), (.other(), .shown, .observed, 2),
        (.other(), .unreported, .observed, 2), (.other(), .ended, .mediaEnded, 2), (.other(), .overtaken, .overtaken, 2),
        (.ended, nil, .mediaEnded, 1), (.overtaken, nil, .overtaken, 1), (.onTheWay, nil, .unsettled, 8),
        (.onTheWay, .shown, .observed, 2), (.onTheWay, .other(), .notApplied, 4),
        (.other(distance: 0.5), .other(distance: 0.5), .notApplied, 3), (.other(distance: 0.5), .other(distance: 0.4), .notApplied, 4),
        (.other(distance: 0.5), .other(distance: 0.6), .overtaken, 3),
    ]

    @Test("a request that was answered at 1 s ends by what a status at 2 s shows", arguments: Self.courses)
    func ends(answer: ObservedState.Evidence, later: Optional<ObservedState.Evidence>, end: RequestProgress.End, time: Double) {
        var progress = Self.answered(answer)
        if let later { progress.follow(later, now: .seconds(2)) }
        #expect(progress.end == end)
        #expect(progress.endTime == .seconds(time))
    }

    @Test("time in which the player loads is not counted, the time before it is")
    func loading() {
        var terms = RequestTerms("media", timeout: .seconds(8))
        terms.limit = .seconds(60)
        var progress = RequestProgress(terms, now: .seconds(0))
        #expect(progress.answered(.other(), now: .seconds(1)) == false)
        progress.follow(.onTheWay, now: .seconds(2.5))
        progress.follow(.onTheWay, now: .seconds(20))
        #expect(progress.endTime == .seconds(60))
        progress.follow(.other(), now: .seconds(30))
        #expect(progress.endTime == .seconds(30.5))
        #expect(progress.end == .notApplied)
    }

    @Test("a level that moves away, as after an earlier request, may still come back; one that stays away was set by another sender")
    func movesAway() {
        var progress = Self.answered(.other(distance: 0.3))
        progress.follow(.other(distance: 0.7), now: .seconds(1.1))
        var other = progress
        progress.follow(.shown, now: .seconds(1.2))
        #expect(progress.end == .observed)
        other.follow(.other(distance: 0.2), now: .seconds(1.3))
        #expect(other.end == .notApplied)
        #expect(other.endTime == .seconds(3.3))
    }

    @Test("a second answer does not begin the wait again")
    func doubled() {
        var progress = Self.answered(.other())
        #expect(progress.answered(.other(), now: .seconds(2)) == false)
        #expect(progress.endTime == .seconds(3))
        #expect(progress.answered(.shown, now: .seconds(2.5)) == true)
    }

    @Test("a state that statuses leave out is asked for once: after one without it, or after the answer", arguments: [true, false])
    func question(isRarelyShown: Bool) {
        var terms = RequestTerms("media", timeout: .seconds(8))
        if isRarelyShown { terms.observed = .queue(.updated([2])) }
        var progress = RequestProgress(terms, now: .seconds(0))
        progress.follow(.other(), now: .seconds(1))
        #expect(progress.dueTime == (isRarelyShown ? .seconds(1.1) : .seconds(8)))
        #expect(progress.asks(now: .seconds(1.1)) == isRarelyShown)
        _ = progress.answered(.other(), now: .seconds(2))
        #expect(progress.asks(now: .seconds(2.1)) == !isRarelyShown)
        #expect(progress.asks(now: .seconds(2.2)) == false)
        #expect(progress.endTime == .seconds(4))
    }

    @Test("a receiver that asks for more time gets none once it has answered")
    func extend() {
        var progress = Self.answered(.other())
        progress.extend(to: .seconds(100))
        #expect(progress.endTime == .seconds(3))
    }
}
