import BridgeCore
import Logging
import NIOCore
import Synchronization
import Testing

@testable import Dashboard

@Suite("What the log has of a listener") struct ListenerReportTests {
    private final class Lines: Sendable { let all = Mutex<[String]>([]) }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.lines.all.withLock { $0.append("\(event.level) \(event.message)") } }
    }

    @Test("the first failure is a warning, and again the first one after it was open")
    func failures() throws {
        let lines = Lines()
        let report = ListenerReport(
            address: "127.0.0.1:8099", logger: Logger(label: "test") { _ in Recorder(lines: lines) })
        let taken = IOError(errnoCode: 98, reason: "bind")
        let local = try SocketAddress(ipAddress: "127.0.0.1", port: 8099)
        report.ended(taken)
        report.ended(taken)
        report.opened(local, isTLS: false)
        report.ended(nil)
        report.ended(taken)
        report.opened(local, isTLS: false)
        report.ended(taken)
        report.opened(local, isTLS: false)
        report.paused(IOError(errnoCode: 24, reason: "accept"), isNew: true)
        report.paused(IOError(errnoCode: 24, reason: "accept"), isNew: false)
        #expect(
            lines.all.withLock { $0 } == [
                "warning web server can't listen", "debug web server can't listen", "notice web server listens",
                "warning web listener ended", "debug web server can't listen", "notice web server listens",
                "warning web server can't listen", "notice web server listens", "warning web server can't accept connections",
                "debug web server can't accept connections",
            ])
    }
}
