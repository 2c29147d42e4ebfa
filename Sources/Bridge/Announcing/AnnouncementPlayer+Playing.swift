import BridgeCore
import CastSender
import EventLoopTiming

/// Plays one announcement on one device.
extension AnnouncementPlayer {
    private static let application = ReceiverApplication.defaultMediaReceiver
    /// How long a device may be away while it plays an announcement.
    private static let absence = Duration.seconds(15)
    /// How long it waits for a load that is under way, because that is what comes back.
    private static let patience = Duration.seconds(10)

    /// Returns when the announcement has ended, whatever the reason.
    nonisolated(nonsending) func play(_ job: Job) async -> Outcome {
        let id = job.device.device
        guard let session = self.fleet?.device(job.device)?.session else {
            return Outcome(result: CommandResult(.deviceOffline, message: "The device is not connected."))
        }
        let end = self.context.time + Self.patience
        while self.fleet?.device(job.device)?.state.player == .loading, self.context.time < end, !Task.isCancelled {
            await sleep(.milliseconds(100), on: self.context.loop.eventLoop)
        }
        do throws(CastError) {
            // What an earlier run interrupted comes back after this one, unless a person has begun something since.
            if let held = self.held[id], held.isLeftOver, await !self.held.isDue(held, over: session) { self.held[id] = nil }
            if self.held[id] == nil {
                let snapshot = try await session.snapshot()
                if self.held[id] == nil { self.held[id] = HeldPlayback(id, snapshot, since: self.context.now.wall) }
                for member in job.members { try await self.held.holdMember(member) }
                let all = self.heldTogether(id, job.members)
                if job.announcement.onlyIfRestorable, let loss = all.lazy.compactMap(\.snapshot.loss).first {
                    for held in all { self.held[held.device] = nil }
                    let result = CommandResult(.notSupported, message: "What plays can't be given back: \(loss.rawValue).")
                    return Outcome(result: result, media: .notPossible, reason: loss.rawValue)
                }
            }
            self.began(id, members: job.members)
            self.held[id]?.addresses.formUnion(job.addresses)
            self.held[id]?.isLeftOver = false
            let volumes = job.heard.compactMap { self.volume(of: $0, for: job) }
            await self.write()
            try await session.start(Self.application, options: LaunchOptions())
            try await session.remoteMediaClient.load(job.request(autoplay: volumes.isEmpty), in: Self.application)
            // The former media is silent now, and the announcement is not heard yet.
            for volume in volumes { await self.set(volume) }
            if !volumes.isEmpty { try await session.remoteMediaClient.play() }
            return await self.ended(try await self.ending(of: job, over: session), job, session)
        } catch {
            let status = await session.mediaStatus
            var outcome = Outcome(result: CommandResult(error), isStopped: error.code == .cancelled)
            if outcome.isStopped, let status, status.media?.contentID == job.media.contentID {
                outcome.position = status.approximateStreamPosition(at: self.context.time)
            }
            return outcome
        }
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
                let announced = job.media.contentID
                // The announcement follows its chime in a media session of its own, or in the same.
                let isChime = status.media?.contentID != announced
                let ending = try await session.ending(of: status.mediaSessionID, isFollowed: isChime, within: remaining)
                let next = await session.mediaStatus
                guard ending == .takenOver, isChime, next?.mediaSessionID != status.mediaSessionID, next?.media?.contentID == announced
                else { return ending }
            } catch {
                guard [.networkError, .deviceNotConnected, .sessionSuspended].contains(error.code) else { throw error }
            }
            wasLost = true
            guard await self.isConnectedAgain(session) else { return nil }
        }
    }

    private nonisolated(nonsending) func isConnectedAgain(_ session: CastSession) async -> Bool {
        let end = self.context.time + Self.absence
        while self.context.time < end, !Task.isCancelled {
            if await session.isConnected { return (try? await session.snapshot()) != nil }
            await sleep(.milliseconds(200), on: self.context.loop.eventLoop)
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
        case .takenOver: return self.abandon(job, job.members, "taken_over")
        case nil:
            // The members that are still there have their own volume and music to get back.
            return self.abandon(job, [], "device_lost", CommandResult(.deviceOffline, message: "The device was lost while it played."))
        }
    }

    /// Touches nothing any more, because a person took over or the device was lost: what plays there now is what the next announcement keeps.
    /// - Parameter members: the devices of the group that are touched no more, either.
    private func abandon(_ job: Job, _ members: [Device.ID], _ reason: String, _ result: CommandResult = .done()) -> Outcome {
        var outcome = Outcome(result: result, media: .notPossible, reason: reason)
        for held in self.heldTogether(job.device.device, members) {
            if held.level != nil {
                outcome.volume = outcome.volume ?? true && held.isFormer(self.fleet?.device(held.device)?.state.receiver?.volume)
            }
            self.held[held.device] = nil
        }
        return outcome
    }

    // MARK: Volumes

    private typealias Level = (device: Device.ID, level: Double?, unmutes: Bool)

    /// Decides on the volume of a device that is heard, and notes it with what is held; `nil` leaves it alone.
    private func volume(of id: Device.ID, for job: Job) -> Level? {
        guard let agent = self.fleet?.device(id), let volume = agent.state.receiver?.volume, volume.isChangeable,
            let present = volume.level, let held = self.held[id]
        else { return nil }
        // A person who changed it between two announcements decided on what comes back.
        if let level = held.level, !volume.isWithin(level...level) { self.held[id]?.snapshot.volume = volume }
        let former = self.held[id]?.snapshot.volume?.level ?? present
        // One that asks for no volume is as loud as the device was, also after one that did.
        let limit = min(agent.options.maximumVolume, self.fleet?.device(job.device)?.options.maximumVolume ?? 1)
        let wanted = job.announcement.volume?.level(from: former, limit: limit) ?? (held.level == nil ? nil : former)
        let level = wanted.flatMap { abs($0 - present) > 0.001 ? $0 : nil }
        let unmutes = volume.isMuted == true
        guard unmutes || level != nil else { return nil }
        self.held[id]?.level = wanted ?? present
        if unmutes { self.held[id]?.isUnmuted = true }
        return (id, level, unmutes)
    }

    /// A volume that a device refuses does not keep it from announcing.
    private nonisolated(nonsending) func set(_ volume: Level) async {
        guard let session = self.fleet?.device(volume.device)?.session else { return }
        if let level = volume.level { try? await session.setDeviceVolume(level: level, within: .seconds(3)) }
        if volume.unmutes { try? await session.setDeviceMuted(false) }
        // Devices round to their steps.
        if let level = await session.receiverStatus?.volume?.level { self.held[volume.device]?.level = level }
    }
}
