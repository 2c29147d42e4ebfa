import BridgeCore
import MQTTClient
import NIOCore
import Synchronization

/// Carries out one `BridgeSearch`, over a link with a separate client id: with the bridge's own, the broker would disconnect a bridge with
/// the same `instance`.
///
/// Runs on the MQTT thread and Swift's pool. While a bridge starts, its event loop opens the links to all devices, and each turn would
/// delay the first connection.
final class BridgeSearchLink: Sendable {
    /// The time limit of a search. Permanent errors end it at once.
    enum Patience: Sendable {
        /// The limit applies to the answer on each link; waiting for the broker has no limit.
        case sinceConnection(Duration)
        /// The limit applies to everything together.
        case sinceStart(Duration)
    }

    private struct State {
        var search: BridgeSearch
        var link: (any BrokerLink)?
        var limit: Scheduled<Void>?
    }

    private let state: Mutex<State>
    private let configuration: LinkConfiguration
    private let request: MQTTMessage?
    private let patience: Patience
    private let eventLoop: any EventLoop
    private let onProtocolChosen: @Sendable (MQTTProtocolVersion) -> Void
    private let findings: AsyncStream<BridgeSearch.Finding>
    private let finding: AsyncStream<BridgeSearch.Finding>.Continuation

    /// - Parameters:
    ///   - nonce: any number below 2^48 that was not used before.
    ///   - configuration: the bridge's configuration; the search replaces client id and will.
    ///   - makeRequest: creates the packet of the search's request.
    ///   - eventLoop: provides the clock.
    ///   - onProtocolChosen: called when the broker required another version.
    init(
        topics: TopicTree, nonce: UInt64, configuration: LinkConfiguration, patience: Patience,
        makeRequest: (OutgoingMessage) -> MQTTMessage?,
        eventLoop: any EventLoop, onProtocolChosen: @escaping @Sendable (MQTTProtocolVersion) -> Void = { _ in }
    ) {
        let search = BridgeSearch(topics: topics, nonce: nonce)
        self.state = Mutex(State(search: search))
        self.configuration = configuration.asProbe(nonce: nonce)
        self.request = makeRequest(search.request)
        self.patience = patience
        self.eventLoop = eventLoop
        self.onProtocolChosen = onProtocolChosen
        (self.findings, self.finding) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Retries at once instead of waiting for the next attempt.
    func wake() { self.state.withLock { $0.link }?.wake() }

    /// Returns the finding; when the task is cancelled, the one known so far.
    func run(_ makeLink: BrokerLinkFactory) async -> BridgeSearch.Finding {
        let link = makeLink(self.configuration) { [weak self] event in self?.handle(event) }
        self.state.withLock { $0.link = link }
        if case .sinceStart(let duration) = self.patience { self.setLimit(duration) }
        async let running: Void = link.run()
        let first = await self.findings.first { _ in true }
        self.setLimit(nil)
        await link.stop(publishing: nil, within: .zero)
        await running
        return first ?? self.state.withLock { $0.search.findingAtLimit }
    }

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected(let session):
            self.state.withLock { $0.search.connected() }
            self.ask(epoch: session.epoch)
        case .message(let message, _):
            if let finding = self.state.withLock({ $0.search.received(IncomingMessage(message)) }) { self.finding.yield(finding) }
        // The link reconnects by itself.
        case .disconnected(_, let error):
            self.state.withLock { $0.search.failed("\(error)") }
            if case .sinceConnection = self.patience { self.setLimit(nil) }
        case .attemptFailed(let error, _):
            self.state.withLock { $0.search.failed("\(error)") }
            if !error.isTemporary { self.finding.yield(.unreachable("\(error)")) }
        case .protocolChosen(let version): self.onProtocolChosen(version)
        case .published, .messageTooLarge, .ownerCheck: break
        }
    }

    private func ask(epoch: UInt64) {
        let (link, filters) = self.state.withLock { ($0.link, $0.search.filters) }
        link?.subscribe(filters.map { MQTTSubscription(filter: $0) }, epoch: epoch) { _ in }
        if let request { link?.publish(MQTTBatch(request), epoch: epoch, isAwaited: false) }
        if case .sinceConnection(let duration) = self.patience { self.setLimit(duration) }
    }

    private func setLimit(_ duration: Duration?) {
        let limit = duration.map { duration in
            self.eventLoop.scheduleTask(in: TimeAmount(duration)) { [weak self] in
                guard let self else { return }
                self.finding.yield(self.state.withLock { $0.search.findingAtLimit })
            }
        }
        let former = self.state.withLock { state in
            defer { state.limit = limit }
            return state.limit
        }
        former?.cancel()
    }
}
