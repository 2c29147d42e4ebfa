import Logging
import Testing

@testable import MQTTClient

@Suite("What the log has of an outage") struct OutageLogTests {
    @Test("a refusal of another client id is no warning, a broker that is away is one", arguments: [false, true])
    func probe(isProbe: Bool) {
        let (logger, lines) = LogLines.make()
        var configuration = MQTTConfiguration(host: "h", port: 1883, clientID: "c")
        configuration.isProbe = isProbe
        var log = OutageLog(logger: logger, configuration: configuration)
        let refusal = MQTTLinkError(.refusedByBroker, reasonCode: .clientIdentifierNotValid, detail: "")
        log.failed(refusal, retryIn: .seconds(1), now: .zero)
        log.failed(MQTTLinkError(.cannotConnect, detail: ""), retryIn: .seconds(1), now: .zero)
        log.failed(MQTTLinkError(.cannotConnect, detail: ""), retryIn: .seconds(1), now: .zero)
        #expect(lines.all.map(\.level) == [isProbe ? .debug : .warning, .warning, .debug])
    }
}
