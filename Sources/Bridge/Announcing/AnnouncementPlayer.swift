import BridgeCore
import CastSender

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
    let held: HeldPlaybacks
    private let speech: Speech
    private let quiet: QuietTime
    private var queue = AnnouncementQueue()
    private var jobs: [AnnouncementQueue.ID: Job] = [:]
    private var restoring: [Device.ID: Task<Void, Never>] = [:]
    /// Whether the bridge ends: then nothing is given back, and the file stays for the next start.
    private var isClosing = false

    init(_ context: BridgeContext, fleet: DeviceFleet) {
        (self.context, self.fleet) = (context, fleet)
        self.held = HeldPlaybacks(context, fleet: fleet)
        (self.speech, self.quiet) = (Speech(context), QuietTime(context))
    }

    // MARK: Commands

    /// Plays an announcement and returns when what it interrupted is given back.
    /// - Parameter key: the device that received the command.
    nonisolated(nonsending) func run(_ announcement: Announcement, on key: DeviceAgent.Key) async -> CommandResult {
        if announcement.priority != .high, let refusal = await self.quiet.refusal() { return refusal }
        var targets: [DeviceAgent] = []
        for name in announcement.targets {
            guard let agent = self.fleet?.device(named: name) else {
                return CommandResult(.unknownDevice, message: "targets: no device has the slug or id \(name.prefix(80)).")
            }
            targets.append(agent)
        }
        if announcement.targets.isEmpty, let agent = self.fleet?.device(key) { targets = [agent] }
        var (pending, jobs): ([(slug: String, outcomes: AsyncStream<Outcome>)], [AnnouncementQueue.ID]) = ([], [])
        for target in targets {
            let (outcomes, caller) = AsyncStream<Outcome>.makeStream()
            pending.append((target.state.slug, outcomes))
            do throws(CommandRejection) { jobs.append(try await self.submit(announcement, for: target, caller)) } catch {
                caller.yield(Outcome(result: CommandResult(error)))
            }
        }
        var (data, failure): (JSONObject, CommandResult?) = ([:], nil)
        for (slug, outcomes) in pending {
            // There is one, or none after a cancellation.
            guard let outcome = await outcomes.first(where: { _ in true }) else { continue }
            if outcome.result.isError { failure = failure ?? outcome.result }
            data[slug] = [
                "code": .string(outcome.result.code.rawValue), "media": outcome.media.map { .string($0.rawValue) } ?? .null,
                "reason": outcome.reason.map { .string($0) } ?? .null, "volume": outcome.volume.map { .bool($0) } ?? .null,
            ]
        }
        if Task.isCancelled { for id in jobs { self.leave(id) } }
        // A failure of one device is the answer's, and the others are in data.
        var result = failure ?? .done()
        result.data["targets"] = .object(data)
        return result
    }

    private nonisolated(nonsending) func submit(
        _ announcement: Announcement, for target: DeviceAgent, _ caller: AsyncStream<Outcome>.Continuation
    ) async throws(CommandRejection) -> AnnouncementQueue.ID {
        let device = self.player(of: target)
        guard let session = device.session else { throw CommandRejection(.deviceOffline, "The device is not connected.") }
        let sounds = try await self.speech.sounds(of: announcement, local: await session.localAddress)
        let members = self.fleet?.groups.members(of: device.id) ?? []
        guard let (id, actions) = self.queue.submit(announcement, on: device.id, footprint: Set(members)) else {
            self.speech.withdraw(sounds, of: announcement)
            throw CommandRejection(.rateLimited, "\(AnnouncementQueue.maximumWaiting) announcements wait.")
        }
        if self.jobs[id] != nil { self.speech.withdraw(sounds, of: announcement) }
        var job = self.jobs[id] ?? Job(announcement: announcement, sounds: sounds, device: device.key, members: members)
        (job.callers, job.waiting) = (job.callers + [caller], job.waiting + 1)
        self.jobs[id] = job
        self.perform(actions)
        return id
    }

    /// Returns the device that plays for another one: its group, if that plays on it, because a member can't return to its group.
    private func player(of device: DeviceAgent) -> DeviceAgent {
        guard let group = device.state.groupPlayback?.id, let agent = self.fleet?.device(group) else { return device }
        // What plays there in between is not what the group does.
        if let held = self.held[group], held.snapshot.applicationID == nil { return device }
        return agent
    }

    /// Ends the wait of one caller. The announcement ends when no other caller waits for it.
    private func leave(_ id: AnnouncementQueue.ID) {
        self.jobs[id]?.waiting -= 1
        guard let job = self.jobs[id], job.waiting == 0, job.outcome == nil else { return }
        if let task = job.task { return task.cancel() }
        self.forget(id)
        self.perform(self.queue.ended(id))
    }

    // MARK: Decisions of the queue

    private func perform(_ actions: [AnnouncementQueue.Action]) {
        for action in actions {
            switch action {
            case .start(let id): self.start(id)
            case .interrupt(let id): self.jobs[id]?.task?.cancel()
            case .restore(let device): if !self.isClosing { self.restore(device) }
            }
        }
    }

    private func start(_ id: AnnouncementQueue.ID) {
        guard self.jobs[id] != nil else { return self.perform(self.queue.ended(id)) }
        let task = self.context.loop.start(self) { player in
            guard let begun = player.jobs[id] else { return }
            let outcome = await player.play(begun)
            guard var job = player.jobs[id] else { return }
            (job.task, job.position) = (nil, outcome.position ?? job.position)
            player.jobs[id] = job
            if outcome.isStopped, job.waiting > 0, let actions = player.queue.interrupted(id) { return player.perform(actions) }
            player.jobs[id]?.outcome = outcome
            if player.heldTogether(job.device.device, job.members).isEmpty { player.settle(job.device.device, outcome) }
            player.perform(player.queue.ended(id))
        }
        self.jobs[id]?.task = task
    }

    private func restore(_ device: Device.ID) {
        self.restoring[device] = self.context.loop.start(self) { player in
            let members = player.jobs.values.first { $0.device.device == device }?.members ?? player.fleet?.groups.members(of: device)
            let held = player.heldTogether(device, members ?? [])
            let (outcome, volumes) = await player.held.giveBack(held)
            // For all announcements that were heard on a device, also by several groups. A volume that is not what it was decides.
            for (id, isBack) in volumes {
                for (job, one) in player.jobs where one.device.device == id || one.members.contains(id) {
                    if !isBack || one.outcome?.volume == nil { player.jobs[job]?.outcome?.volume = isBack }
                }
            }
            player.settle(device, outcome)
            await player.write()
            player.restoring[device] = nil
            player.perform(player.queue.restored(device))
        }
    }

    /// Answers the announcements that have played on a device.
    private func settle(_ device: Device.ID, _ restored: Outcome) {
        for (id, job) in self.jobs where job.device.device == device {
            guard var outcome = job.outcome else { continue }
            if outcome.reason == nil { (outcome.media, outcome.reason) = (restored.media, restored.reason) }
            outcome.volume = outcome.volume ?? restored.volume
            for caller in job.callers { caller.yield(outcome) }
            self.forget(id)
        }
    }

    private func forget(_ id: AnnouncementQueue.ID) {
        if let job = self.jobs.removeValue(forKey: id) { self.speech.withdraw(job.sounds, of: job.announcement) }
    }

    // MARK: What is held

    /// The devices whose former state is given back together: without the members that have an announcement of their own, or of an earlier run.
    func heldTogether(_ device: Device.ID, _ members: [Device.ID]) -> [HeldPlayback] {
        let own = [self.held[device]].compactMap { $0 }
        if own.first?.isLeftOver == true { return own }
        return own + members.compactMap { self.queue.holds($0) ? nil : self.held[$0] }.filter { !$0.isLeftOver }
    }

    func began(_ device: Device.ID, members: [Device.ID]) { self.queue.hold(device, footprint: Set(members)) }

    nonisolated(nonsending) func write() async { if !self.isClosing { await self.held.write() } }

    /// A device is connected: what an earlier run interrupted there is given back in its turn, if the device shows nothing else.
    func connected(_ agent: DeviceAgent) {
        guard self.held[agent.id]?.isLeftOver == true, !self.queue.holds(agent.id) else { return }
        self.began(agent.id, members: self.fleet?.groups.members(of: agent.id) ?? [])
        self.perform(self.queue.advance())
    }

    /// The bridge ends: what plays is cut off with the links, and the next start gives back what it interrupted.
    func close() { self.isClosing = true }

    func end() {
        for task in self.jobs.values.compactMap(\.task) + self.restoring.values { task.cancel() }
        (self.jobs, self.restoring) = ([:], [:])
    }
}
