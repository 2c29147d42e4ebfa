import CastModels
import CastTestSupport
import Logging
import Testing

@testable import CastSender

@Suite struct CastLogTests {
    /// Keeps what it is given.
    private struct Recorder: LogHandler {
        let lines: Locked<[String]>
        let label: String
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.critical

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.lines.value += ["\(event.level) \(self.label): \(event.message)"] }
    }

    private static func filters(_ level: LogLevel, _ exceptions: [String]) -> LogFilters {
        LogFilters(level: level, filters: exceptions.compactMap { LogFilter($0) })
    }

    @Test(
        "a minimum level holds for all, and patterns make exceptions, the last one deciding",
        arguments: [
            ([], ["info a", "error a", "info b", "error b"]),
            (["CastSender.A=trace"], ["trace a", "info a", "error a", "info b", "error b"]),
            (["CastSender.*=error"], ["error a", "error b"]),
            (["*=error", "*.B=trace"], ["error a", "trace b", "info b", "error b"]), (["*.B=trace", "*=error"], ["error a", "error b"]),
        ] as [([String], [String])])
    func levels(exceptions: [String], expected: [String]) {
        let lines = Locked<[String]>([])
        let log = CastLog(Self.filters(.info, exceptions))
        for (label, message) in [("CastSender.A", "a"), ("CastSender.B", "b")] {
            let logger = log.logger(label) { Recorder(lines: lines, label: $0) }
            for level in [Logger.Level.trace, .info, .error] { logger.log(level: level, "\(level) \(message)") }
        }
        #expect(lines.value.compactMap { $0.split(separator: ": ").last.map(String.init) } == expected)
    }

    @Test("levels change while the program runs, for loggers that exist")
    func changes() {
        let lines = Locked<[String]>([])
        let log = CastLog()
        let logger = log.logger("CastSender.SessionManager") { Recorder(lines: lines, label: $0) }
        logger.debug("first")
        log.filters = Self.filters(.error, ["CastSender.Session*=debug"])
        logger.debug("second")
        log.filters.filters = []
        logger.info("third")
        #expect(lines.value == ["debug CastSender.SessionManager: second"])
        #expect(log.level(of: "CastSender.SessionManager") == .error)
    }

    @Test("metadata passes, and a level set on one logger changes nothing")
    func passing() {
        let log = CastLog()
        var logger = log.logger("x") { Recorder(lines: Locked([]), label: $0) }
        logger[metadataKey: "cast.device"] = "aa11"
        #expect(logger[metadataKey: "cast.device"] == "aa11")
        logger.logLevel = .trace
        #expect(logger.logLevel == .info)
    }

    @Test("each type of the library logs under its own label")
    func labels() {
        let labels = Locked<[String]>([])
        let virtual = VirtualLoop()
        _ = CastContext(
            options: CastOptions(), eventLoop: virtual.loop, connector: MemoryConnector(virtual),
            logger: {
                labels.value += [$0]
                return Logger(label: $0)
            })
        #expect(
            labels.value.sorted() == [
                "CastSender.CastConnection", "CastSender.CastSession", "CastSender.DeviceSupervisor", "CastSender.DiscoveryManager",
                "CastSender.RemoteMediaClient", "CastSender.SessionManager",
            ])
    }
}
