import CastModels
import Testing

@testable import CastSender

@Suite struct ReconnectPolicyTests {
    @Test(
        "the bound doubles from 1 s to 20 s",
        arguments: [(0, 0.0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 20), (7, 20), (1_000_000, 20)])
    func bounds(failures: Int, seconds: Double) {
        let delay = ReconnectPolicy().delay(failures: failures, random: 1)
        #expect(delay == .seconds(seconds))
    }

    @Test("the jitter is full", arguments: [(0.0, 0.0), (0.25, 5), (0.5, 10), (0.999, 19.98), (-3, 0), (7, 20)])
    func jitter(random: Double, seconds: Double) {
        #expect(abs(ReconnectPolicy().delay(failures: 10, random: random).inSeconds - seconds) < 1e-6)
    }

    @Test("the longest delay and one attempt stay under 30 s")
    func limit() {
        let policy = ReconnectPolicy()
        #expect(policy.delay(failures: 99, random: 1) + policy.attemptLimit < .seconds(30))
    }
}
