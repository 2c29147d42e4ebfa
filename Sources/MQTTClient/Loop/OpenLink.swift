import Glibc

/// One connection to the broker, from the opening of its socket to its end: sends the owner's commands, reads what the broker sends, and
/// knows what is unanswered.
///
/// `LinkLoop` decides with the connection machine how long it lasts: it calls `begin` after CONNACK, handles every `Fact`, and ends the link for
/// an `error`. Between `begin` and the end it is the link of one epoch.
final class OpenLink {
    /// A message of the broker that is about the connection itself.
    enum Fact {
        case accepted
        case refused(MQTTReasonCode)
        case farewellDone
    }

    let handle: MosquittoHandle
    private let configuration: MQTTConfiguration
    private let environment: MQTTEnvironment
    private let core: ClientCore
    private let onEvent: @Sendable (MQTTEvent) -> Void
    private var welcome: MosquittoHandle.Welcome?
    /// `nil` before `begin`.
    private(set) var session: MQTTSession?
    private var outbox: Outbox
    private var watchdog: LinkWatchdog?
    private var ownerWatchdog: OwnerWatchdog?
    /// When to call the library's keep-alive and check for missing acknowledgements.
    private var housekeepingAt: Duration?
    /// The notices that are not handled yet, last first. The array is swapped with that of `handle`.
    private var notices: [MosquittoHandle.Notice] = []
    /// Whether a message arrived in this turn.
    private var hasReceived = false
    /// The error that must end the link, found while sending. Only the MQTT thread ends the link, in its turn, because it may be polling
    /// the socket.
    private(set) var error: MQTTLinkError?

    init(
        _ handle: MosquittoHandle, configuration: MQTTConfiguration, environment: MQTTEnvironment, core: ClientCore,
        onEvent: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.handle = handle
        self.configuration = configuration
        self.environment = environment
        self.core = core
        self.onEvent = onEvent
        self.outbox = Outbox(core: core) { _ in }
    }

    private var now: Duration { self.environment.now() }

    /// When `tick` is due.
    var deadline: Duration? {
        let watching = Duration.earlier(self.watchdog?.deadline, self.ownerWatchdog?.deadline)
        return .earlier(.earlier(self.outbox.deadline, self.housekeepingAt), watching)
    }

    var isAnswered: Bool { self.outbox.isAnswered }

    // MARK: Beginning and end

    /// The broker accepted the connection, which is the link of this epoch from now on; `nil` without a CONNACK.
    func begin(epoch: UInt64, now: Duration) -> MQTTSession? {
        guard let welcome = self.welcome else { return nil }
        let session = MQTTSession(
            epoch: epoch, protocolVersion: self.handle.version,
            serverKeepAliveSeconds: welcome.serverKeepAliveSeconds, limits: welcome.limits, peer: "\(self.handle.address)")
        self.session = session
        self.outbox = Outbox(core: self.core) { [onEvent] in onEvent(.published($0, epoch: epoch)) }
        self.watchdog = LinkWatchdog(limit: self.configuration.halfOpenLimit, now: now)
        self.ownerWatchdog = self.configuration.ownerLimit.map { OwnerWatchdog(limit: $0, now: now) }
        self.scheduleHousekeeping(now: now)
        self.handle.stopCollectingErrors()
        return session
    }

    /// Ends what is unanswered as lost, and the commands that were not executed.
    func loseAll() { self.outbox.loseAll(self.core.closeEpoch()) }

    /// Refuses commands from here on, and publishes the farewell.
    /// - Returns: whether its acknowledgement follows as a `Fact`.
    func publishFarewell(_ farewell: MQTTBatch?) -> Bool {
        for command in self.core.closeEpoch() { self.outbox.lose(command) }
        self.outbox.report()
        var packetID: Int32?
        farewell?.forEach { packet in
            guard packet.refusal(version: self.handle.version, limit: nil) == nil else { return }
            if case .success(let id) = self.handle.publish(packet) { packetID = id }
        }
        return packetID.map { self.outbox.add($0, .farewell, now: self.now) } ?? false
    }

    /// Sends DISCONNECT, so that the broker drops the will. Bytes that do not fit into the socket at once get a short time.
    func sendDisconnect() {
        self.handle.disconnect()
        var descriptor = pollfd(fd: self.handle.socket, events: Int16(POLLOUT), revents: 0)
        if self.handle.socket >= 0, self.handle.wantsWrite, poll(&descriptor, 1, 100) == 1 { _ = self.handle.write() }
    }

    // MARK: Reading

    /// Reads and writes the library's socket; `nextFact` then has what was received.
    func serve(revents: Int32, now: Duration) -> MosquittoResult {
        var result = MosquittoResult.success
        if revents & (POLLIN | POLLERR | POLLHUP | POLLNVAL) != 0 || !self.handle.handshakeFinished {
            result = self.handle.read()
            if result == .success { self.watchdog?.received(now: now) }
        }
        if result == .success, revents & POLLOUT != 0, self.handle.handshakeFinished { result = self.handle.write() }
        return result
    }

