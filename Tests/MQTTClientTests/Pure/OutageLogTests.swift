import Logging
import Synchronization
import Testing

@testable import MQTTClient

@Suite("What the log has of an outage") struct OutageLogTests {
    private final class Lines: Sendable { let all = Mutex<[String]>([]) }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.lines.all.withLock { $0.append("\(event.level)") } }
    }

    @Test("A refusal of another client id is no warning, a broker that is away is one", arguments: [false, true])
    func probe(isProbe: Bool) {
        let lines = Lines()
        var configuration = MQTTConfiguration(host: "h", port: 1883, clientID: "c")
        configuration.isProbe = isProbe
        var log = OutageLog(logger: Logger(label: "test") { _ in Recorder(lines: lines) }, configuration: configuration)
        let refusal = MQTTLinkError(.refusedByBroker, reasonCode: .clientIdentifierNotValid, detail: "")
        log.failed(refusal, retryIn: .seconds(1), now: .zero)
        log.failed(MQTTLinkError(.cannotConnect, detail: ""), retryIn: .seconds(1), now: .zero)
        log.failed(MQTTLinkError(.cannotConnect, detail: ""), retryIn: .seconds(1), now: .zero)
        #expect(lines.all.withLock { $0 } == [isProbe ? "debug" : "warning", "warning", "debug"])
    }
}
