import Bridge
import CastTestSupport
import MQTTClient
import NIOCore
import NIOEmbedded
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A broker in memory: it stores, delivers and acknowledges in virtual time, and notes every rule that the bridge breaks.
final class ModelBroker: Sendable {
    struct Entry: Sendable {
        var at: TimeAmount
        var topic: String
        var text: String
        var isRetained: Bool
        var qos: MQTTQoS
        var epoch: UInt64
        var isAfterOnline: Bool
    }

    struct State {
        var isUp = true
        var acknowledges = true
        var subscribes = true
        var acknowledgeDelay = TimeAmount.milliseconds(2)
        /// From the broker's return, or the loss of the link, to CONNACK.
        var connectDelay = TimeAmount.milliseconds(5)
        var receiveMaximum: UInt16 = 20
        /// Further properties of its CONNACK.
        var limits = MQTTLimits()
        var refusals: [String: MQTTReasonCode] = [:]
        var protocolVersion = MQTTProtocolVersion.v5
        var deliversRetained = true
        /// Returns how the broker ends the link because of a message, which it then does not keep.
        var disconnects: (@Sendable (MQTTMessage) -> MQTTLinkError?)?
        /// With more messages than this in a second the broker ends the link with reason code 0x96.
        var messagesPerSecond: Int?
        var recentMessages: [TimeAmount] = []
        var isEnding = false
        var retained: [String: MQTTMessage] = [:]
        var journal: [Entry] = []
        var keepsJournal = true
        var violations: [String] = []
        /// Texts that no message may contain.
        var secret: [UInt8] = []
        var isChecking = true
        /// Called for each message, in place of a journal that would grow for a month.
        var retainedCount = 0
        var publishCount = 0
        var mostUnacknowledged = 0
        var epoch: UInt64 = 0
        var link: MemoryBrokerLink?
        var isConnected = false
        var isOnline = false
        var subscribedToCommands = false
        var filters: [MQTTSubscription] = []
        var sentInEpoch: [String: [UInt8]] = [:]
        var pending: [Pending] = []
        var nextPending = 0
    }

    struct Pending {
        var number: Int
        var isRetained: Bool
        var acknowledge: @Sendable () -> Void
        var lose: @Sendable () -> Void
    }

    let loop: NIOAsyncTestingEventLoop
    private let state = Mutex(State())

    init(_ virtual: VirtualLoop) { self.loop = virtual.loop }

    func set<T: Sendable>(_ change: (inout State) -> T) -> T { self.state.withLock { change(&$0) } }

    private var now: TimeAmount { self.loop.now - .uptimeNanoseconds(0) }

    // MARK: What a test sees

    var violations: [String] { self.set { $0.violations } }
    var journal: [Entry] { self.set { $0.journal } }
    var isOnline: Bool { self.text("cast2mqtt/bridge/state") == "online" && self.set { $0.isOnline } }
    var epoch: UInt64 { self.set { $0.epoch } }
    var mostUnacknowledged: Int { self.set { $0.mostUnacknowledged } }

    /// The retained message of a topic.
    func text(_ topic: String) -> String? { self.set { $0.retained[topic] }.map { String(decoding: $0.payload, as: UTF8.self) } }

    func entries(_ topic: String) -> [Entry] { self.journal.filter { $0.topic == topic } }

    func clearJournal() { self.set { $0.journal = [] } }

    /// The retained tree of devices without the times of sending.
    var tree: [String: String] {
        self.set { $0.retained }.filter { !$0.key.hasSuffix("bridge/health") }
            .mapValues { String(decoding: Self.withoutTime($0.payload), as: UTF8.self) }
    }

    // MARK: What a test does; on the loop

    /// A client sends a message.
    func publish(_ topic: String, _ text: String) {
        self.deliver(MQTTMessage(topic: topic, text: text, qos: .atLeastOnce), isOwn: false)
    }

    /// The broker stops and loses messages in transit; with `losingStore` also its retained messages.
    func stop(losingStore: Bool) {
        self.set { $0.isUp = false }
        self.cut()
        if losingStore { self.set { $0.retained = [:] } }
    }

    func start() {
        self.set { $0.isUp = true }
        self.scheduleConnect()
    }

