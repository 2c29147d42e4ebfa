import Testing

@testable import CastSender

@Suite struct DeviceKeysTests {
    @Test("full keys forget the device that was not seen for the longest time")
    func room() {
        let keys = DeviceKeys(Dictionary(uniqueKeysWithValues: (1...DeviceKeys.limit).map { ("d\($0 + 10_000)", "k\($0)") }))
        #expect(keys.compare("k1", of: "d10001") == .unchanged)
        let first = keys.remember("n", of: "new")
        #expect(first?.forgotten == "d10002" && first?.isFirst == true)
        #expect(keys.remember("other", of: "new") == nil, "a device keeps its first key")
        #expect(keys.compare("n", of: "new") == .unchanged)
        #expect(keys.compare("k1", of: "d10001") == .unchanged)
        #expect(keys.compare("k2", of: "d10002") == .firstSeen)
        let second = keys.remember("m", of: "newer")
        #expect(second?.forgotten == "d10003" && second?.isFirst == false)
        #expect(keys.fingerprints.count == DeviceKeys.limit)
    }
}
