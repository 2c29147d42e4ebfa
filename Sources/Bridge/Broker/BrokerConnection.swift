import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient

/// The connection to the broker: the link, its epoch and limits, and the subscriptions for commands.
///
/// ```
///  down ─connected─► subscribing ─SUBACK─► subscribed
///   ▲                     │ refused: tried again after a second
///   └────── disconnected ─┴── from any of them; every completion of the former epoch is dropped
/// ```
final class BrokerConnection {
    /// The pause between two attempts to subscribe when the client refused the call.
    static let subscribingPause = Duration.seconds(1)

    enum Event {
        case connected(Publisher.LinkLimits, isFirst: Bool)
        /// All subscriptions are acknowledged: commands reach the bridge.
        case subscribed
        /// The link ended; by the broker, unless `nil`.
        case disconnected(Publisher.Cut?)
        case message(IncomingMessage)
        case published([MQTTPublished])
        /// The broker required this version.
        case protocolChosen(MQTTProtocolVersion)
        case pair(Pair.Event)
    }

    /// How long optional subscriptions are left out after two that the broker did not answer.
    private static let optionalPause = Duration.seconds(6 * 3600)

    private let context: BridgeContext
    private var subscriptions: CommandSubscriptions
    private let devices: () -> [DeviceState]
    private let onEvent: (Event) -> Void
    /// The retained documents that each connection reads before the state is sent, so that equal ones are not sent again.
    private let readBack: [MQTTSubscription]
    private let intake = Intake()
    /// The messages for the next `flush`, and the time in their documents.
    private var batch = MQTTBatch()
    private var batchTime = Timestamp(milliseconds: 0)
    /// Whether the link reports outcomes as soon as they are known.
    private var isAwaiting = true
    /// The optional subscriptions, in a row, that the broker did not answer before it ended the link, and until when none is sent after two.
    private var unanswered: (count: Int, until: MonotonicTime?) = (0, nil)
    private var link: (any BrokerLink)?
    private(set) var session: MQTTSession?
    /// Whether the subscriptions of this link, and of any, are acknowledged.
    private var isSubscribed = (now: false, once: false)
    private(set) lazy var others = OtherBridges(
        self.context, connection: self, devices: self.devices, onProtocolChosen: { [weak self] in self?.onEvent(.protocolChosen($0)) },
        onPairEvent: { [weak self] in self?.onEvent(.pair($0)) })
    private lazy var subscribingDeadline = self.context.loop.deadline { [weak self] in self?.subscribe() }

    init(_ context: BridgeContext, devices: @escaping () -> [DeviceState], onEvent: @escaping (Event) -> Void) {
        self.context = context
        self.subscriptions = CommandSubscriptions(topics: context.topics, birthTopic: context.settings.birthTopic)
        self.devices = devices
        self.onEvent = onEvent
        var readBack = context.settings.homeAssistant.mode == .off ? [] : [context.topics.status("+", TopicMapper.artworkName)]
        if context.settings.artwork.publishesImages { readBack.append(context.topics.device("+", TopicMapper.artworkImageName)) }
        self.readBack = readBack.map { MQTTSubscription(filter: $0, qos: .atMostOnce, noLocal: true) }
    }

    /// Creates the link; its owner runs it.
    func open(_ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration) -> any BrokerLink {
        let enter = self.context.loop.entrance { [weak self, intake] (event: MQTTEvent) in
            intake.took(event)
            self?.handle(event)
        }
        let link = makeLink(configuration) { [intake] event in if intake.admits(event) { enter(event) } }
        self.link = link
        return link
    }

    /// The number of messages that were dropped because the event loop was behind.
    var droppedMessages: Int { self.intake.dropped }

    /// Retries at once instead of waiting for the next attempt.
    func wake() {
        self.others.search.wake()
        self.others.pair?.wakeLink()
        self.link?.wake()
    }

    /// Ends the link, if there is one: publishes `farewell`, waits at most `limit` for it, and disconnects.
    nonisolated(nonsending) func stop(publishing farewell: MQTTMessage?, within limit: Duration) async {
        await self.link?.stop(publishing: farewell, within: limit)
    }

    func end() {
        self.subscribingDeadline.cancel()
        self.others.shared.linkDown()
        self.others.pair?.end()
    }

    var allowsWildcards: Bool { self.session?.limits.wildcardAvailable != false }

