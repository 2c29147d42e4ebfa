import BridgeCore
import CastSender
import LogKeys
import Logging

/// Plays announcements and gives back what they interrupted: carries out the decisions of `AnnouncementQueue`.
///
/// ```
/// cmd/announce ─► run ─► AnnouncementQueue ─ start ─► play: snapshot ─► disk ─► load, volume, play ─► ending ─┐
///                                          ◄────────────────────────────────────────────────────── ended ─┘
///                                          ─ restore ─► giveBack: volume, media, members ─► the answer
/// ```
final class AnnouncementPlayer {
    let context: BridgeContext
    /// `nil` after the bridge has ended; a task may still be running then.
    private(set) weak var fleet: DeviceFleet?
    private let file: HeldPlaybackFile
    private let speech: Speech
    private var queue = AnnouncementQueue()
    private var jobs: [AnnouncementQueue.ID: Job] = [:]
    private(set) var held: [Device.ID: HeldPlayback] = [:]
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    private var lastCaller = 0
    /// Whether the bridge ends: then nothing is given back, and the file stays for the next start.
    private var isClosing = false
    /// The time zones that were warned about.
    private var unknownZones: Set<String> = []

    /// An announcement on one device.
    final class Job {
        let announcement: Announcement
        let media: MediaInformation
        let chime: MediaInformation?
        let device: DeviceAgent.Key
        let members: [Device.ID]
        /// Those who wait for it, by a number of their own.
        fileprivate var callers: [Int: AsyncStream<Outcome>.Continuation] = [:]
        fileprivate var task: Task<Void, Never>?
        /// Where it goes on after a more urgent one, in seconds.
        private(set) var position = 0.0
        fileprivate var isInterrupted = false
        /// What became of it, once it has played; the rest of the outcome follows when all is given back.
        fileprivate var outcome: Outcome?

        init(
            _ announcement: Announcement, media: MediaInformation, chime: MediaInformation?, device: DeviceAgent.Key, members: [Device.ID]
        ) {
            (self.announcement, self.media, self.chime, self.device, self.members) = (announcement, media, chime, device, members)
        }

        var addresses: [String] { [self.media, self.chime].compactMap { $0.map { $0.contentID ?? "" } } }

        /// The chime is not heard again where the announcement goes on.
        func request(autoplay: Bool) -> MediaLoadRequest {
            guard let chime, self.position == 0 else {
                return MediaLoadRequest(media: self.media, autoplay: autoplay, startTime: self.position > 0 ? self.position : nil)
            }
            var next = MediaQueueItem(media: self.media)
            // Longer than any chime: loaded while that plays, so that no silence is between them.
            next.preloadTime = 10
            return MediaLoadRequest(queueData: MediaQueueData(items: [MediaQueueItem(media: chime), next]), autoplay: autoplay)
        }

        func stopped(at position: Double?) { self.position = position ?? self.position }
    }

    /// What became of an announcement on one device.
    struct Outcome: Sendable, Hashable {
        /// The fate of what played before.
        enum Media: String, Sendable { case restored, notPossible = "not_possible", nothingPlaying = "nothing_playing" }

        var result = CommandResult.done()
        /// Whether it was ended before its time.
        var isStopped = false
        var media = Media.nothingPlaying
        /// Why it could not be given back.
        var reason: String?
        /// Whether the volume is what it was; `nil` when it was left alone.
        var volume: Bool?
    }

    init(_ context: BridgeContext, fleet: DeviceFleet) {
        (self.context, self.fleet) = (context, fleet)
        self.speech = Speech(context.settings.speech, server: context.program.media)
        self.file = HeldPlaybackFile(directory: context.program.stateDirectory, logger: context.logger)
        for held in self.file.read(now: context.now.wall) { self.held[held.device] = held }
    }

    // MARK: Commands

    /// Plays an announcement and returns when what it interrupted is given back.
    /// - Parameter key: the device that received the command.
    nonisolated(nonsending) func run(_ announcement: Announcement, on key: DeviceAgent.Key) async -> CommandResult {
        if announcement.priority != .high, let refusal = await self.quietRefusal() { return refusal }
        var targets: [DeviceAgent] = []
        for name in announcement.targets {
            guard let agent = self.fleet?.device(named: name) else {
                return CommandResult(.unknownDevice, message: "targets: no device has the slug or id \(name.prefix(80)).")
            }
            targets.append(agent)
        }
        if announcement.targets.isEmpty, let agent = self.fleet?.device(key) { targets = [agent] }
        var pending: [(slug: String, outcomes: AsyncStream<Outcome>)] = []
        var own: [(id: AnnouncementQueue.ID, caller: Int)] = []
        for target in targets {
            let player = self.player(of: target)
            let (outcomes, continuation) = AsyncStream<Outcome>.makeStream()
            pending.append((target.state.slug, outcomes))
            do throws(CommandRejection) {
                let (media, chime) = try await self.media(announcement, for: player)
                if let id = self.submit(announcement, media, chime, on: player, continuation) { own.append((id, self.lastCaller)) }
            } catch {
                continuation.yield(Outcome(result: CommandResult(error)))
                continuation.finish()
            }
        }
        var results: [(slug: String, outcome: Outcome)] = []
        for (slug, outcomes) in pending {
            for await outcome in outcomes { results.append((slug, outcome)) }
        }
        if Task.isCancelled { for (id, caller) in own { self.cancel(id, for: caller) } }
        return Self.answer(results)
    }

