import BridgeCore
import CastSender
import LogKeys
import Logging
import MQTTClient
import NetworkReach

/// This bridge as a member of a pair: agrees with the other over the broker who leads, and hands over what the next leader needs.
///
/// The retained topics below `bridge/pair`: `claim`, `members/<owner>`, `record/<part>`, `settings`.
final class Pair {
    enum Event {
        /// The leader may act: for the first time, or again after a pause.
        case resumed
        /// Another member leads: this one stops acting, and restarts as the standby.
        case deposed
        /// `status` differs.
        case changed
        /// The leader has chosen other settings.
        case settings(JSONObject)
    }

    /// The largest number of members that are shown.
    private static let maximumMembers = 8
    /// How long parts of a record are gathered before they are written.
    private static let keepingPause = Duration.seconds(5)

    private let context: BridgeContext
    private let lease: PairLease
    private let onEvent: (Event) -> Void
    private var election: PairElection
    /// The claim of the leader before this one.
    private(set) var former: PairClaim?
    private var members: [String: PairMember] = [:]
    private var handover = PairHandover()
    private let link: PairLink
    /// The claims and probes without an outcome, by token, and when they were sent: by the clock of the lease, and by that of the loop.
    private var unanswered: [UInt64: (renewal: Int?, lease: UInt64, loop: MonotonicTime)] = [:]
    /// Whether a member that is configured for another pair was reported.
    private var hasReportedOther = false
    /// Whether the last report said that this member may act.
    private var isActing = false
    private let leading = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }
    /// The end of the leader's lease; on a standby the next write of the received record.
    private lazy var lapse = self.context.loop.deadline { [weak self] in self?.lapsed() }

    init(_ context: BridgeContext, _ settings: PairSettings, lease: PairLease, onEvent: @escaping (Event) -> Void) {
        (self.context, self.lease, self.onEvent) = (context, lease, onEvent)
        self.election = PairElection(owner: settings.owner, run: String(UInt64(context.random() * 0x1p53), radix: 16))
        self.link = PairLink(context, owner: settings.owner)
    }

    var role: PairElection.Role { self.election.role }

    /// Whether another member takes over when this one ends.
    var hasStandby: Bool { self.role == .leader && self.members.keys.contains { $0 != self.owner } }

    /// Whether it could take over.
    var isWaiting: Bool { self.role != .leader && self.link.isUp }

    var owner: String { self.election.own.owner }

    /// Why this member carries out no request; `nil` while it leads.
    var refusal: String? {
        guard self.role != .leader else { return nil }
        let leader = self.status["leader"]?.stringValue
        let page = leader.flatMap { self.members[$0]?.page }.map { ", at \($0)" } ?? ""
        return "This bridge waits as the standby of a pair. Ask \(leader ?? "the one that leads")\(page)."
    }

    /// The member `pair` of `bridge/info`.
    var status: JSONObject {
        let leader = self.role == .leader ? self.election.own : self.election.foreign
        return [
            "owner": .string(self.owner), "role": .string(self.role == .leader ? "leader" : "standby"),
            "leader": leader.flatMap { $0.isReleased ? nil : .string($0.owner) } ?? .null,
            "term": leader.map { .integer(Int64($0.term)) } ?? .null,
            "members": .array(self.members.values.sorted { $0.owner < $1.owner }.map { .object($0.json) }),
        ]
    }

    // MARK: Life

    /// Keeps the link up until the task is cancelled or `stop` is called.
    nonisolated(nonsending) func run(_ makeLink: BrokerLinkFactory, _ configuration: LinkConfiguration) async {
        let own = try? self.context.program.stateDirectory?.read(StateDirectory.devicesFile)
        self.handover.remember(StateFile.read(own?.bytes ?? []).file)
        await self.link.run(makeLink, configuration) { [weak self] in self?.handle($0) }
    }

    /// Returns when this member leads, or when the task is cancelled.
    nonisolated(nonsending) func waitToLead() async { for await _ in self.leading.stream { return } }

    /// Retries at once instead of waiting for the next attempt.
    func wakeLink() { self.link.wake() }

    /// Lets the other member lead at once, and ends the link.
    /// - Parameter clears: whether the pair's topics are cleared, because no member remains.
    nonisolated(nonsending) func stop(clears: Bool) async {
        if let claim = self.election.release() {
            self.lease.giveUp()
            if clears {
                self.link.send(self.handover.clearings(self.topics) + [.clearing(self.topics.pair("claim"))])
            } else {
                self.publish(claim)
            }
        }
        await self.link.stop()
        self.end()
    }

    func end() {
        self.deadline.cancel()
        self.lapse.cancel()
        self.leading.continuation.finish()
    }

    // MARK: The link

    private var topics: TopicTree { self.context.topics }

    private func handle(_ event: PairLink.Event) {
        switch event {
        case .up:
            self.members = [:]
            self.handover.linkUp(isLeader: self.role == .leader)
        case .down:
            self.unanswered = [:]
            self.election.linkDown()
            self.deadline.set(nil)
        case .message(let message): self.received(message)
        case .published(let published): self.answered(published)
        case .subscribed(isRefused: true): self.warnOfRights()
        case .subscribed(isRefused: false):
            self.announce()
            if self.handover.isNewer { self.takeOver() }
            self.perform(self.election.subscribed(now: self.context.time))
        }
    }

    /// Tells the other member, and through the leader everybody, of this one.
    @discardableResult
    private func announce() -> UInt64? {
        let settings = self.context.settings
        return self.link.announce(
            PairMember(
                owner: self.owner, version: settings.build.version, startedAt: self.context.startedAt.wall, page: settings.page(),
                common: self.common))
    }

    private var common: Int {
        PairMember.digest(instance: self.context.settings.instance, clientID: self.context.settings.mqtt.clientID)
    }

    private func received(_ message: IncomingMessage) {
        let below = message.topic.dropFirst(self.topics.pair("").utf8.count).split(separator: "/", maxSplits: 1)
        switch (below.first, below.dropFirst().first) {
        case ("claim", nil):
            guard let claim = PairClaim(message.payload) else { return }
            // What is retained may be of a pair that ended long ago; a leader that lives comes before what this member knows.
            if !message.retain, claim.run != self.election.own.run, claim.renewal > 0 { self.takeOver() }
            self.perform(self.election.received(claim, now: self.context.time))
        case ("members", let owner?): self.received(PairMember(message.payload), of: String(owner))
        case ("record", let part?):
            guard self.role != .leader else { return }
            self.handover.received(message.payload, part: String(part))
            self.keepRecord()
        case ("settings", nil):
            guard self.role != .leader, let settings = (try? JSONParser.parse(message.payload))?.objectValue else { return }
            self.handover.receivedSettings = settings
            self.takeSettings()
        default: break
        }
    }

    private func received(_ member: PairMember?, of owner: String) {
        // The late will of an earlier link of ours, which the broker ended only now.
        if member == nil, owner == self.owner, self.role != .deposed { return _ = self.announce() }
        guard member == nil || self.members[owner] != nil || self.members.count < Self.maximumMembers, self.members[owner] != member
        else { return }
        self.members[owner] = member
        self.onEvent(.changed)
        guard let common = member?.common, common != self.common, !self.hasReportedOther else { return }
        self.hasReportedOther = true
        self.context.logger.warning(
            "another member of the pair has another instance or client id",
            metadata: [.owner: "\(owner)", .remedy: "give both the same instance and mqtt.client_id"])
    }

    // MARK: The claim

    private func wake() {
        self.perform(self.election.wake(now: self.context.time))
        if self.role == .claiming, self.election.unread == 1 { self.warnOfRights() }
    }

    private func warnOfRights() {
        self.context.logger.error(
            "broker does not deliver the topics of the pair; this bridge can't lead",
            metadata: [.topic: "\(self.topics.pair("#"))", .remedy: "let its user read and write there"])
    }

    private func perform(_ actions: [PairElection.Action]) {
        for action in actions {
            switch action {
            case .publish(let claim): self.publish(claim)
            case .probe: self.expect(self.announce(), of: nil)
            case .lead(let former):
                self.context.logger.notice(
                    "this bridge leads its pair", metadata: [.owner: "\(self.owner)", .previous: "\(former?.owner ?? "-")"])
                self.former = former
                self.isActing = true
                self.lapse.set(self.context.time + PairElection.lease + PairElection.renewalInterval)
                self.leading.continuation.yield()
            case .standBack(let claim):
                self.lease.giveUp()
                self.isActing = false
                self.context.logger.notice("another bridge leads the pair; this one stands back", metadata: [.owner: "\(claim.owner)"])
                self.onEvent(.deposed)
            }
        }
        self.deadline.set(self.election.deadline)
        if !actions.isEmpty { self.sendHandover() }
    }

    private func publish(_ claim: PairClaim) {
        let isRetained = !claim.isReleased || self.role != .leader
        let token = self.link.send([claim.message(topics: self.topics, instance: self.context.settings.instance, isRetained: isRetained)])
        if claim.renewal > 0 { self.expect(token, of: claim.renewal) }
    }

    private func expect(_ token: UInt64?, of renewal: Int?) {
        // Only the newest few count: a lease is as long as two renewals.
        if self.unanswered.count > 8 { self.unanswered = [:] }
        if let token { self.unanswered[token] = (renewal, PairLease.now, self.context.time) }
    }

    private func answered(_ published: MQTTPublished) {
        guard let sent = self.unanswered.removeValue(forKey: published.token), case .acknowledged(let code) = published.outcome,
            !code.isFailure || sent.renewal == nil
        else { return }
        let mayAct = self.election.acknowledged(sent.renewal, sentAt: sent.loop, now: self.context.time)
        self.deadline.set(self.election.deadline)
        let wasHeld = self.lease.isHeld
        if mayAct { self.lease.extend(from: sent.lease, by: PairElection.lease) }
        guard mayAct, self.lease.isHeld else { return }
        // A lease that ends for less than a renewal delays what is sent, and is no state to report.
        self.lapse.set(sent.loop + PairElection.lease + PairElection.renewalInterval)
        guard !wasHeld || !self.isActing else { return }
        self.isActing = true
        self.onEvent(.resumed)
        self.sendHandover()
    }

    private func lapsed() {
        guard self.isActing else { return self.writeRecord() }
        self.isActing = false
        self.context.logger.warning(
            "the broker does not acknowledge in time that this bridge leads; it commands no device until then, and lets a standby lead",
            metadata: [.remedy: "check the network between this bridge and the broker"])
    }

    // MARK: What is handed over

    /// The record from which this member continues as the leader; `nil` for its own.
    var takenOver: StateFile? { self.handover.takenOver }

    /// The version of the record with which this member begins to lead.
    var version: PairVersion { self.handover.version(term: self.election.own.term) }

    private func takeOver() {
        guard self.role == .standby, !self.handover.isFromLeader else { return }
        self.handover.isFromLeader = true
        self.keepRecord()
        self.takeSettings()
    }

    /// Applies the settings of the leader.
    private func takeSettings() {
        if self.handover.isFromLeader, let settings = self.handover.receivedSettings { self.onEvent(.settings(settings)) }
    }

    /// Keeps what was received over a restart of this member, in place of its own record, soon.
    private func keepRecord() {
        guard self.handover.isFromLeader, self.lapse.time == nil else { return }
        self.lapse.set(self.context.time + Self.keepingPause)
    }

    private func writeRecord() {
        guard self.role == .standby, let file = self.takenOver, let directory = self.context.program.stateDirectory else { return }
        let write: @Sendable () -> Void = {
            StateDirectory.keep("\(directory.path)/\(StateDirectory.devicesFile)")
            try? directory.write(StateDirectory.devicesFile, file.bytes)
        }
        if !DetachedThread.start("pair", write) { write() }
    }

    func handOver(_ file: StateFile) {
        guard self.role == .leader else { return }
        self.handover.record(file)
        self.sendHandover()
    }

    func handOver(settings: JSONObject) {
        self.handover.settings = JSONWriter.bytes(of: .object(settings))
        self.sendHandover()
    }

    private func sendHandover() {
        guard self.role == .leader, self.lease.isHeld, self.link.isUp else { return }
        self.link.send(self.handover.due(self.topics))
    }
}
