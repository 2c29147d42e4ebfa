import CastModels
import Testing

@testable import CastSender

@Suite struct PendingValueTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1_000_000_000)) }

    private enum Step {
        case ask(Int)
        /// The end of the request with this number.
        case end(UInt64, isRefused: Bool)
        case report(Int)
    }

    /// The shown value after each step, beside the device's value; a step is a tenth of a second.
    private static func shown(_ steps: [Step]) -> [Int?] {
        var pending = PendingValue<Int>()
        var (reported, shown) = (0, [Int?]())
        for (index, step) in steps.enumerated() {
            let now = self.time(Double(index) / 10)
            switch step {
            case .ask(let value): _ = pending.begin(value, at: now)
            case .end(let number, let isRefused): pending.ended(number, isRefused: isRefused)
            case .report(let value): reported = value
            }
            pending.settle(at: now) { $0 == reported }
            shown.append(pending.value(at: now))
        }
        return shown
    }

    @Test("one's own value is shown until no request is open and the device reports it")
    func confirmed() {
        #expect(Self.shown([.ask(5), .report(3), .report(5), .end(1, isRefused: false), .report(6)]) == [5, 5, 5, nil, nil])
        #expect(Self.shown([.ask(5), .end(1, isRefused: false), .report(5)]) == [5, 5, nil])
    }

    @Test("while a slider moves back and forth, late reports of its previous values are not shown")
    func dragged() {
        let steps: [Step] = [
            .ask(3), .ask(4), .end(1, isRefused: true), .ask(3), .report(3), .report(4), .end(2, isRefused: true), .report(3),
            .end(3, isRefused: false), .report(9),
        ]
        #expect(Self.shown(steps) == [3, 4, 4, 3, 3, 3, 3, 3, nil, nil])
    }

    @Test("a refused value is removed at once, unless a newer one was requested")
    func refused() {
        #expect(Self.shown([.ask(5), .end(1, isRefused: true)]) == [5, nil])
        #expect(Self.shown([.ask(5), .ask(6), .end(1, isRefused: true)]) == [5, 6, 6])
    }

    @Test("an unconfirmed value is removed 2 s after its last request")
    func patience() {
        var pending = PendingValue<Int>()
        _ = pending.begin(1, at: Self.time(0))
        _ = pending.begin(2, at: Self.time(1))
        #expect(pending.deadline == Self.time(3))
        #expect(pending.value(at: Self.time(2.9)) == 2)
        #expect(pending.value(at: Self.time(3)) == nil)
        pending.settle(at: Self.time(3)) { _ in false }
        #expect(pending.deadline == nil)
    }
}
