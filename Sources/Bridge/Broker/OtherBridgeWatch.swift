import BridgeCore
import CastSender
import EventLoopTiming
import Logging
import MQTTClient
import NIOCore

/// Keeps the bridge from its broker while another one works with the same base.
///
/// Its links have a client id of their own: with the bridge's, the broker would end the link of another bridge that has the same `instance`.
final class OtherBridgeWatch {
    /// Between two looks at a base that is in use.
    static let pause = TimeAmount.seconds(30)

    private let context: BridgeContext
    /// The broker turned out to need this version.
    private let onProtocolChosen: (MQTTProtocolVersion) -> Void
    private var link: (any BrokerLink)?
    private var probe: OtherBridgeProbe
    private var verdict: EventLoopPromise<OtherBridgeProbe.Verdict>?
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.finish(.alone) }

    init(_ context: BridgeContext, onProtocolChosen: @escaping (MQTTProtocolVersion) -> Void) {
        self.context = context
        self.onProtocolChosen = onProtocolChosen
        self.probe = OtherBridgeProbe(topics: context.topics, nonce: 0)
    }

    /// Tries at once instead of waiting for the next attempt.
    func wake() { self.link?.wake() }

    /// Returns once no other bridge answers, or when the task is cancelled.
    nonisolated(nonsending) func waitUntilAlone(_ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration) async {
        var hasWarned = false
        while case .occupied(let other) = await self.look(makeLink, configuration) {
            self.context.logger.log(
                level: hasWarned ? .debug : .warning, "another bridge uses the same base; waiting for its end",
                metadata: [
                    "mqtt.base": "\(self.context.topics.base)", "instance": "\(other.instance ?? "-")",
                    "version": "\(other.version ?? "-")", "client_id": "\(other.clientID ?? "-")",
                    "started_at": "\(other.startedAt ?? "-")",
                    "remedy": "stop it, or give this one its own mqtt.base, instance and state_directory",
                ])
            hasWarned = true
            await sleep(Self.pause, on: self.context.loop.eventLoop)
            if Task.isCancelled { return }
        }
        if hasWarned, !Task.isCancelled { self.context.logger.info("the other bridge has ended") }
    }

    /// Looks once, as soon as the broker can be reached.
    private nonisolated(nonsending) func look(
        _ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration
    ) async -> OtherBridgeProbe.Verdict {
        let nonce = UInt64(self.context.random() * Double(1 << 48))
        self.probe = OtherBridgeProbe(topics: self.context.topics, nonce: nonce)
        var configuration = configuration
        // 22 characters: brokers of MQTT 3.1.1 may refuse more than 23.
        let digits = String(nonce, radix: 16)
        configuration.clientID = "cast2mqtt-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        configuration.will = nil
        configuration.sessionExpirySeconds = 0
        let verdict = self.context.loop.eventLoop.makePromise(of: OtherBridgeProbe.Verdict.self)
        self.verdict = verdict
        let link = makeLink(configuration, self.context.loop.entrance { [weak self] event in self?.handle(event) })
        self.link = link
        defer { (self.link, self.verdict) = (nil, nil) }
        async let running: Void = link.run()
        let found = await withTaskCancellationHandler {
            try? await verdict.futureResult.get()
        } onCancel: {
            verdict.succeed(.alone)
        }
        self.deadline.cancel()
        await link.stop(publishing: nil, within: .zero)
        await running
        return found ?? .alone
    }

    private func finish(_ verdict: OtherBridgeProbe.Verdict) { self.verdict?.succeed(verdict) }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected(let session): self.ask(session)
        case .message(let message, _): if let verdict = self.probe.received(IncomingMessage(message)) { self.finish(verdict) }
        // The link comes back by itself.
        case .disconnected: self.deadline.cancel()
        // The broker may refuse this client id and not the bridge's own, whose link says what is wrong otherwise.
        case .attemptFailed(let error, _): if !error.heals { self.finish(.alone) }
        case .protocolChosen(let version): self.onProtocolChosen(version)
        case .published, .messageTooLarge, .ownerCheck: break
        }
    }

    private func ask(_ session: MQTTSession) {
        self.link?.subscribe(self.probe.filters.map { MQTTSubscription(filter: $0) }, epoch: session.epoch) { _ in }
        var batch = MQTTBatch()
        self.context.packets.append(
            self.probe.request, at: self.context.now.wall, maximumQoS: session.limits.maximumQoS, token: 0, to: &batch)
        self.link?.publish(batch, epoch: session.epoch, isAwaited: false)
        self.deadline.set(self.context.time + OtherBridgeProbe.patience)
    }
}
