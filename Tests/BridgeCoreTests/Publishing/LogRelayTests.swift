import CastModels
import Testing

@testable import BridgeCore

@Suite("The published log")
struct LogRelayTests {
    private func now(_ milliseconds: Int64) -> Now {
        Now(
            monotonic: MonotonicTime(nanoseconds: milliseconds * 1_000_000), wall: Timestamp(milliseconds: 1_800_000_000_000 + milliseconds)
        )
    }

    private func line(_ message: String) -> LogLine { LogLine(level: .warning, source: "Bridge", message: message) }

    @Test("has a new line at once")
    func atOnce() {
        var relay = LogRelay()
        let outputs = relay.receive(self.line("a"), at: self.now(0))
        #expect(outputs == [LogRelay.Output(line: self.line("a"), time: self.now(0).wall, repeats: nil, dropped: 0)])
        #expect(relay.deadline == nil)
    }

    @Test("publishes repeated lines as one with their number, when another line follows or after five seconds")
    func repeats() {
        var relay = LogRelay()
        _ = relay.receive(self.line("a"), at: self.now(0))
        #expect(relay.receive(self.line("a"), at: self.now(10)).isEmpty)
        #expect(relay.receive(self.line("a"), at: self.now(20)).isEmpty)
        #expect(relay.deadline == self.now(5010).monotonic)
        #expect(relay.wake(now: self.now(5009).monotonic).isEmpty)
        #expect(
            relay.wake(now: self.now(5010).monotonic) == [
                LogRelay.Output(line: self.line("a"), time: self.now(20).wall, repeats: 2, dropped: 0)
            ])
        #expect(relay.deadline == nil)
        #expect(relay.receive(self.line("a"), at: self.now(6000)).isEmpty, "it is still the neighbour")
        let outputs = relay.receive(self.line("b"), at: self.now(6100))
        #expect(outputs.map(\.line.message) == ["a", "b"])
        #expect(outputs.map(\.repeats) == [1, nil])
    }

    @Test("takes lines for equal only when everything but the time is")
    func equality() {
        var relay = LogRelay()
        var other = self.line("a")
        other.data = ["device": .string("tv")]
        _ = relay.receive(self.line("a"), at: self.now(0))
        #expect(relay.receive(other, at: self.now(1)).count == 1)
    }

    @Test("has at most ten lines in any second, and the next one has the number of dropped lines")
    func rate() {
        var relay = LogRelay()
        var times: [Int64] = []
        var reported = 0
        for step in 0..<400 {
            for output in relay.receive(self.line("\(step)"), at: self.now(Int64(step) * 7)) {
                times.append(Int64(step) * 7)
                reported += 1 + output.dropped
            }
        }
        for (index, time) in times.enumerated() where index >= LogRelay.linesPerSecond {
            #expect(time - times[index - LogRelay.linesPerSecond] >= 1000)
        }
        #expect(times.count >= 20)
        let last = relay.receive(self.line("end"), at: self.now(60_000))
        #expect(reported + (last.first?.dropped ?? 0) == 400, "every line is published or counted")
    }

    @Test("counts equal neighbours among those left out when another line comes in a full second")
    func repeatsInFlood() {
        var relay = LogRelay()
        for step in 0..<10 { _ = relay.receive(self.line("\(step)"), at: self.now(0)) }
        for _ in 0..<3 { _ = relay.receive(self.line("9"), at: self.now(1)) }
        #expect(relay.receive(self.line("x"), at: self.now(2)).isEmpty)
        #expect(relay.receive(self.line("y"), at: self.now(1000)).map(\.dropped) == [4])
    }

    @Test("does not grow with a flood")
    func flood() {
        var relay = LogRelay()
        for _ in 0..<100_000 { _ = relay.receive(self.line("same"), at: self.now(1)) }
        #expect(relay.wake(now: self.now(5001).monotonic).map(\.repeats) == [99_999])
    }

    @Test("is chosen by a level's name or off", arguments: ["off", "trace", "warning", "critical"])
    func level(name: String) {
        #expect(PublishedLogLevel(rawValue: name)?.rawValue == name)
        #expect(PublishedLogLevel(rawValue: name + "s") == nil)
    }
}
