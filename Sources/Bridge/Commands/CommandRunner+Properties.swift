import BridgeCore
import CastSender

extension CommandRunner {
    nonisolated(nonsending) func set(_ changes: [PropertyChange]) async throws(CastError) {
        var isUnderWay = false
        for change in changes {
            do throws(CastError) { try await self.set(change) } catch { throw isUnderWay ? Self.underWay(error) : error }
            isUnderWay = true
        }
    }

    private nonisolated(nonsending) func set(_ change: PropertyChange) async throws(CastError) {
        let client = self.player.remoteMediaClient
        switch change {
        case .volume(let change): try await self.setVolume(change)
        case .muted(let change): try await self.setMuted(change)
        case .application(.launch(let applicationID)): try await self.session.launch(applicationID)
        case .application(.quit):
            do throws(CastError) {
                try await self.session.stopApplication()
            } catch let error where error.code == .applicationNotRunning {
                // The requested state is already set.
                return
            }
        case .repeatMode(let mode): try await client.queue.setRepeatMode(mode, customData: self.customData)
        case .shuffled(let isShuffled): try await client.queue.setShuffled(isShuffled, customData: self.customData)
        case .rate(let rate): try await client.setPlaybackRate(rate, customData: self.customData)
        case .streamVolume(let level): try await client.setStreamVolume(level, customData: self.customData)
        case .streamMuted(.to(let isMuted)): try await client.setStreamMuted(isMuted, customData: self.customData)
        case .streamMuted(.toggle):
            let isMuted = try await self.currentStatus().streamVolume?.isMuted ?? false
            try await client.setStreamMuted(!isMuted, customData: self.customData)
        case .audioTrack(let choice): try await self.select(choice, .audio, argument: "audio_track")
        case .videoTrack(let choice): try await self.select(choice, .video, argument: "video_track")
        case .textTrack(let choice): try await self.select(choice, .text, argument: "text_track")
        case .activeTracks(let ids): try await self.activate(ids)
        case .textStyle(let style): try await client.setTextTrackStyle(style, customData: self.customData)
        case .position(let change): try await self.seek(change)
        // `CommandExecution` executes these.
        case .membersVolume, .groupDeviceVolume: throw CastError(.unsupportedFeature, detail: "more than one device is concerned")
        }
    }

    private nonisolated(nonsending) func setVolume(_ change: RequestedVolume) async throws(CastError) {
        let volume = await self.session.receiverStatus?.volume
        guard let reported = change.base ?? volume?.level else {
            throw CastError(.invalidState, detail: "the device has not reported its volume, so it can't be changed by a step")
        }
        let level = min(change.level(reported: reported, step: volume?.stepInterval), self.maximumVolume)
        try await self.session.setDeviceVolume(level: level)
    }

    private nonisolated(nonsending) func setMuted(_ change: MuteChange) async throws(CastError) {
        switch change {
        case .to(let isMuted): try await self.session.setDeviceMuted(isMuted)
        case .toggle: try await self.session.setDeviceMuted(!(await self.session.receiverStatus?.volume?.isMuted ?? false))
        }
    }

    /// Selects a track of the media. A choice that matches none is refused before anything is sent.
    private nonisolated(nonsending) func select(
        _ choice: TrackChoice, _ type: MediaTrack.Kind, argument: String
    ) async throws(CastError) {
        let client = self.player.remoteMediaClient
        if choice == .off { return try await client.deselectTracks(of: type, customData: self.customData) }
        let tracks = try await self.currentStatus().media?.tracks ?? []
        guard let track = choice.track(in: tracks, type: type) else {
            throw .invalidArgument(argument, "no such track; the media has \(tracks.choices(of: type))")
        }
        try await client.selectTrack(.id(track.trackID), type: type, customData: self.customData)
    }

    private nonisolated(nonsending) func activate(_ ids: [Int]) async throws(CastError) {
        let tracks = try await self.currentStatus().media?.tracks ?? []
        if let unknown = ids.first(where: { id in !tracks.contains { $0.trackID == id } }) {
            let known = tracks.prefix(64).map { "\($0.trackID)" }.joined(separator: ", ")
            throw .invalidArgument("active_tracks", "\(unknown) is no track; the media has \(known.isEmpty ? "none" : known)")
        }
        try await self.player.remoteMediaClient.setActiveTrackIDs(ids, customData: self.customData)
    }

    private nonisolated(nonsending) func seek(_ change: PositionChange) async throws(CastError) {
        let client = self.player.remoteMediaClient
        switch change.base {
        case .seconds(let seconds): try await client.seek(to: .position(max(0, seconds + change.offset)), customData: self.customData)
        case .percent(let percent):
            guard let duration = try await self.currentStatus().media?.duration, duration > 0 else {
                throw CastError(.invalidState, detail: "the media has no known duration, so a percentage can't be applied")
            }
            try await client.seek(to: .position(max(0, percent / 100 * duration + change.offset)), customData: self.customData)
        case .current: try await client.seek(to: .relative(change.offset), customData: self.customData)
        case .live:
            try await client.seek(to: .live, customData: self.customData)
            guard change.offset < 0 else { return }
            do throws(CastError) {
                try await client.seek(to: .relative(change.offset), customData: self.customData)
            } catch { throw Self.underWay(error) }
        }
    }

    /// Returns the status of the current media; requests it when it is unknown.
    nonisolated(nonsending) func currentStatus() async throws(CastError) -> MediaStatus {
        let client = self.player.remoteMediaClient
        if let status = await client.mediaStatus, !status.isEnded { return status }
        guard let status = try await client.requestStatus(), !status.isEnded else {
            throw CastError(.noMediaSession, detail: "nothing is loaded")
        }
        return status
    }
}

extension [MediaTrack] {
    /// Returns the names of the first tracks of a kind, for a message.
    fileprivate func choices(of type: MediaTrack.Kind) -> String {
        let names = self.filter { $0.type == type }.prefix(8).map {
            "\($0.trackID) (\(($0.name ?? $0.language ?? "unnamed").shortened(to: 40)))"
        }
        return names.isEmpty ? "none of that kind" : names.joined(separator: ", ")
    }
}