    // MARK: What the link reports

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected(let session): self.connected(session)
        case .disconnected(_, let error):
            self.session = nil
            self.subscribingDeadline.cancel()
            self.others.shared.linkDown()
            let code = error.reasonCode.map { Int($0.rawValue) } ?? error.result.map { Int($0.rawValue) }
            self.context.count { $0.mqttLastDisconnectCode = code }
            self.onEvent(.disconnected(self.cut(by: error)))
            // This code runs, so the event loop works again.
            if error.code == .ownerStalled { self.wake() }
        case .ownerCheck: self.link?.confirmOwner()
        case .attemptFailed: break
        case .message(let message, let epoch):
            guard epoch == self.session?.epoch else { return }
            self.context.count { $0.mqttReceived += 1 }
            // What the session of the leader before kept may have been done by it.
            if self.context.lease != nil, !self.isSubscribed.now, !message.retain { return }
            guard !self.subscriptions.isOwnClearing(message, now: self.context.time) else { return }
            let incoming = IncomingMessage(message)
            if !self.others.shared.received(incoming) { self.onEvent(.message(incoming)) }
        case .published(let published, let epoch):
            if epoch == self.session?.epoch { self.onEvent(.published(published)) }
        case .messageTooLarge(let topic, let bytes, let epoch):
            guard epoch == self.session?.epoch else { return }
            self.context.logger.warning("dropped a message that is too large", metadata: [.topic: "\(topic)", .bytes: "\(bytes)"])
        case .protocolChosen(let version): self.onEvent(.protocolChosen(version))
        }
    }

    /// Returns how the broker ended the link; `nil` when another cause ended it.
    private func cut(by error: MQTTLinkError) -> Publisher.Cut? {
        let isByBroker = [.connectionLost, .repeatedlyLost, .disconnectedByBroker].contains(error.code)
        return isByBroker ? (error.reasonCode?.rawValue, self.context.time) : nil
    }

    private func connected(_ session: MQTTSession) {
        self.session = session
        self.isSubscribed.now = false
        self.subscriptions.ownClearings = [:]
        self.batch.removeAll()
        self.isAwaiting = true
        self.context.count { $0.mqttConnects += 1 }
        let limits = Publisher.LinkLimits(
            receiveMaximum: Int(session.limits.receiveMaximum), maximumPacketSize: session.limits.maximumPacketSize.map { Int($0) })
        self.onEvent(.connected(limits, isFirst: session.epoch == 1))
        self.warn(about: session.limits)
        self.subscribe()
    }

    private func warn(about limits: MQTTLimits) {
        if !limits.retainAvailable {
            self.context.logger.warning("broker keeps no retained messages: clients see a device's state only when it changes")
        }
        if !limits.wildcardAvailable {
            self.context.logger.warning(
                "broker allows no wildcards: only <dev>/set and <dev>/cmd with JSON and bridge/request/<verb> reach the bridge, and stale topics stay"
            )
        }
        if limits.maximumQoS == .atMostOnce { self.context.logger.warning("broker accepts QoS 0 only: delivery is not confirmed") }
    }

    // MARK: Subscriptions

    /// Requests retained commands once per process, so that each is reported to the user; later subscriptions would only repeat them.
    private func subscribe() {
        // Brokers answer in order: retained messages arrive before the SUBACK of the commands. A broker that sends them later receives the
        // documents again.
        if self.allowsWildcards, !self.readBack.isEmpty { self.subscribe(self.readBack) { _ in } }
        let filters = self.commandSubscriptions(retainHandling: self.isSubscribed.once ? .doNotSend : .send)
        self.subscribe(filters) { [weak self] outcome in self?.subscribed(outcome) }
    }

    /// Returns the filters of commands, for a scan of retained commands.
    func commandSubscriptions(retainHandling: MQTTSubscription.RetainHandling) -> [MQTTSubscription] {
        self.subscriptions.all(allowsWildcards: self.allowsWildcards, slugs: self.devices().map(\.slug), retainHandling: retainHandling)
    }

    /// Handles a new slug: without wildcards, its topics must be subscribed by name.
    func slugAssigned(_ slug: String) {
        guard self.session != nil, !self.allowsWildcards, self.isSubscribed.once else { return }
        self.subscribe(self.subscriptions.device(slug, retainHandling: .doNotSend)) { _ in }
    }

    private func subscribed(_ outcome: MQTTSubscribeOutcome) {
        switch outcome {
        case .acknowledged(let codes):
            if let refused = codes.first(where: \.isFailure) {
                self.context.logger.error(
                    "broker refused subscription; commands will not arrive",
                    metadata: [.reason: "\(refused)", .remedy: "check its access rules"])
            }
            self.isSubscribed = (true, true)
            // Before the first document is sent, because over MQTT 3.1.1 the broker would send it back.
            if self.allowsWildcards, !self.readBack.isEmpty { self.unsubscribe(self.readBack.map(\.filter)) }
            // The late will of another bridge overwrites it.
            let state = self.context.topics.bridge("state")
            self.subscribe([MQTTSubscription(filter: state, noLocal: true, retainHandling: .doNotSend)], isOptional: true) { _ in }
            self.others.shared.subscribed()
            self.onEvent(.subscribed)
        case .refused(let refusal):
            self.context.logger.error("subscriptions could not be sent; trying again", metadata: [.reason: "\(refusal)"])
            self.subscribingDeadline.set(self.context.time + Self.subscribingPause)
        case .connectionLost: break
        }
    }

    /// Subscribes on the current link.
    /// - Parameters:
    ///   - isOptional: whether to do without at a broker that ends the link because of it.
    ///   - completion: called on the event loop, only while that link is up.
    func subscribe(_ filters: [MQTTSubscription], isOptional: Bool = false, completion: @escaping (MQTTSubscribeOutcome) -> Void) {
        guard let link, let epoch = self.session?.epoch else { return }
        if isOptional {
            if let until = self.unanswered.until, self.context.time < until { return completion(.connectionLost) }
            self.unanswered.count += 1
            self.unanswered.until = self.unanswered.count > 2 ? self.context.time + Self.optionalPause : nil
            guard self.unanswered.until == nil else {
                self.unanswered.count = 0
                self.context.logger.warning("broker ends the link when it is asked for what it retains; it is not asked for hours")
                return completion(.connectionLost)
            }
        }
        let answered = self.inEpoch(epoch) { [weak self] (outcome: MQTTSubscribeOutcome) in
            if isOptional, case .acknowledged = outcome { self?.unanswered.count = 0 }
            completion(outcome)
        }
        link.subscribe(filters, epoch: epoch, completion: answered)
    }

    /// Ends subscriptions, but never that of the bridge's own state, which is watched as long as the link is up.
    func unsubscribe(_ filters: [String]) {
        let ended = filters.filter { $0 != self.context.topics.bridge("state") }
        guard let link, let epoch = self.session?.epoch, !ended.isEmpty else { return }
        link.unsubscribe(ended, epoch: epoch) { _ in }
    }

    /// Returns a closure for the MQTT thread that calls `completion` on the event loop during the current epoch.
    private func inEpoch<Outcome: Sendable>(
        _ epoch: UInt64, _ completion: @escaping (Outcome) -> Void
    ) -> @Sendable (Outcome) -> Void {
        self.context.loop.entrance { [weak self] outcome in
            if epoch == self?.session?.epoch { completion(outcome) }
        }
    }

    // MARK: Sending

    /// Appends a message to those that the next `flush` sends. Its outcome is reported by token, and only while the current link is up.
    func append(_ message: OutgoingMessage, _ token: Publisher.Token) {
        guard let maximumQoS = self.session?.limits.maximumQoS else { return }
        if self.batch.isEmpty { self.batchTime = self.context.now.wall }
        if message.retain, message.payload.isEmpty, self.context.parser.isCommandTopic(message.topic),
            let version = self.session?.protocolVersion
        {
            self.subscriptions.cleared(message.topic, over: version, now: self.context.time)
        }
        self.context.packets.append(message, at: self.batchTime, maximumQoS: maximumQoS, token: token.number, to: &self.batch)
    }

    /// Appends those messages of a batch that have a token to those that the next `flush` sends.
    func append(_ documents: borrowing MessageBatch) {
        guard let maximumQoS = self.session?.limits.maximumQoS else { return }
        if self.batch.isEmpty { self.batchTime = self.context.now.wall }
        self.context.packets.append(documents, maximumQoS: maximumQoS, to: &self.batch)
    }

    /// - Parameter isAwaited: whether something waits for outcomes; otherwise outcomes of success may stay until `takeOutcomes`.
    func flush(isAwaited: Bool) {
        guard let link, let epoch = self.session?.epoch, !self.batch.isEmpty || isAwaited && !self.isAwaiting else { return }
        self.isAwaiting = isAwaited
        self.context.count { $0.mqttPublished += self.batch.count }
        link.publish(self.batch, epoch: epoch, isAwaited: isAwaited)
        self.batch.removeAll()
    }

    /// Returns the outcomes that are known and were not reported.
    func takeOutcomes() -> [MQTTPublished] {
        guard let link, let epoch = self.session?.epoch else { return [] }
        return link.takeOutcomes(epoch: epoch)
    }
}
