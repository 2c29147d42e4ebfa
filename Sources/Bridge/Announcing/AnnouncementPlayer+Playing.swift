import BridgeCore
import CastSender

/// Plays one announcement on one device.
extension AnnouncementPlayer {
    private static let application = ReceiverApplication.defaultMediaReceiver
    /// How long a device may be away while it plays an announcement.
    private static let absence = Duration.seconds(15)

    /// Returns when the announcement has ended, whatever the reason.
    nonisolated(nonsending) func play(_ id: AnnouncementQueue.ID) async -> Outcome {
        guard let job = self.job(id), let agent = self.fleet?.device(job.device), let session = agent.session else {
            return Outcome(result: CommandResult(.deviceOffline, message: "The device is not connected."))
        }
        do throws(CastError) {
            // What an earlier run interrupted comes back after this one, unless a person has begun something since.
            if let held = self.held[agent.id], held.isLeftOver, await !self.isDue(held, over: session) { self.release(agent.id) }
            if self.held[agent.id] == nil {
                self.hold(HeldPlayback(device: agent.id, snapshot: try await session.snapshot(), since: self.context.now.wall))
                for member in job.members { await self.holdMember(member) }
                let all = self.heldTogether(agent.id, job.members)
                if job.announcement.onlyIfRestorable, let loss = all.lazy.compactMap(\.snapshot.loss).first {
                    all.forEach { self.release($0.device) }
                    let result = CommandResult(.notSupported, message: "What plays can't be given back: \(loss.rawValue).")
                    return Outcome(result: result, media: .notPossible, reason: loss.rawValue)
                }
            }
            self.began(agent.id, members: job.members)
            self.change(agent.id) {
                $0.addresses.formUnion(job.addresses)
                $0.isLeftOver = false
            }
            let volumes = self.volumes(for: job)
            await self.write()
            try await session.start(Self.application, options: LaunchOptions())
            try await session.remoteMediaClient.load(job.request(autoplay: volumes.isEmpty), in: Self.application)
            // The former media is silent now, and the announcement is not heard yet.
            for volume in volumes { await self.set(volume) }
            if !volumes.isEmpty { try await session.remoteMediaClient.play() }
            return await self.ended(try await self.ending(of: job, over: session), job, session)
        } catch {
            if error.code == .cancelled { await self.note(positionOf: job, session) }
            return Outcome(result: CommandResult(error), isStopped: error.code == .cancelled)
        }
    }

    private nonisolated(nonsending) func note(positionOf job: Job, _ session: CastSession) async {
        guard let status = await session.mediaStatus, status.media?.contentID == job.media.contentID else { return }
        job.stopped(at: status.approximateStreamPosition(at: self.context.time))
    }

    /// Waits for the end, also over a broken link if the device still plays it afterwards.
    private nonisolated(nonsending) func ending(of job: Job, over session: CastSession) async throws(CastError) -> CastSession
        .PlaybackEnding?
    {
        let limit = self.context.time + .seconds(job.announcement.limit)
        var wasLost = false
        while true {
            guard let status = await session.mediaStatus, job.addresses.contains(status.media?.contentID ?? "") else {
                return wasLost ? nil : .takenOver
            }
            do throws(CastError) {
                let remaining = Duration.seconds(max(0.1, limit.seconds(since: self.context.time)))
                let ending = try await session.ending(of: status.mediaSessionID, within: remaining)
                // The announcement follows its chime in a media session of its own, or in the same.
                let next = await session.mediaStatus
                guard ending == .takenOver, next?.mediaSessionID != status.mediaSessionID, next?.media?.contentID == job.media.contentID,
                    status.media?.contentID != job.media.contentID
                else { return ending }
            } catch {
                guard error.code == .networkError || error.code == .deviceNotConnected || error.code == .sessionSuspended else {
                    throw error
                }
            }
            wasLost = true
            guard await self.isConnectedAgain(session) else { return nil }
        }
    }

