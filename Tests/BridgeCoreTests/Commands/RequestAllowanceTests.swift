import CastModels
import Testing

@testable import BridgeCore

@Suite("How often something costly is given")
struct RequestAllowanceTests {
    @Test("so many times in any period, and again as soon as the first of them is older")
    func sliding() {
        let start = MonotonicTime(nanoseconds: 0)
        var allowance = RequestAllowance(2, every: .seconds(10))
        func given(at seconds: Double) -> Bool { allowance.take(now: start + .milliseconds(Int(seconds * 1000))) }
        #expect([given(at: 0), given(at: 6), given(at: 7), given(at: 9.9)] == [true, true, false, false])
        #expect([given(at: 10), given(at: 15.9), given(at: 16)] == [true, false, true], "what was refused does not count")
        #expect("\(allowance)" == "2 in 10 seconds")
    }

    @Test("64 requests wait for their answer at a time, whatever they wait for")
    func openRequests() {
        let now = Now(monotonic: MonotonicTime(nanoseconds: 0), wall: Timestamp(milliseconds: 0))
        let envelope = CommandEnvelope(target: .bridge(nil), name: "test", topic: "cast2mqtt/bridge/request/test", received: now)
        var requests = OpenRequests()
        for number in 0..<OpenRequests.limit {
            #expect(!requests.isFull)
            requests.append(envelope, about: number.isMultiple(of: 2) ? .cleaning : .removal("device-\(number)"))
        }
        #expect(requests.isFull)
        #expect(requests.finish(.cleaning, .done(), now: now.monotonic).count == 32)
        #expect(!requests.isFull)
    }
}
