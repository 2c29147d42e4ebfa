import BridgeCore
import CastSender
import MQTTClient

/// The link of one member of a pair, with a client id of its own, over which the members agree in every role; the leader's documents and
/// commands go over the pair's link.
final class PairLink {
    enum Event {
        case up, down
        case message(IncomingMessage)
        case published(MQTTPublished)
        /// What the broker retains below `bridge/pair` was delivered before this, unless the broker refused it.
        case subscribed(isRefused: Bool)
    }

    private let context: BridgeContext
    private let memberTopic: String
    private var link: (any BrokerLink)?
    private var epoch: UInt64?
    private var lastToken: UInt64 = 0

    init(_ context: BridgeContext, owner: String) {
        (self.context, self.memberTopic) = (context, context.topics.pair("members/\(owner)"))
    }

    var isUp: Bool { self.epoch != nil }

    /// Keeps the link up until the task is cancelled or `stop` is called.
    nonisolated(nonsending) func run(
        _ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration, onEvent: @escaping (Event) -> Void
    ) async {
        var configuration = configuration.asProbe(nonce: UInt64(self.context.random() * Double(1 << 48)))
        (configuration.keepAliveSeconds, configuration.isProbe) = (5, false)
        // What a link did not deliver by then is dropped, so that an old claim never arrives late.
        configuration.halfOpenLimit = PairElection.patience + .seconds(1)
        configuration.will = self.farewell
        let enter = self.context.loop.entrance { [weak self] (event: MQTTEvent) in self?.handle(event, onEvent) }
        let link = makeLink(configuration) { enter($0) }
        self.link = link
        await link.run()
    }

    /// Retries at once instead of waiting for the next attempt.
    func wake() { self.link?.wake() }

    /// Ends the link, and with it what the others know of this member.
    nonisolated(nonsending) func stop() async { await self.link?.stop(publishing: self.farewell, within: .milliseconds(400)) }

    private var farewell: MQTTMessage? { self.context.packets.packet(of: .clearing(self.memberTopic), at: self.context.now.wall) }

    private func handle(_ event: MQTTEvent, _ onEvent: @escaping (Event) -> Void) {
        switch event {
        case .connected(let session):
            self.epoch = session.epoch
            onEvent(.up)
            self.subscribe(session.epoch, onEvent)
        case .disconnected:
            self.epoch = nil
            onEvent(.down)
        case .message(let message, let epoch): if epoch == self.epoch { onEvent(.message(IncomingMessage(message))) }
        case .published(let published, let epoch): if epoch == self.epoch { published.forEach { onEvent(.published($0)) } }
        case .ownerCheck: self.link?.confirmOwner()
        case .attemptFailed, .messageTooLarge, .protocolChosen: break
        }
    }

    private func subscribe(_ epoch: UInt64, _ onEvent: @escaping (Event) -> Void) {
        let topics = self.context.topics
        let filters = ["claim", "members/+", "record/+", "settings"].map { MQTTSubscription(filter: topics.pair($0), qos: .atLeastOnce) }
        self.link?.subscribe(filters, epoch: epoch) { _ in }
        // Brokers answer in order: what is retained arrives before the answer to this.
        let last = MQTTSubscription(filter: topics.pair("claim"), qos: .atLeastOnce, retainHandling: .doNotSend)
        let answered = self.context.loop.entrance { [weak self] (outcome: MQTTSubscribeOutcome) in
            guard self?.epoch == epoch, case .acknowledged(let codes) = outcome else { return }
            onEvent(.subscribed(isRefused: codes.contains(where: \.isFailure)))
        }
        self.link?.subscribe([last], epoch: epoch, completion: answered)
    }

    /// Tells the other member, and through the leader everybody, of this one.
    @discardableResult
    func announce(_ member: PairMember) -> UInt64? {
        self.send([
            OutgoingMessage(
                topic: self.memberTopic, payload: JSONWriter.bytes(of: .object(member.message)), qos: 1, retain: true, content: .json)
        ])
    }

    /// - Returns: the token of the last message; `nil` when none was sent.
    @discardableResult
    func send(_ messages: [OutgoingMessage]) -> UInt64? {
        guard let link, let epoch, !messages.isEmpty else { return nil }
        var batch = MQTTBatch()
        for message in messages {
            self.lastToken += 1
            self.context.packets.append(
                message, at: self.context.now.wall, maximumQoS: .atLeastOnce, token: self.lastToken, to: &batch)
        }
        link.publish(batch, epoch: epoch, isAwaited: true)
        return self.lastToken
    }
}