    private nonisolated(nonsending) func isConnectedAgain(_ session: CastSession) async -> Bool {
        let end = self.context.time + Self.absence
        while self.context.time < end, !Task.isCancelled {
            if await session.isConnected { return (try? await session.snapshot()) != nil }
            try? await Task.sleep(for: .milliseconds(200))
        }
        return false
    }

    private nonisolated(nonsending) func ended(
        _ ending: CastSession.PlaybackEnding?, _ job: Job, _ session: CastSession
    ) async -> Outcome {
        switch ending {
        case .finished: return Outcome()
        case .stillPlaying:
            try? await session.remoteMediaClient.stop()
            return Outcome()
        case .failed: return Outcome(result: CommandResult(.loadFailed, message: "The device could not play it to its end."))
        case .takenOver: return self.abandon(job, "taken_over")
        case nil:
            return self.abandon(job, "device_lost", CommandResult(.deviceOffline, message: "The device was lost while it played."))
        }
    }

    /// Touches nothing any more, because a person took over or the device was lost: what plays there now is what the next announcement keeps.
    private func abandon(_ job: Job, _ reason: String, _ result: CommandResult = .done()) -> Outcome {
        var outcome = Outcome(result: result, media: .notPossible, reason: reason)
        for held in self.heldTogether(job.device.device, job.members) {
            if held.level != nil {
                outcome.volume = outcome.volume ?? true && held.isFormer(self.fleet?.device(held.device)?.state.receiver?.volume)
            }
            self.release(held.device)
        }
        return outcome
    }

    // MARK: Members and volumes

    /// Keeps what a member of a group does: its volume, and what it plays alone.
    private nonisolated(nonsending) func holdMember(_ id: Device.ID) async {
        guard let agent = self.fleet?.device(id), let session = agent.session, self.held[id] == nil else { return }
        var snapshot = PlaybackSnapshot()
        snapshot.volume = agent.state.receiver?.volume
        if let application = agent.state.receiver?.application, !application.isIdleScreen, !application.isGroupPlaceholder,
            let own = try? await session.snapshot()
        {
            snapshot = own
        }
        self.hold(HeldPlayback(device: id, snapshot: snapshot, since: self.context.now.wall))
    }

    private struct Level {
        var device: Device.ID
        var level: Double?
        var unmutes: Bool
    }

    /// Decides on the volume of each device that is heard, and notes it with what is held.
    private func volumes(for job: Job) -> [Level] {
        let heard = job.members.isEmpty ? [job.device.device] : job.members
        return heard.compactMap { id in
            guard let agent = self.fleet?.device(id), let volume = agent.state.receiver?.volume, volume.isChangeable,
                let present = volume.level, let held = self.held[id]
            else { return nil }
            // A person who changed it between two announcements decided on what comes back.
            if let level = held.level, abs(level - present) >= 0.011 { self.change(id) { $0.snapshot.volume = volume } }
            let former = self.held[id]?.snapshot.volume?.level ?? present
            // One that asks for no volume is as loud as the device was, also after one that did.
            let level =
                job.announcement.volume?.level(from: former, limit: agent.options.maximumVolume) ?? (held.level == nil ? nil : former)
            let unmutes = volume.isMuted == true
            guard unmutes || level.map({ abs($0 - present) > 0.001 }) == true else { return nil }
            self.change(id) {
                $0.level = level ?? present
                $0.isUnmuted = $0.isUnmuted || unmutes
            }
            return Level(device: id, level: level.flatMap { abs($0 - present) > 0.001 ? $0 : nil }, unmutes: unmutes)
        }
    }

    /// A volume that a device refuses does not keep it from announcing.
    private nonisolated(nonsending) func set(_ volume: Level) async {
        guard let session = self.fleet?.device(volume.device)?.session else { return }
        if let level = volume.level { try? await session.setDeviceVolume(level: level, within: .seconds(3)) }
        if volume.unmutes { try? await session.setDeviceMuted(false) }
        // Devices round to their steps.
        if let level = await session.receiverStatus?.volume?.level { self.change(volume.device) { $0.level = level } }
    }
}