    /// Acknowledges the bytes of this turn where the broker may hold back further acknowledgements and messages until then. Otherwise the next
    /// PUBLISH carries the acknowledgement.
    func endTurn(_ result: MosquittoResult) {
        if result == .success, self.hasReceived || !self.outbox.isEmpty { SocketOption.acknowledgeNow(self.handle.socket) }
        self.hasReceived = false
    }

    /// Handles what was received until it is about the connection itself; `nil` when all of it is handled.
    func nextFact() -> Fact? {
        if self.takeAcknowledgements() { return .farewellDone }
        while true {
            if self.notices.isEmpty {
                guard self.handle.hasNotices else { return nil }
                self.handle.take(into: &self.notices)
                self.notices.reverse()
            }
            if let notice = self.notices.popLast(), let fact = self.process(notice) { return fact }
        }
    }

    /// - Returns: whether the farewell is acknowledged.
    private func takeAcknowledgements() -> Bool {
        guard !self.handle.acknowledgements.isEmpty else { return false }
        let now = self.now
        var isFarewellDone = false
        for (packetID, reason) in self.handle.acknowledgements where self.outbox.acknowledged(packetID, reason, now: now) {
            isFarewellDone = true
        }
        self.handle.forgetAcknowledgements()
        return isFarewellDone
    }

    private func process(_ notice: MosquittoHandle.Notice) -> Fact? {
        switch notice {
        case .connack(let code, let welcome):
            guard code == 0 else { return .refused(MQTTReasonCode(connectReturnCode: UInt8(clamping: code))) }
            self.welcome = welcome
            return .accepted
        case .subscribed(let packetID, let codes): self.outbox.subscribed(packetID, codes)
        case .unsubscribed(let packetID): self.outbox.unsubscribed(packetID)
        case .message(let message):
            self.hasReceived = true
            if let session { self.onEvent(.message(message, epoch: session.epoch)) }
        case .messageTooLarge(let topic, let payloadBytes):
            if let session { self.onEvent(.messageTooLarge(topic: topic, payloadBytes: payloadBytes, epoch: session.epoch)) }
        }
        return nil
    }

    // MARK: Sending

    /// Executes commands in as few segments as possible: each segment costs the system as much as all of these packets together.
    func carryOut(_ commands: [ClientCommand]) {
        self.corked(if: commands.reduce(0, { $0 + $1.count }) > 1) {
            for command in commands {
                switch command {
                case .publish(let batch, let isAwaited): self.send(batch, isAwaited: isAwaited)
                case .subscribe(let filters, let completion): self.subscribe(filters, bytes: command.weight, completion)
                case .unsubscribe(let filters, let completion): self.unsubscribe(filters, bytes: command.weight, completion)
                }
            }
        }
    }

    /// Executes the command `publish`.
    func publish(_ batch: MQTTBatch, isAwaited: Bool) {
        self.corked(if: batch.count > 1) { self.send(batch, isAwaited: isAwaited) }
    }

    private func corked(if hasMany: Bool, _ work: () -> Void) {
        if hasMany { SocketOption.cork(true, self.handle.socket) }
        work()
        if hasMany { SocketOption.cork(false, self.handle.socket) }
    }

    private func send(_ batch: MQTTBatch, isAwaited: Bool) {
        self.outbox.isAwaited = isAwaited
        let now = self.now
        batch.forEach { packet in
            let entry = packet.entry
            switch self.send(packet) {
            case .underWay(let packetID):
                if !self.outbox.add(packetID, token: entry.token, bytes: entry.weight, now: now) { self.endForReusedPacketID() }
            case .ended(let outcome): self.outbox.finish(entry.token, bytes: entry.weight, outcome, now: now)
            }
        }
    }

    private enum Sent {
        case underWay(packetID: Int32)
        case ended(MQTTPublishOutcome)
    }

    private func send(_ packet: OutgoingPacket) -> Sent {
        // An earlier message may have shown that the link is broken.
        if self.error != nil { return .ended(.connectionLost) }
        if let refusal = packet.refusal(version: self.handle.version, limit: self.session?.limits.maximumPacketSize) {
            return .ended(.refused(refusal))
        }
        switch self.handle.publish(packet) {
        case .success(let packetID): return .underWay(packetID: packetID)
        case .failure(let result) where result.isAboutLink:
            self.error = self.handle.reason(of: result)
            return .ended(.connectionLost)
        case .failure(.oversizePacket), .failure(.payloadSize): return .ended(.refused(.tooLarge))
        case .failure(let result): return .ended(.refused(.library(result)))
        }
    }

