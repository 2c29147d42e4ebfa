import NetworkReach
import Testing

@Suite struct ReconnectPolicyTests {
    @Test(
        "the bound doubles from 1 s to 20 s",
        arguments: [(0, 0.0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 20), (7, 20), (1_000_000, 20)])
    func bounds(failures: Int, seconds: Double) {
        #expect(ReconnectPolicy().delay(failures: failures, random: 1) == .seconds(seconds))
    }

    @Test(
        "the jitter is full, and one outside its range does no harm",
        arguments: [(0.0, 0.0), (0.25, 5), (0.5, 10), (0.999, 19.98), (-3, 0), (7, 20), (.infinity, 20)])
    func jitter(random: Double, seconds: Double) {
        let difference = ReconnectPolicy().delay(failures: 10, random: random) - .seconds(seconds)
        #expect(difference < .microseconds(1) && difference > .microseconds(-1))
    }

    @Test("the longest delay and one attempt stay under 30 s")
    func limit() {
        let policy = ReconnectPolicy()
        #expect(policy.delay(failures: 99, random: 1) + policy.attemptLimit < .seconds(30))
    }
}
