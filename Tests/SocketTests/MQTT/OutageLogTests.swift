import Logging
import Testing

@testable import MQTTClient
@testable import NetworkReach

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

    @Test("a broker that is away for seven days costs fewer than 100 lines of the default level, whatever its host answers")
    func week() {
        let (logger, lines) = LogLines.make()
        let configuration = MQTTConfiguration(host: "h", port: 1883, clientID: "c")
        var log = OutageLog(logger: logger, configuration: configuration)
        var machine = MQTTConnectionMachine(
            nameLimit: .seconds(7), connectLimit: .seconds(5), attemptLimit: .seconds(10),
            fallback: ProtocolFallback(preference: .auto, remembered: nil, now: .zero))
        let address = NumericAddress(family: .ipv4, host: "192.0.2.1", port: 1883, bytes: [1])
        var refused = MQTTLinkError(.cannotConnect, detail: "refused")
        refused.isRefusedByHost = true
        var (now, attempts, action) = (Duration.zero, 0, machine.start(now: .zero))
        while now < .seconds(7 * 86_400) {
            let jitter = Double(attempts % 10) / 10
            switch action {
            case .resolve:
                attempts += 1
                action =
                    attempts % 10 == 0
                    ? machine.resolutionFailed(MQTTLinkError(.nameResolutionTimedOut, detail: "no answer"), now: now, jitter: jitter)
                    : machine.resolved([address], now: now)
            case .open where attempts % 3 == 0:
                now += .seconds(5)
                action = machine.deadlineReached(now: now, jitter: jitter)
            case .open where attempts % 3 == 1:
                action = machine.linkEnded(refused, now: now, jitter: jitter)
            case .open: action = machine.connected(now: now)
            case .handshake: action = machine.linkEnded(MQTTLinkError(.closedBeforeConnack, detail: "closed"), now: now, jitter: jitter)
            case .retry(let delay, let error):
                log.failed(error, retryIn: delay, now: now)
                now += delay
                action = machine.deadlineReached(now: now, jitter: jitter)
            default:
                Issue.record("\(action)")
                return
            }
        }
        #expect(attempts > 10_000)
        let visible = lines.all.filter { $0.level >= .info }
        #expect(!visible.isEmpty && visible.count < 100, "\(visible.count) lines")
        #expect(lines.all.count >= attempts - 1, "each attempt is in the log of level debug")
    }
}