    private func subscribe(
        _ filters: [MQTTSubscription], bytes: Int,
        _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        struct Options: Hashable {
            var qos: MQTTQoS
            var options: Int32
        }
        if let refusal = Self.refusal(of: filters.map(\.filter)) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        // The library gives all filters of a packet the same options.
        let groups = Dictionary(grouping: filters.indices) { Options(qos: filters[$0].qos, options: filters[$0].options) }
            .sorted { ($0.value.first ?? 0) < ($1.value.first ?? 0) }
        let parts = Outbox.Parts(filters: filters.count, packets: groups.count, completion: completion)
        for (place, group) in groups.enumerated() {
            switch self.handle.subscribe(group.value.map { filters[$0].filter }, qos: group.key.qos, options: group.key.options) {
            case .success(let packetID):
                let entry = Outbox.Entry.subscribe(parts, indices: group.value, isFirst: place == 0, bytes: bytes)
                if !self.outbox.add(packetID, entry, now: self.now) { return self.endForReusedPacketID() }
            case .failure(let result):
                if place == 0 { self.core.finished(bytes: bytes) }
                parts.finish(result.isAboutLink ? .connectionLost : .refused(.library(result)))
                if result.isAboutLink { self.error = self.handle.reason(of: result) }
                return
            }
        }
    }

    private func unsubscribe(
        _ filters: [String], bytes: Int, _ completion: @escaping @Sendable (MQTTSubscribeOutcome) -> Void
    ) {
        if let refusal = Self.refusal(of: filters) {
            self.core.finished(bytes: bytes)
            return completion(.refused(refusal))
        }
        switch self.handle.unsubscribe(filters) {
        case .success(let packetID):
            let entry = Outbox.Entry.unsubscribe(count: filters.count, bytes: bytes, completion: completion)
            if !self.outbox.add(packetID, entry, now: self.now) { self.endForReusedPacketID() }
        case .failure(let result):
            self.core.finished(bytes: bytes)
            completion(result.isAboutLink ? .connectionLost : .refused(.library(result)))
            if result.isAboutLink { self.error = self.handle.reason(of: result) }
        }
    }

    private static func refusal(of filters: [String]) -> MQTTRefusal? {
        if filters.isEmpty { return .invalid("no filter") }
        let isUnfit = filters.contains { $0.isEmpty || $0.utf8.count > 65_535 || $0.utf8.contains(0) }
        return isUnfit ? .invalid("a topic filter has 1 to 65535 bytes and no NUL") : nil
    }

    private func endForReusedPacketID() {
        self.error = MQTTLinkError(
            .acknowledgementTimedOut, detail: "the broker left a message unacknowledged while 65535 others passed")
    }

    // MARK: Outcomes

    func reportIfDue(now: Duration) { self.outbox.reportIfDue(now: now) }

    /// Returns the known outcomes of the epoch that are not reported yet.
    func takeOutcomes(epoch: UInt64) -> [MQTTPublished] { self.session?.epoch == epoch ? self.outbox.take() : [] }

    // MARK: Clocks

    /// Does what is due.
    /// - Returns: the error that must end the link.
    func tick(now: Duration) -> MQTTLinkError? {
        self.keepHouse(now: now) ?? self.watchBroker(now: now) ?? self.watchOwner(now: now)
    }

    /// Pings the broker, because the network or the machine may have changed.
    func suspect(now: Duration) { if self.watchdog?.suspect(now: now) == .ping { _ = self.handle.ping() } }

    private func keepHouse(now: Duration) -> MQTTLinkError? {
        guard let housekeepingAt, now >= housekeepingAt else { return nil }
        self.scheduleHousekeeping(now: now)
        // The outcomes that no caller awaits and that the owner did not take.
        self.outbox.report()
        let result = self.handle.keepAlive()
        if result != .success { return self.handle.reason(of: result) }
        guard self.outbox.hasEntry(olderThan: self.configuration.acknowledgementLimit, now: now) else { return nil }
        let detail = "the broker left something unacknowledged for \(self.configuration.acknowledgementLimit)"
        return MQTTLinkError(.acknowledgementTimedOut, detail: detail)
    }

    /// The library pings at the keep-alive, in whole seconds. Called four times in that period, it stays within the one and a half times
    /// that the broker allows.
    private func scheduleHousekeeping(now: Duration) {
        let keepAlive = Duration.seconds(Int64(self.session?.serverKeepAliveSeconds ?? self.configuration.keepAliveSeconds))
        let own = min(.seconds(15), self.configuration.acknowledgementLimit / 4)
        self.housekeepingAt = now + (keepAlive == .zero ? own : min(own, keepAlive / 4))
    }

    private func watchBroker(now: Duration) -> MQTTLinkError? {
        guard let action = self.watchdog?.tick(now: now) else { return nil }
        if action == .ping {
            _ = self.handle.ping()
            return nil
        }
        return MQTTLinkError(.halfOpen, detail: "nothing was received from the broker for \(self.configuration.halfOpenLimit)")
    }

    private func watchOwner(now: Duration) -> MQTTLinkError? {
        guard let limit = self.configuration.ownerLimit, let deadline = self.ownerWatchdog?.deadline, now >= deadline,
            let action = self.ownerWatchdog?.tick(now: now, hasAnswered: self.core.hasOwnerAnswered)
        else { return nil }
        if action == .ask {
            self.core.expectOwner()
            self.onEvent(.ownerCheck)
            return nil
        }
        return MQTTLinkError(.ownerStalled, detail: "this program has handled no event for \(limit)")
    }
}