    private nonisolated(nonsending) func quietRefusal() async -> CommandResult? {
        let options = self.context.settings.announcements
        guard let hours = options.quietHours else { return nil }
        let now = self.context.now.wall
        let minutes = await LocalTime.minutes(of: now, in: options.timeZone)
        if minutes == nil, self.unknownZones.insert(options.timeZone ?? "").inserted {
            let reason = "the machine has no data of the time zone \(options.timeZone ?? "")"
            self.context.logger.warning(
                "quiet hours are in UTC", metadata: [.reason: "\(reason)", .remedy: "correct announcements.time_zone, or install tzdata"])
        }
        guard hours.contains(minute: minutes ?? Int(now.milliseconds / 60_000 % 1440)) else { return nil }
        return CommandResult(.notApplied, message: "Quiet hours are \(hours); priority high is heard in them, too.")
    }

    private nonisolated(nonsending) func media(
        _ announcement: Announcement, for player: DeviceAgent
    ) async throws(CommandRejection) -> (MediaInformation, chime: MediaInformation?) {
        guard let session = player.session else { throw CommandRejection(.deviceOffline, "The device is not connected.") }
        let local = await session.localAddress
        var chime: MediaInformation?
        if let name = announcement.chime { chime = try await self.speech.media(name, local: local) }
        switch announcement.content {
        case .media(let media):
            guard let reference = MediaReference(media) else { return (media, chime) }
            let found = try await MediaResolution(self.context, local: local).media(media, reference)
            guard let first = found.first else { throw CommandRejection(.badPayload, "There is nothing to play at that address.") }
            return (first, chime)
        case .text(let text, let language): return (try await self.speech.media(text, language: language, local: local), chime)
        }
    }

    /// Returns the device that plays for another one: its group, if that plays on it, because a member can't return to its group.
    private func player(of device: DeviceAgent) -> DeviceAgent {
        guard let group = device.state.groupPlayback?.id, let agent = self.fleet?.device(group) else { return device }
        // What plays there in between is not what the group does.
        if let held = self.held[group], held.snapshot.applicationID == nil { return device }
        return agent
    }

    private func submit(
        _ announcement: Announcement, _ media: MediaInformation, _ chime: MediaInformation?, on device: DeviceAgent,
        _ continuation: AsyncStream<Outcome>.Continuation
    ) -> AnnouncementQueue.ID? {
        let members = self.fleet?.groups.members(of: device.id) ?? []
        guard let (id, actions) = self.queue.submit(announcement, on: device.id, footprint: Set(members)) else {
            continuation.yield(
                Outcome(result: CommandResult(.rateLimited, message: "\(AnnouncementQueue.maximumWaiting) announcements wait.")))
            continuation.finish()
            return nil
        }
        let job = self.jobs[id] ?? Job(announcement, media: media, chime: chime, device: device.key, members: members)
        self.jobs[id] = job
        self.lastCaller += 1
        job.callers[self.lastCaller] = continuation
        self.perform(actions)
        return id
    }

    private static func answer(_ results: [(slug: String, outcome: Outcome)]) -> CommandResult {
        var targets: JSONObject = [:]
        for (slug, outcome) in results {
            targets[slug] = [
                "code": .string(outcome.result.code.rawValue), "media": .string(outcome.media.rawValue),
                "reason": outcome.reason.map { .string($0) } ?? .null, "volume": outcome.volume.map { .bool($0) } ?? .null,
            ]
        }
        // A failure of one device is the answer's, and the others are in data.
        var result = results.map(\.outcome.result).first(where: \.isError) ?? .done()
        result.data["targets"] = .object(targets)
        return result
    }

    /// Ends the wait of one caller. The announcement ends when no other caller waits for it.
    private func cancel(_ id: AnnouncementQueue.ID, for caller: Int) {
        guard let job = self.jobs[id] else { return }
        job.callers.removeValue(forKey: caller)?.finish()
        guard job.callers.isEmpty, job.outcome == nil else { return }
        if let task = job.task { return task.cancel() }
        self.jobs[id] = nil
        self.perform(self.queue.ended(id))
    }

    // MARK: Decisions of the queue

