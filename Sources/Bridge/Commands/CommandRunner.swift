import BridgeCore
import CastSender

/// Carries one command out on a live session and says how it ended.
///
/// Runs where its caller runs, the event loop: a hop to the pool and back costs more than the rest of a command.
struct CommandRunner {
    let session: CastSession

    /// Runs `command`; never throws, since every end is an answer.
    nonisolated(nonsending) func run(_ command: DeviceCommand) async -> CommandResult {
        do throws(CastError) {
            return .done(try await self.perform(command))
        } catch {
            return CommandResult(error)
        }
    }

    private nonisolated(nonsending) func perform(_ command: DeviceCommand) async throws(CastError) -> JSONObject {
        let client = self.session.remoteMediaClient
        switch command {
        case .set(let changes): try await self.set(changes)
        case .play: try await client.play()
        case .pause: try await client.pause()
        case .playPause:
            switch await self.session.mediaStatus?.playerState {
            case .playing, .buffering: try await client.pause()
            case .idle, .loading, .paused, .unknown, nil: try await client.play()
            }
        case .stop: try await client.stop()
        case .next: try await client.queueNext()
        case .previous: try await client.queuePrevious()
        case .quitApp: try await self.session.stopApplication()
        case .launch(let applicationID):
            let application = try await self.session.launch(applicationID)
            return [
                "app": .string(application?.applicationID ?? applicationID), "session": application?.sessionID.map { .string($0) } ?? .null,
            ]
        case .load(let load):
            try await self.session.launch(load.applicationID)
            do throws(CastError) { try await client.load(load.request, in: load.applicationID) } catch { throw Self.underWay(error) }
            return ["media_session": await client.mediaStatus.map { .integer(Int64($0.mediaSessionID)) } ?? .null]
        case .get: try await self.read()
        }
        return [:]
    }

    private nonisolated(nonsending) func set(_ changes: PropertyChanges) async throws(CastError) {
        var isUnderWay = false
        do throws(CastError) {
            if let change = changes.volume {
                try await self.setVolume(change)
                isUnderWay = true
            }
            if let change = changes.muted {
                try await self.setMuted(change)
                isUnderWay = true
            }
            if let change = changes.position { try await self.seek(change) }
        } catch {
            throw isUnderWay ? Self.underWay(error) : error
        }
    }

    private nonisolated(nonsending) func setVolume(_ change: VolumeChange) async throws(CastError) {
        let volume = await self.session.receiverStatus?.volume
        guard let reported = change.base ?? volume?.level else {
            throw CastError(.invalidState, detail: "the device has not told its volume, so it can't be changed by a step")
        }
        try await self.session.setDeviceVolume(level: change.level(reported: reported, step: volume?.stepInterval))
    }

    private nonisolated(nonsending) func setMuted(_ change: MuteChange) async throws(CastError) {
        switch change {
        case .to(let isMuted): try await self.session.setDeviceMuted(isMuted)
        case .toggle: try await self.session.setDeviceMuted(!(await self.session.receiverStatus?.volume?.isMuted ?? false))
        }
    }

    /// The error of a later step: "offline" would promise that nothing was done.
    private static func underWay(_ error: CastError) -> CastError {
        guard CommandResult(error).code == .deviceOffline else { return error }
        return CastError(.networkError, detail: "the link broke after a part of the command was done")
    }

    private nonisolated(nonsending) func seek(_ change: PositionChange) async throws(CastError) {
        let client = self.session.remoteMediaClient
        switch change.base {
        case .seconds(let seconds): try await client.seek(to: .position(max(0, seconds + change.offset)))
        case .current: try await client.seek(to: .relative(change.offset))
        case .live:
            try await client.seek(to: .live)
            guard change.offset < 0 else { return }
            do throws(CastError) { try await client.seek(to: .relative(change.offset)) } catch { throw Self.underWay(error) }
        }
    }

    /// Asks the device for all of its state; an application without a player has none to ask for.
    private nonisolated(nonsending) func read() async throws(CastError) {
        try await self.session.requestReceiverStatus()
        do throws(CastError) {
            try await self.session.remoteMediaClient.requestStatus()
        } catch let error where error.code == .applicationNotRunning || error.code == .noMediaSession {
            return
        }
    }
}