    /// The connection breaks; the client reconnects by itself while the broker is up.
    func cut(_ error: MQTTLinkError = MQTTLinkError(.connectionLost, detail: "cut")) {
        let (link, epoch, pending, wasConnected) = self.set { state in
            defer {
                (state.pending, state.isConnected, state.filters, state.subscribedToCommands, state.isOnline) = (
                    [], false, [], false, false
                )
            }
            return (state.link, state.epoch, state.pending, state.isConnected)
        }
        guard wasConnected, let link else { return }
        for pending in pending { pending.lose() }
        if let will = link.configuration.will { self.set { $0.retained[will.topic] = will } }
        link.onEvent(.disconnected(epoch: epoch, error))
        self.scheduleConnect()
    }

    /// Acknowledges what waits, oldest first; from now on everything.
    func acknowledgeAll() {
        let pending = self.set { state in
            state.acknowledges = true
            defer { state.pending = [] }
            return state.pending
        }
        for pending in pending { pending.acknowledge() }
    }

    // MARK: The link's side

    fileprivate func attach(_ link: MemoryBrokerLink) {
        self.set { $0.link = link }
        self.scheduleConnect()
    }

    fileprivate func detach() {
        self.set { state in
            (state.link, state.isConnected, state.filters) = (nil, false, [])
            let pending = state.pending
            state.pending = []
            return pending
        }.forEach { $0.lose() }
    }

    private func scheduleConnect() {
        let delay = self.set { $0.connectDelay }
        self.loop.scheduleTask(in: delay) { self.connect() }
    }

    private func connect() {
        let connected = self.set { state -> (MemoryBrokerLink, MQTTSession)? in
            guard state.isUp, !state.isConnected, let link = state.link else { return nil }
            state.epoch += 1
            (state.isConnected, state.isOnline, state.subscribedToCommands, state.sentInEpoch) = (true, false, false, [:])
            (state.isEnding, state.recentMessages) = (false, [])
            var limits = state.limits
            limits.receiveMaximum = state.receiveMaximum
            return (
                link,
                MQTTSession(
                    epoch: state.epoch, protocolVersion: state.protocolVersion, serverKeepAliveSeconds: nil,
                    limits: limits,
                    peer: "10.0.0.9:1883")
            )
        }
        if let (link, session) = connected { link.onEvent(.connected(session)) }
    }

    fileprivate func published(_ message: MQTTMessage, epoch: UInt64, completion: @escaping @Sendable (MQTTPublishOutcome) -> Void) {
        let now = self.now
        guard !self.leavesUnread(message, epoch, now, completion) else { return }
        var isFirst = false
        let (code, isAccepted) = self.set { state -> (MQTTReasonCode, Bool) in
            guard state.isConnected, state.epoch == epoch else { return (.unspecifiedError, false) }
            isFirst = state.sentInEpoch[message.topic] == nil
            self.judge(message, &state)
            state.publishCount += 1
            if message.retain { state.retainedCount += 1 }
            if state.keepsJournal {
                state.journal.append(
                    Entry(
                        at: now, topic: message.topic, text: String(decoding: message.payload, as: UTF8.self), isRetained: message.retain,
                        qos: message.qos, epoch: epoch, isAfterOnline: state.isOnline))
            }
            let code = state.refusals[message.topic] ?? .success
            if message.retain, !code.isFailure, state.limits.retainAvailable {
                state.retained[message.topic] = message.payload.isEmpty ? nil : message
            }
            return (code, true)
        }
        guard isAccepted else { return completion(.refused(.notConnected)) }
        if message.qos == .atMostOnce {
            completion(.acknowledged(.success))
        } else {
            // A document may change at any time; what counts is that the broker has had each of them.
            self.wait(message.retain && isFirst, acknowledge: { completion(.acknowledged(code)) }, lose: { completion(.connectionLost) })
        }
        if !code.isFailure { self.deliver(message, isOwn: true) }
    }

