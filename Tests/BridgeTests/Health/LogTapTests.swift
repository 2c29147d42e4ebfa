import BridgeCore
import Testing

@testable import Bridge

@Suite("The tap for log lines")
struct LogTapTests {
    @Test("keeps 256 lines for the bridge, and none while nothing takes them")
    func bound() {
        let tap = LogTap(level: PublishedLogLevel(.info))
        func offer(_ count: Int) {
            for number in 0..<count {
                tap.offer(LogLine(level: .warning, source: "test", message: "line \(number)"), at: Timestamp(milliseconds: 0))
            }
        }
        offer(10)
        tap.attach {}
        offer(300)
        #expect(tap.take().map(\.line.message) == (0..<LogTap.maximumLines).map { "line \($0)" })
        offer(1)
        #expect(tap.take().count == 1)
    }
}
