import BridgeCore
import CastSender
import LogKeys
import Logging

/// Gives back what announcements interrupted.
extension AnnouncementPlayer {
    /// Gives back what a device and the members of its group did.
    nonisolated(nonsending) func giveBack(_ device: Device.ID, members: [Device.ID]) async -> Outcome {
        var outcome = Outcome()
        guard let held = self.held[device] else { return outcome }
        let all = held.isLeftOver ? [held] : self.heldTogether(device, members)
        // Until then it stays on disk.
        defer { all.forEach { self.release($0.device) } }
        guard let session = self.fleet?.device(device)?.session else { return Outcome(media: .notPossible, reason: "device_offline") }
        if held.isLeftOver, await !self.isDue(held, over: session) { return outcome }
        for one in all where one.level != nil { self.note(volumeIsBack: await self.restoreVolume(one), of: one.device) }
        if !held.addresses.isEmpty { (outcome.media, outcome.reason) = await self.restoreMedia(held, over: session) }
        for one in all where one.addresses.isEmpty { await self.restoreMember(one) }
        if held.isLeftOver {
            self.context.logger.notice(
                "given back what an announcement interrupted before the bridge ended",
                metadata: [.device: "\(device)", .reason: "\(outcome.reason ?? "-")"])
        }
        return outcome
    }

    private nonisolated(nonsending) func restoreMedia(_ held: HeldPlayback, over session: CastSession) async -> (Outcome.Media, String?) {
        let (receiver, media) = (await session.receiverStatus, await session.mediaStatus)
        if let loss = held.snapshot.loss {
            // Silence is better than the screen of a player that plays nothing.
            if held.isShown(by: receiver, media) { try? await session.stopApplication() }
            return (.notPossible, loss.rawValue)
        }
        let isEmpty = held.snapshot.content == .nothing
        if held.isUntouched(by: receiver), media?.mediaSessionID == held.snapshot.mediaSessionID {
            return (isEmpty ? .nothingPlaying : .restored, nil)
        }
        guard held.isShown(by: receiver, media) || HeldPlayback.isSilent(receiver) else { return (.notPossible, "taken_over") }
        do throws(CastError) {
            try await self.restore(held, over: session)
            return (isEmpty ? .nothingPlaying : .restored, nil)
        } catch {
            self.context.logger.warning(
                "what an announcement interrupted can't be given back", metadata: [.device: "\(held.device)", .error: "\(error)"])
            return (.notPossible, CommandResult(error).code.rawValue)
        }
    }

    /// Plays again what a device did; files of an earlier run get new addresses.
    private nonisolated(nonsending) func restore(_ held: HeldPlayback, over session: CastSession) async throws(CastError) {
        let resolution = MediaResolution(self.context, local: await session.localAddress)
        let snapshot: PlaybackSnapshot
        do throws(CommandRejection) { snapshot = try await held.snapshot.resolved(with: resolution) } catch {
            throw CastError(.invalidRequest, detail: error.message)
        }
        try await session.restore(snapshot)
    }

    /// A member plays alone again, unless its group left it alone or a person has begun something there.
    private nonisolated(nonsending) func restoreMember(_ held: HeldPlayback) async {
        guard held.snapshot.applicationID != nil, held.snapshot.loss == nil, let session = self.fleet?.device(held.device)?.session else {
            return
        }
        let (receiver, media) = (await session.receiverStatus, await session.mediaStatus)
        if HeldPlayback.isSilent(receiver) || held.isShown(by: receiver, media) { try? await self.restore(held, over: session) }
    }

    /// - Returns: whether the volume is again what it was.
    private nonisolated(nonsending) func restoreVolume(_ held: HeldPlayback) async -> Bool {
        guard let session = self.fleet?.device(held.device)?.session, let former = held.formerVolume(await session.receiverStatus?.volume)
        else { return false }
        do throws(CastError) {
            if let level = former.level { try await session.setDeviceVolume(level: level, within: .seconds(8)) }
            if held.isUnmuted { try await session.setDeviceMuted(true) }
            return true
        } catch {
            return false
        }
    }

    /// Returns whether what an earlier run interrupted is to be given back: the device still shows that announcement, or the silence after it.
    nonisolated(nonsending) func isDue(_ held: HeldPlayback, over session: CastSession) async -> Bool {
        let isAnswering = (try? await session.snapshot()) != nil
        let isShown = held.isShown(by: await session.receiverStatus, await session.mediaStatus)
        let reason: String
        if !held.isFresh(at: self.context.now.wall) {
            reason = "it began more than five minutes ago"
        } else if !isAnswering {
            reason = "the device does not answer"
        } else if !held.addresses.isEmpty, !isShown {
            reason = "the device shows something else"
        } else {
            return true
        }
        self.context.logger.notice(
            "left alone what an announcement interrupted", metadata: [.device: "\(held.device)", .reason: "\(reason)"])
        return false
    }
}