    /// Ends the link if the broker does so because of this message. Neither this one nor those that the client sent behind it are read.
    private func leavesUnread(
        _ message: MQTTMessage, _ epoch: UInt64, _ now: TimeAmount, _ completion: @escaping @Sendable (MQTTPublishOutcome) -> Void
    ) -> Bool {
        let (isUnread, error) = self.set { state -> (Bool, MQTTLinkError?) in
            guard state.isConnected, state.epoch == epoch, !state.isEnding else { return (state.isConnected && state.isEnding, nil) }
            var error = state.disconnects?(message)
            if let limit = state.messagesPerSecond {
                state.recentMessages = state.recentMessages.filter { $0 > now - .seconds(1) } + [now]
                let reason = MQTTReasonCode(rawValue: 0x96)
                if state.recentMessages.count > limit { error = MQTTLinkError(.disconnectedByBroker, reasonCode: reason, detail: "test") }
            }
            state.isEnding = error != nil
            return (error != nil, error)
        }
        guard isUnread else { return false }
        if message.qos == .atMostOnce {
            completion(.acknowledged(.success))
        } else {
            self.wait(message.retain, isRead: false, acknowledge: {}, lose: { completion(.connectionLost) })
        }
        if let error { self.loop.execute { if self.epoch == epoch { self.cut(error) } } }
        return true
    }

    /// The rules that hold for every message at any time.
    private func judge(_ message: MQTTMessage, _ state: inout State) {
        if !state.secret.isEmpty, Self.parts(of: message).contains(where: { $0.contains(state.secret) }) {
            state.violations.append("\(message.topic) shows a secret")
        }
        guard state.isChecking else { return }
        let topic = message.topic
        if message.qos > .atMostOnce {
            state.mostUnacknowledged = max(state.mostUnacknowledged, state.pending.count + 1)
            if state.pending.count + 1 >= 20 { state.violations.append("20 unacknowledged at \(topic)") }
        }
        guard message.retain else {
            // Subscribers have received another value since.
            state.sentInEpoch[topic] = nil
            return
        }
        if !state.subscribedToCommands { state.violations.append("\(topic) before the subscriptions were acknowledged") }
        let content = Self.withoutTime(message.payload)
        if state.sentInEpoch[topic] == content {
            state.violations.append("\(topic) twice with the same content: \(String(decoding: content, as: UTF8.self).prefix(80))")
        }
        state.sentInEpoch[topic] = content
        guard topic.hasSuffix("bridge/state") else { return }
        if message.payload == Array("online".utf8) {
            let documents = state.pending.count(where: \.isRetained)
            if documents > 0 { state.violations.append("online while \(documents) documents were unacknowledged") }
            state.isOnline = true
        }
    }

    /// Everything in a message that its readers see.
    private static func parts(of message: MQTTMessage) -> [[UInt8]] {
        let properties = message.properties
        let texts: [String] =
            [message.topic, properties.responseTopic ?? "", properties.contentType ?? ""]
            + properties.userProperties.flatMap { [$0.name, $0.value] }
        return [message.payload, properties.correlationData ?? []] + texts.map { Array($0.utf8) }
    }

