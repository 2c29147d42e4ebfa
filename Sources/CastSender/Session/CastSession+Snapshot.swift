import CastModels
import CastProtocol
import NIOCore

/// Plays something in between: what played before is taken down, and given back afterwards.
extension CastSession {
    /// The end of what `ending` waits for.
    public enum PlaybackEnding: Sendable, Hashable {
        case finished
        /// The receiver could not play it to its end.
        case failed
        /// It was still playing at the limit.
        case stillPlaying
        /// Somebody paused or stopped it, loaded something else, or ended the application.
        case takenOver
    }

    /// Asks the device what it plays; what is being loaded is waited for, for `applicationTimeout`. Changes nothing there.
    ///
    /// - Throws: the errors of `requestReceiverStatus`; what can't be asked of the application is `lost`.
    public func snapshot() async throws(CastError) -> PlaybackSnapshot {
        let receiver = try await self.requestReceiverStatus()
        var snapshot = PlaybackSnapshot()
        snapshot.volume = receiver?.volume
        guard let application = receiver?.application, !application.isIdleScreen, !application.isGroupPlaceholder else { return snapshot }
        (snapshot.applicationID, snapshot.sessionID) = (application.applicationID, application.sessionID)
        do throws(CastError) {
            guard var status = try await self.requestMediaStatus(), !status.isEnded else { return snapshot }
            if status.isLoading {
                // What it is stands in the status that follows.
                _ = try await self.wait(self.configuration.applicationTimeout) { $0.media?.isLoading != true }
                guard let loaded = self.machine.media, !loaded.isEnded else { return snapshot }
                status = loaded
            }
            snapshot.mediaSessionID = status.mediaSessionID
            snapshot.isShuffled = status.queueData?.shuffle == true
            snapshot.streamVolume = status.streamVolume
            // The receiver of our own loads takes them again; others know best how to store what they play.
            let isPlain =
                application.applicationID == ReceiverApplication.defaultMediaReceiver || self.launchedSessionID == application.sessionID
            switch try await self.transferredMedia(mayBeStored: !isPlain) {
            case .stored(let state): snapshot.content = .stored(state)
            case .load(let request, _): snapshot.content = request.hasContent ? .load(request) : .lost(.noContentID)
            }
        } catch let error where error.code == .noMediaSession {
            // Between two questions it ended.
        } catch let error where [.applicationNotRunning, .notResponding, .timeout].contains(error.code) {
            snapshot.content = .lost(.noPlayer)
        }
        return snapshot
    }

    /// Waits for the end of a media session of the running application. With `isFollowed` the next item of the queue may have a media session
    /// of its own, for whose load it then waits.
    ///
    /// - Throws: `networkError` and others when the link breaks meanwhile.
    public func ending(
        of mediaSessionID: Int, isFollowed: Bool = false, within limit: Duration
    ) async throws(CastError) -> PlaybackEnding {
        let sessionID = self.machine.receiver?.application?.sessionID
        let isOver = try await self.wait(TimeAmount(limit)) { machine in
            guard let media = machine.media, media.mediaSessionID == mediaSessionID else { return true }
            return media.isEnded || media.playerState == .paused || machine.receiver?.application?.sessionID != sessionID
        }
        guard isOver else { return .stillPlaying }
        guard let media = self.machine.media, media.mediaSessionID == mediaSessionID,
            self.machine.receiver?.application?.sessionID == sessionID, media.isEnded
        else {
            // While it loads, another sender's media looks like silence.
            if self.machine.media?.mediaSessionID != mediaSessionID {
                _ = try await self.wait(isFollowed ? TimeAmount(limit) : .seconds(5)) { machine in
                    machine.media.map { [.playing, .paused, .buffering].contains($0.playerState) } ?? false
                        || machine.receiver?.application?.sessionID != sessionID
                }
            }
            return .takenOver
        }
        return switch media.idleReason {
        case .error: .failed
        case .cancelled, .interrupted: .takenOver
        default: .finished
        }
    }

    /// Plays again what a snapshot has, or is idle again, as it was. The volume of the device stays as it is.
    ///
    /// - Throws: `unsupportedFeature` when it can't be given back, otherwise the errors of launch, load and stop.
    public func restore(_ snapshot: PlaybackSnapshot) async throws(CastError) {
        if let loss = snapshot.loss { throw CastError(.unsupportedFeature, detail: "it can't be given back: \(loss.rawValue)") }
        guard let application = snapshot.applicationID else {
            guard let running = self.machine.receiver?.application, !running.isIdleScreen, !running.isGroupPlaceholder else { return }
            return try await self.stopApplication()
        }
        try await self.startApplication(application)
        switch snapshot.content {
        case .load(let request): try await self.resume(.load(request, queue: nil), in: application)
        case .stored(let state): try await self.resume(.stored(state), in: application)
        case .nothing, .lost: break
        }
        try await self.restoreSettings(snapshot)
    }

    /// Sets what a load has no field for.
    private func restoreSettings(_ snapshot: PlaybackSnapshot) async throws(CastError) {
        let client = self.remoteMediaClient
        if let level = snapshot.streamVolume?.level, level != self.machine.media?.streamVolume?.level, self.machine.media != nil {
            try await client.setStreamVolume(level)
        }
        if snapshot.streamVolume?.isMuted == true, self.machine.media != nil { try await client.setStreamMuted(true) }
        if snapshot.isShuffled, self.machine.media?.queueData?.shuffle != true {
            // The items came in their shuffled order, which the switch would change.
            let order = try await client.queue.requestItemIDs()
            try await client.queue.setShuffled(true)
            if order.count > 1 { try await client.queue.reorder(itemIDs: order, before: nil) }
        }
    }
}

extension MediaLoadRequest {
    /// Whether it says what to play.
    fileprivate var hasContent: Bool {
        if self.queueData?.entity != nil { return true }
        let items = self.queueData?.items.compactMap(\.media) ?? []
        return ([self.media].compactMap { $0 } + items).contains {
            $0.contentID?.isEmpty == false || $0.contentURL != nil || $0.entity != nil
        }
    }
}
