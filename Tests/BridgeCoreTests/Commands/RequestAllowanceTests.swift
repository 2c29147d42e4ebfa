import CastModels
import Testing

@testable import BridgeCore

@Suite("How often something costly is given")
struct RequestAllowanceTests {
    @Test("So many times in any period, and again as soon as the first of them is older")
    func sliding() {
        let start = MonotonicTime(nanoseconds: 0)
        var allowance = RequestAllowance(2, every: .seconds(10))
        func given(at seconds: Double) -> Bool { allowance.take(now: start + .milliseconds(Int(seconds * 1000))) }
        #expect([given(at: 0), given(at: 6), given(at: 7), given(at: 9.9)] == [true, true, false, false])
        #expect([given(at: 10), given(at: 15.9), given(at: 16)] == [true, false, true], "what was refused does not count")
        #expect("\(allowance)" == "2 in 10 seconds")
    }
}
