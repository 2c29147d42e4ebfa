import Testing

@testable import CastTransport

@Suite("Descriptors that links to devices leave to others")
struct SpareDescriptorsTests {
    @Test("a link is refused when too few are left", arguments: [(3, true), (3 + SpareDescriptors.count, true), (1 << 30, false)])
    func check(limit: UInt, isRefused: Bool) {
        let isAllowed: ()? = try? SpareDescriptors.check(limit: limit)
        #expect((isAllowed == nil) == isRefused)
    }
}
