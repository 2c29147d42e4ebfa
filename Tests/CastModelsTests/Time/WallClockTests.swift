import Testing

@testable import CastModels

@Suite("The wall clock")
struct WallClockTests {
    @Test(
        "is set from the month of the first version on",
        arguments: [
            (Int64.min, false), (-1, false), (0, false), (1_700_000_000, false), (1_793_491_199, false), (1_793_491_200, true),
            (1_800_000_000, true), (.max, true),
        ])
    func isPlausible(seconds: Int64, isPlausible: Bool) { #expect(WallClock.isPlausible(seconds) == isPlausible) }
}
