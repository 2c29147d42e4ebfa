import BridgeCore
import MQTTClient
import NIOCore
import Synchronization

/// One look for another bridge, over a link with a client id of its own: with the bridge's, the broker would end the link of another bridge that has the same `instance`.
///
/// Works on the MQTT thread and Swift's pool. The event loop begins the links to all devices at that time, and each turn would delay the first connection.
final class OtherBridgeLook: Sendable {
    private struct State {
        var probe: OtherBridgeProbe
        var link: (any BrokerLink)?
        var limit: Scheduled<Void>?
    }

    private let state: Mutex<State>
    private let request: MQTTMessage?
    private let eventLoop: any EventLoop
    private let onProtocolChosen: @Sendable (MQTTProtocolVersion) -> Void
    private let verdicts: AsyncStream<OtherBridgeProbe.Verdict>
    private let verdict: AsyncStream<OtherBridgeProbe.Verdict>.Continuation

    /// - Parameters:
    ///   - request: the packet of the probe's request.
    ///   - eventLoop: has the clock.
    ///   - onProtocolChosen: the broker turned out to need this version.
    init(
        _ probe: OtherBridgeProbe, request: MQTTMessage?, eventLoop: any EventLoop,
        onProtocolChosen: @escaping @Sendable (MQTTProtocolVersion) -> Void
    ) {
        self.state = Mutex(State(probe: probe))
        self.request = request
        self.eventLoop = eventLoop
        self.onProtocolChosen = onProtocolChosen
        (self.verdicts, self.verdict) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Tries at once instead of waiting for the next attempt.
    func wake() { self.state.withLock { $0.link }?.wake() }

    /// Returns when the verdict is known, or when the task is cancelled.
    func run(_ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration) async -> OtherBridgeProbe.Verdict {
        let link = makeLink(configuration) { [weak self] event in self?.handle(event) }
        self.state.withLock { $0.link = link }
        async let running: Void = link.run()
        var found = OtherBridgeProbe.Verdict.alone
        for await verdict in self.verdicts {
            found = verdict
            break
        }
        self.setLimit(nil)
        await link.stop(publishing: nil, within: .zero)
        await running
        return found
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected(let session): self.ask(epoch: session.epoch)
        case .message(let message, _):
            let verdict = self.state.withLock { $0.probe.received(IncomingMessage(message)) }
            if let verdict { self.verdict.yield(verdict) }
        // The link comes back by itself.
        case .disconnected: self.setLimit(nil)
        // The broker may refuse this client id and not the bridge's own, whose link says what is wrong otherwise.
        case .attemptFailed(let error, _): if !error.heals { self.verdict.yield(.alone) }
        case .protocolChosen(let version): self.onProtocolChosen(version)
        case .published, .messageTooLarge, .ownerCheck: break
        }
    }

    private func ask(epoch: UInt64) {
        let (link, filters) = self.state.withLock { ($0.link, $0.probe.filters) }
        link?.subscribe(filters.map { MQTTSubscription(filter: $0) }, epoch: epoch) { _ in }
        if let request { link?.publish(MQTTBatch(request), epoch: epoch, isAwaited: false) }
        self.setLimit(self.eventLoop.scheduleTask(in: TimeAmount(OtherBridgeProbe.patience)) { [verdict] in _ = verdict.yield(.alone) })
    }

    private func setLimit(_ limit: Scheduled<Void>?) {
        let former = self.state.withLock { state in
            defer { state.limit = limit }
            return state.limit
        }
        former?.cancel()
    }
}
