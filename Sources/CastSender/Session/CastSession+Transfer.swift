import CastModels
import CastProtocol
import NIOCore

/// Moves media from one device to another (media namespace, STORE_SESSION and RESUME_SESSION).
extension CastSession {
    /// The largest number of queue items that are moved.
    static let itemLimit = 10_000

    /// Returns the items of a queue that are moved: all of them, or from the current item on if the queue is longer than `itemLimit`.
    static func taken(of itemIDs: [Int], current: Int?) -> ArraySlice<Int> {
        guard itemIDs.count > self.itemLimit else { return itemIDs[...] }
        return itemIDs[(current.flatMap { itemIDs.firstIndex(of: $0) } ?? 0)...].prefix(self.itemLimit)
    }

    /// Moves the media to another device over the links of both. Playback continues here until it starts there, and also if it does not
    /// start. For callers that own links; otherwise use `SessionManager.transfer`.
    ///
    /// - Throws: `noMediaSession` when no media is playing, an error of `launch`, or of the target's player; the application launched there
    ///   is then stopped.
    public func transfer(to target: CastSession) async throws(CastError) -> StreamTransfer {
        guard let application = self.machine.receiver?.application, !application.isIdleScreen else {
            throw CastError(.noMediaSession, detail: "nothing plays that could be moved")
        }
        let applicationID = application.applicationID
        let media = try await self.transferredMedia()
        let formerSessionID = await target.receiverStatus?.application?.sessionID
        try await target.startApplication(applicationID)
        let taken: TransferredMedia
        do throws(CastError) {
            taken = try await target.resume(media, from: self, in: applicationID)
        } catch {
            // An application that was running there before keeps running.
            if let launched = await target.launchedSessionID, launched != formerSessionID {
                try? await evenIfCancelled { () async throws(CastError) in try await target.stopApplication() }
            }
            throw error
        }
        var outcome = StreamTransfer(taken, to: target)
        do throws(CastError) {
            try await evenIfCancelled { () async throws(CastError) in try await self.stopApplication() }
        } catch { outcome.sourceError = error }
        return outcome
    }

    /// Returns the data that another device needs to continue. Changes nothing here.
    ///
    /// - Parameter mayBeStored: whether the other device can be asked to resume the stored session of this one.
    /// - Throws: `noMediaSession` when no media is playing.
    func transferredMedia(mayBeStored: Bool = true) async throws(CastError) -> TransferredMedia {
        if self.machine.application.foreignLaunchEnds != nil { _ = try await self.requestMediaStatus() }
        try self.requireConnection()
        guard let transport = self.machine.usableTransport(of: nil), let status = self.machine.media, !status.isEnded else {
            throw CastError(.noMediaSession, detail: "nothing plays that could be moved")
        }
        if mayBeStored, status.supportedMediaCommands.contains(.streamTransfer) {
            do throws(CastError) {
                let request = MediaRequest(.storeSession, mediaSessionID: status.mediaSessionID)
                let answer = try await self.request(CastRequest(request, to: transport, timeout: self.configuration.requestTimeout))
                if case .media(.sessionState(let state)) = answer?.content { return .stored(state) }
            } catch let error where error.code.endsTransfer {
                throw error
            } catch {
                // The device announces a capability that it lacks: continue as without it.
            }
        }
        let queue = try await self.wholeQueue(of: status)
        let request = try TransferredMedia.load(
            continuing: self.machine.media ?? status, queue: queue.items, at: MonotonicTime(self.eventLoop.now))
        let isQueue = !queue.items.isEmpty
        return .load(
            request, queue: isQueue ? .init(takenItemCount: request.queueData?.items.count ?? 1, itemCount: queue.count) : nil)
    }

    /// Continues the media of `source`, with a new load where only the source can transfer streams.
    ///
    /// - Returns: the form in which the media was moved.
    func resume(
        _ media: TransferredMedia, from source: CastSession, in applicationID: String
    ) async throws(CastError) -> TransferredMedia {
        do throws(CastError) {
            try await self.resume(media, in: applicationID)
            return media
        } catch {
            guard case .stored = media, error.code == .invalidRequest || error.code == .unsupportedFeature else { throw error }
        }
        let media = try await source.transferredMedia(mayBeStored: false)
        try await self.resume(media, in: applicationID)
        return media
    }

    /// Continues the media of another device. Succeeds when it plays here, or is paused as it was there.
    ///
    /// - Throws: `mediaLoadFailed`, `invalidRequest`, `unsupportedFeature` and others, as the receiver answers.
    func resume(_ media: TransferredMedia, in applicationID: String) async throws(CastError) {
        switch media {
        case .load(let request, _): try await self.load(request, in: applicationID)
        case .stored(let state):
            _ = try await self.wait(self.configuration.applicationTimeout * 3) { $0.usableTransport(of: applicationID) != nil }
            guard let transport = self.machine.usableTransport(of: applicationID) else {
                throw CastError(.applicationNotRunning, detail: "the application has no player")
            }
            var request = CastRequest(
                CastNamespace.media, to: transport.id, timeout: self.configuration.loadTimeout, name: "RESUME_SESSION"
            ) { id throws(CastError) in try MediaRequest(.resumeSession(state)).text(requestID: id) }
            request.terms.limit = self.configuration.loadLimit
            _ = try await self.request(request)
        }
        _ = try await self.wait(self.configuration.loadLimit) { $0.media.map { $0.hasBegun || $0.isEnded } ?? false }
        guard let status = self.machine.media, status.hasBegun else {
            throw CastError(.mediaLoadFailed, detail: "the other device didn't begin to play")
        }
    }

    /// Returns the items of the queue in order and their number; the items around the current one and `nil` when the receiver reports no
    /// more.
    private func wholeQueue(of status: MediaStatus) async throws(CastError) -> (items: [MediaQueueItem], count: Int?) {
        guard !status.items.isEmpty else { return ([], nil) }
        var count: Int?
        do throws(CastError) {
            guard case .queueItemIDs(let ids, _)? = try await self.ask(.queueGetItemIDs) else { return (status.items, nil) }
            count = ids.count
            guard ids.count > status.items.count else { return (status.items, count) }
            return (try await self.fetchQueueItems(Array(Self.taken(of: ids, current: status.currentItemID))), count)
        } catch let error where error.code.endsTransfer {
            throw error
        } catch {
            return (status.items, count)
        }
    }
}

extension MediaStatus {
    /// Whether the player has started with its media.
    fileprivate var hasBegun: Bool {
        switch self.playerState {
        case .playing, .paused, .buffering: true
        case .idle, .loading, .unknown: false
        }
    }
}

extension CastError.Code {
    /// Whether nothing more can be asked of the source.
    fileprivate var endsTransfer: Bool { [.cancelled, .networkError, .deviceNotConnected, .sessionSuspended].contains(self) }
}