    private func perform(_ actions: [AnnouncementQueue.Action]) {
        for action in actions {
            switch action {
            case .start(let id): self.start(id)
            case .interrupt(let id):
                self.jobs[id]?.isInterrupted = true
                self.jobs[id]?.task?.cancel()
            case .restore(let device): if !self.isClosing { self.restore(device) }
            }
        }
    }

    private func start(_ id: AnnouncementQueue.ID) {
        guard let job = self.jobs[id] else { return self.perform(self.queue.ended(id)) }
        job.isInterrupted = false
        job.task = self.context.loop.start(self) { player in
            let outcome = await player.play(id)
            player.played(id, outcome)
        }
    }

    private func played(_ id: AnnouncementQueue.ID, _ outcome: Outcome) {
        guard let job = self.jobs[id] else { return }
        job.task = nil
        if job.isInterrupted, outcome.isStopped, !job.callers.isEmpty { return self.perform(self.queue.interrupted(id)) }
        job.outcome = outcome
        if self.held[job.device.device] == nil { self.settle(job.device.device, outcome) }
        self.perform(self.queue.ended(id))
    }

    private func restore(_ device: Device.ID) {
        let members = self.jobs.values.first { $0.device.device == device }?.members ?? self.fleet?.groups.members(of: device) ?? []
        self.begin { player in
            let outcome = await player.giveBack(device, members: members)
            player.settle(device, outcome)
            await player.write()
            player.perform(player.queue.restored(device))
        }
    }

    private func begin(_ work: nonisolated(nonsending) @escaping @Sendable (AnnouncementPlayer) async -> Void) {
        self.lastTask += 1
        let number = self.lastTask
        self.tasks[number] = self.context.loop.start(self) { player in
            await work(player)
            player.tasks[number] = nil
        }
    }

    /// Answers the announcements that have played on a device.
    private func settle(_ device: Device.ID, _ restored: Outcome) {
        for (id, job) in self.jobs where job.device.device == device {
            guard var outcome = job.outcome else { continue }
            if outcome.reason == nil { (outcome.media, outcome.reason) = (restored.media, restored.reason) }
            outcome.volume = outcome.volume ?? restored.volume
            for continuation in job.callers.values {
                continuation.yield(outcome)
                continuation.finish()
            }
            self.jobs[id] = nil
        }
    }

    /// Notes for all announcements that were heard on a device, also by several groups, whether its volume is what it was.
    func note(volumeIsBack isBack: Bool, of device: Device.ID) {
        for job in self.jobs.values where job.device.device == device || job.members.contains(device) {
            if !isBack || job.outcome?.volume == nil { job.outcome?.volume = isBack }
        }
    }

    // MARK: What is held

    /// Keeps what a device does; the first of several announcements counts.
    func hold(_ held: HeldPlayback) { if self.held[held.device] == nil { self.held[held.device] = held } }

    func job(_ id: AnnouncementQueue.ID) -> Job? { self.jobs[id] }

    func change(_ device: Device.ID, _ change: (inout HeldPlayback) -> Void) {
        guard var held = self.held[device] else { return }
        change(&held)
        self.held[device] = held
    }

    func release(_ device: Device.ID) { self.held[device] = nil }

    /// The devices whose former state is given back together: without the members that have an announcement of their own, or of an earlier run.
    func heldTogether(_ device: Device.ID, _ members: [Device.ID]) -> [HeldPlayback] {
        let others = members.compactMap { self.queue.holds($0) ? nil : self.held[$0] }.filter { !$0.isLeftOver }
        return (self.held[device].map { [$0] } ?? []) + others
    }

    func began(_ device: Device.ID, members: [Device.ID]) { self.queue.hold(device, footprint: Set(members)) }

    nonisolated(nonsending) func write() async {
        guard !self.isClosing else { return }
        var all = self.held.values.sorted { $0.device < $1.device }
        // What we offer ends with the run.
        for index in all.indices { all[index].snapshot = await all[index].snapshot.referring(to: self.context.program.media) }
        await self.file.write(all)
    }

    // MARK: After a kill

    /// A device is connected: what an earlier run interrupted there is given back in its turn, if the device shows nothing else.
    func connected(_ agent: DeviceAgent) {
        guard self.held[agent.id]?.isLeftOver == true, !self.queue.holds(agent.id) else { return }
        self.began(agent.id, members: self.fleet?.groups.members(of: agent.id) ?? [])
        self.perform(self.queue.advance())
    }

    /// The bridge ends: what plays is cut off with the links, and the next start gives back what it interrupted.
    func close() { self.isClosing = true }

    func end() {
        for job in self.jobs.values { job.task?.cancel() }
        for task in self.tasks.values { task.cancel() }
        (self.jobs, self.tasks) = ([:], [:])
    }
}
