import BridgeCore
import CastSender
import LogKeys
import Logging

/// What announcements interrupted, until it is given back. It is on disk before the first request of an announcement, and the file is there
/// only until all is given back: after a kill the next start finds it.
final class HeldPlaybacks {
    private let context: BridgeContext
    /// `nil` after the bridge has ended; a task may still be running then.
    private weak var fleet: DeviceFleet?
    private let file: StateDocument
    private var all: [Device.ID: HeldPlayback] = [:]

    init(_ context: BridgeContext, fleet: DeviceFleet) {
        (self.context, self.fleet, self.file) = (context, fleet, StateDocument(context, "announcing.json"))
        let found = (self.file.read()?.arrayValue ?? []).compactMap { HeldPlayback(json: $0) }
        for held in found {
            if held.isFresh(at: context.now.wall) { self.all[held.device] = held } else { self.leave(held, Self.isTooOld) }
        }
        if self.all.isEmpty, !found.isEmpty { self.file.write { nil } }
    }

    private static let isTooOld = "it began more than five minutes ago"

    subscript(device: Device.ID) -> HeldPlayback? {
        get { self.all[device] }
        set { self.all[device] = newValue }
    }

    /// Returns when what is held is on disk, at the latest after a second.
    nonisolated(nonsending) func write() async {
        // What we offer may end before it is given back.
        let all = self.all.values.sorted { $0.device < $1.device }.map { held in
            var held = held
            held.snapshot = held.snapshot.referring(to: self.context.program.media)
            return held
        }
        self.file.write { all.isEmpty ? nil : .array(all.map(\.json)) }
        await self.file.ended()
    }

    /// Keeps what a member of a group does: its volume, and what it plays alone.
    nonisolated(nonsending) func holdMember(_ id: Device.ID) async throws(CastError) {
        guard let agent = self.fleet?.device(id), let session = agent.session, self[id] == nil else { return }
        var snapshot = PlaybackSnapshot()
        snapshot.volume = agent.state.receiver?.volume
        if !HeldPlayback.isSilent(agent.state.receiver) {
            do throws(CastError) { snapshot = try await session.snapshot() } catch let error where error.code == .cancelled {
                throw error
            } catch {}
        }
        if self[id] == nil { self[id] = HeldPlayback(id, snapshot, since: self.context.now.wall) }
    }

    // MARK: Giving back

    /// Gives back what devices did: their volumes, what the first one played, and what members of a group played alone.
    /// - Returns: what became of the first, and whether each volume that was changed is what it was.
    nonisolated(nonsending) func giveBack(
        _ all: [HeldPlayback]
    ) async -> (outcome: AnnouncementPlayer.Outcome, volumes: [Device.ID: Bool]) {
        var (outcome, volumes): (AnnouncementPlayer.Outcome, [Device.ID: Bool]) = (.init(), [:])
        // Until then it stays on disk.
        defer { for held in all { self[held.device] = nil } }
        guard let held = all.first else { return (outcome, volumes) }
        let player = self.fleet?.device(held.device)?.session
        // A group that was lost leaves only its members.
        if held.isLeftOver || !held.addresses.isEmpty {
            guard let player else { return (.init(media: .notPossible, reason: "device_offline"), volumes) }
            if held.isLeftOver, await !self.isDue(held, over: player) { return (outcome, volumes) }
        }
        for one in all where one.level != nil { volumes[one.device] = await self.restoreVolume(one) }
        if !held.addresses.isEmpty, let player { (outcome.media, outcome.reason) = await self.restoreMedia(held, over: player) }
        // A member plays alone again, unless its group left it alone or a person has begun something there.
        for one in all where one.addresses.isEmpty && one.snapshot.applicationID != nil && one.snapshot.loss == nil {
            if let session = self.fleet?.device(one.device)?.session { _ = await self.restoreMedia(one, over: session) }
        }
        if held.isLeftOver {
            self.context.logger.notice(
                "given back what an announcement interrupted before the bridge ended",
                metadata: [.device: "\(held.device)", .reason: "\(outcome.reason ?? "-")"])
        }
        return (outcome, volumes)
    }

    private nonisolated(nonsending) func restoreMedia(
        _ held: HeldPlayback, over session: CastSession
    ) async -> (AnnouncementPlayer.Outcome.Media, String?) {
        let (receiver, media) = (await session.receiverStatus, await session.mediaStatus)
        if let loss = held.snapshot.loss {
            // Silence is better than the screen of a player that plays nothing.
            if held.isShown(by: receiver, media) { try? await session.stopApplication() }
            return (.notPossible, loss.rawValue)
        }
        let done: AnnouncementPlayer.Outcome.Media = held.snapshot.content == .nothing ? .nothingPlaying : .restored
        if held.isUntouched(by: receiver), media?.mediaSessionID == held.snapshot.mediaSessionID { return (done, nil) }
        guard held.isShown(by: receiver, media) || HeldPlayback.isSilent(receiver) else { return (.notPossible, "taken_over") }
        let result = await held.snapshot.restore(over: session, self.context)
        guard result.isError else { return (done, nil) }
        self.context.logger.warning(
            "what an announcement interrupted can't be given back",
            metadata: [.device: "\(held.device)", .error: "\(result.code.rawValue)", .detail: "\(result.message ?? "-")"])
        return (.notPossible, result.code.rawValue)
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
        // A more urgent announcement asks again.
        if Task.isCancelled { return true }
        let isShown = held.isShown(by: await session.receiverStatus, await session.mediaStatus)
        let isFresh = held.isFresh(at: self.context.now.wall)
        if isFresh, isAnswering, held.addresses.isEmpty || isShown { return true }
        self.leave(
            held, !isFresh ? Self.isTooOld : isAnswering ? "the device shows something else" : "the device does not answer")
        return false
    }

    private func leave(_ held: HeldPlayback, _ reason: String) {
        self.context.logger.notice(
            "left alone what an announcement interrupted", metadata: [.device: "\(held.device)", .reason: "\(reason)"])
    }
}