    /// The payload without the member `ts`, the time of sending.
    static func withoutTime(_ payload: [UInt8]) -> [UInt8] {
        let mark = Array(#""ts":""#.utf8)
        guard payload.first == UInt8(ascii: "{"), payload.count > 40 else { return payload }
        for start in 1..<min(40, payload.count - mark.count) where payload[start...].starts(with: mark) {
            guard let end = payload[(start + mark.count)...].firstIndex(of: UInt8(ascii: "\"")) else { break }
            return Array(payload[..<start] + payload[(end + 1)...])
        }
        return payload
    }

    private func wait(
        _ isRetained: Bool, isRead: Bool = true, acknowledge: @escaping @Sendable () -> Void, lose: @escaping @Sendable () -> Void
    ) {
        let (number, delay) = self.set { state in
            let number = state.nextPending
            state.nextPending += 1
            state.pending.append(Pending(number: number, isRetained: isRetained, acknowledge: acknowledge, lose: lose))
            return (number, state.acknowledges && isRead ? state.acknowledgeDelay : nil)
        }
        guard let delay else { return }
        self.loop.scheduleTask(in: delay) {
            let pending = self.set { state in
                state.pending.firstIndex { $0.number == number }.map { state.pending.remove(at: $0) }
            }
            pending?.acknowledge()
        }
    }

    private func deliver(_ message: MQTTMessage, isOwn: Bool) {
        let receiver = self.set { state -> (MemoryBrokerLink, UInt64)? in
            guard state.isConnected, let link = state.link else { return nil }
            let hasNoLocal = state.protocolVersion == .v5
            let isWanted = state.filters.contains { Self.matches(message.topic, $0.filter) && !(isOwn && $0.noLocal && hasNoLocal) }
            return isWanted ? (link, state.epoch) : nil
        }
        guard let (link, epoch) = receiver else { return }
        var message = message
        message.retain = false
        let delivered = message
        self.loop.execute { link.onEvent(.message(delivered, epoch: epoch)) }
    }

    fileprivate func subscribed(
        _ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        guard self.set({ $0.isConnected && $0.epoch == epoch }) else { return completion(.refused(.notConnected)) }
        guard self.set({ $0.subscribes }) else { return }
        let delay = self.set { $0.acknowledgeDelay }
        self.loop.scheduleTask(in: delay) {
            let delivery = self.set { state -> (MemoryBrokerLink, [MQTTMessage])? in
                guard state.isConnected, state.epoch == epoch, let link = state.link else { return nil }
                state.filters.removeAll { old in filters.contains { $0.filter == old.filter } }
                state.filters += filters
                if filters.contains(where: { $0.filter.hasSuffix("/cmd/#") || $0.filter.hasSuffix("/cmd") }) {
                    state.subscribedToCommands = true
                }
                let wanted = filters.filter {
                    state.deliversRetained && (state.protocolVersion == .v311 || $0.retainHandling != .doNotSend)
                }
                return (link, state.retained.values.filter { message in wanted.contains { Self.matches(message.topic, $0.filter) } })
            }
            guard let (link, messages) = delivery else { return completion(.connectionLost) }
            completion(.acknowledged(filters.map { _ in .grantedQoS1 }))
            for message in messages { link.onEvent(.message(message, epoch: epoch)) }
        }
    }

    fileprivate func unsubscribed(_ filters: [String]) { self.set { $0.filters.removeAll { filters.contains($0.filter) } } }

    /// MQTT 5 section 4.7.
    static func matches(_ topic: String, _ filter: String) -> Bool {
        let (names, patterns) = (
            topic.split(separator: "/", omittingEmptySubsequences: false), filter.split(separator: "/", omittingEmptySubsequences: false)
        )
        for (index, pattern) in patterns.enumerated() {
            if pattern == "#" { return true }
            guard index < names.count, pattern == "+" || pattern == names[index] else { return false }
        }
        return names.count == patterns.count
    }
}

/// The bridge's link to a `ModelBroker`.
final class MemoryBrokerLink: BrokerLink {
    let configuration: LinkConfiguration
    let onEvent: @Sendable (MQTTEvent) -> Void
    private let broker: ModelBroker
    private let ending: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation
    let stoppedAt = Locked<NIODeadline?>(nil)
    let wakes = Locked(0)
    let confirmations = Locked(0)

    init(_ broker: ModelBroker, _ configuration: LinkConfiguration, onEvent: @escaping @Sendable (MQTTEvent) -> Void) {
        self.broker = broker
        self.configuration = configuration
        self.onEvent = onEvent
        (self.ending, self.end) = AsyncStream.makeStream()
    }

    func run() async {
        self.broker.loop.execute { self.broker.attach(self) }
        for await _ in self.ending {}
        self.broker.loop.execute { self.broker.detach() }
    }

    func publish(_ batch: MQTTBatch, epoch: UInt64, isAwaited: Bool) {
        for (message, token) in batch.messages {
            self.broker.published(message, epoch: epoch) { [onEvent] outcome in
                onEvent(.published([MQTTPublished(token: token, outcome: outcome)], epoch: epoch))
            }
        }
    }

    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { [] }

    func subscribe(_ filters: [MQTTSubscription], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {
        self.broker.subscribed(filters, epoch: epoch, completion: completion)
    }

    func unsubscribe(_ filters: [String], epoch: UInt64, completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void) {
        self.broker.unsubscribed(filters)
        completion(.acknowledged(filters.map { _ in .success }))
    }

    func stop(publishing farewell: MQTTMessage?, within limit: Duration) async {
        self.stoppedAt.value = self.broker.loop.now
        self.end.finish()
    }

    func wake() { self.wakes.value += 1 }

    func confirmOwner() { self.confirmations.value += 1 }
}

extension [UInt8] {
    /// Whether these bytes are somewhere in the array; `false` for none.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return false }
        return self.withUnsafeBytes { bytes in
            var start = 0
            while bytes.count - start >= part.count, let base = bytes.baseAddress,
                let place = memchr(base + start, Int32(first), bytes.count - start)
            {
                start = base.distance(to: place) + 1
                if bytes.count - start + 1 >= part.count, memcmp(place, part, part.count) == 0 { return true }
            }
            return false
        }
    }
}
