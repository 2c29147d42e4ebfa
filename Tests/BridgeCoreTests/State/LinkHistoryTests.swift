import BridgeCore
import CastModels
import Testing

@Suite("The history of a device's link") struct LinkHistoryTests {
    private static func at(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    @Test("repeated failures of one outage are one entry with their number and times")
    func repeated() {
        var history = LinkHistory()
        history.note(.connected, at: Self.at(0))
        history.note(.lost, code: "timeout", at: Self.at(1))
        for second in 2...100 {
            history.note(.attemptFailed, code: second % 2 == 0 ? "timeout" : "network_error", at: Self.at(Int64(second)))
        }
        history.note(.connected, at: Self.at(101))
        history.note(.lost, code: "timeout", at: Self.at(102))
        history.note(.attemptFailed, code: "timeout", at: Self.at(103))
        #expect(
            history.entries.map { "\($0.event.rawValue) \($0.code ?? "-") \($0.count)" } == [
                "connected - 1", "lost timeout 1", "attempt_failed timeout 50", "attempt_failed network_error 49", "connected - 1",
                "lost timeout 1", "attempt_failed timeout 1",
            ])
        #expect(history.entries[2].at == Self.at(2) && history.entries[2].until == Self.at(100))
    }

    @Test("it is bounded; the oldest entry is dropped")
    func bounded() {
        var history = LinkHistory()
        for second in 0..<100 {
            history.note(.connected, at: Self.at(Int64(second)))
            history.note(.lost, code: "timeout", at: Self.at(Int64(second)))
        }
        #expect(history.entries.count == LinkHistory.maximumCount && history.entries.first?.at == Self.at(84))
    }

    @Test("the API's form names every field")
    func json() {
        var history = LinkHistory()
        history.note(.attemptFailed, code: "timeout", at: Self.at(0))
        #expect(
            JSONWriter.string(of: history.json)
                == #"[{"event":"attempt_failed","code":"timeout","at":"1970-01-01T00:00:00.000Z","until":"1970-01-01T00:00:00.000Z","count":1}]"#
        )
    }
}
