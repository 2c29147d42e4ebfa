import CastModels
import CastProtocol
import NIOCore

/// Taking what plays from one device to another (media namespace, STORE_SESSION and RESUME_SESSION).
extension CastSession {
    /// The most items of a queue that are taken along.
    static let itemLimit = 10_000

    /// Returns the items of a queue that are taken along: all of them, of a queue longer than `itemLimit` those from the current item on.
    static func taken(of itemIDs: [Int], current: Int?) -> ArraySlice<Int> {
        guard itemIDs.count > self.itemLimit else { return itemIDs[...] }
        return itemIDs[(current.flatMap { itemIDs.firstIndex(of: $0) } ?? 0)...].prefix(self.itemLimit)
    }

    /// Moves what plays here to another device over the links of both. It goes on playing here until it plays there, and goes on when it
    /// doesn't. For those who hold links of their own; others use `SessionManager.transfer`.
    ///
    /// - Throws: `noMediaSession` when nothing plays, an error of `launch`, or of the target's player; what was launched there is stopped.
    public func transfer(to target: CastSession) async throws(CastError) -> StreamTransfer {
        guard let application = self.receiverStatus?.application, !application.isIdleScreen else {
            throw CastError(.noMediaSession, detail: "nothing plays that could be moved")
        }
        let applicationID = application.applicationID
        let media = try await self.transferredMedia()
        let formerSessionID = await target.receiverStatus?.application?.sessionID
        let started = try await target.startApplication(applicationID, options: LaunchOptions())
        let taken: TransferredMedia
        do throws(CastError) {
            taken = try await target.resume(media, from: self, in: applicationID)
        } catch {
            // What was running there before goes on.
            if started.isOwned, started.application.sessionID != formerSessionID {
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

    /// What another device needs to go on. Changes nothing here.
    ///
    /// - Parameter mayBeStored: whether the other one can be asked to resume what this one stores.
    /// - Throws: `noMediaSession` when nothing plays.
    func transferredMedia(mayBeStored: Bool = true) async throws(CastError) -> TransferredMedia {
        guard self.isConnected else { throw self.notConnected }
        guard let transport = self.machine.usableTransport(of: nil), let status = self.mediaStatus, !status.isEnded else {
            throw CastError(.noMediaSession, detail: "nothing plays that could be moved")
        }
        if mayBeStored, status.supportedMediaCommands.contains(.streamTransfer) {
            do throws(CastError) {
                let answer = try await self.mediaAnswer(.storeSession, of: status, to: transport)
                if case .media(.sessionState(let state)) = answer { return .stored(state) }
            } catch let error where error.code == .networkError || error.code == .cancelled || error.code == .deviceNotConnected {
                throw error
            } catch {
                // It claims what it can't do: then as if it claimed nothing.
            }
        }
        let queue = try await self.wholeQueue(of: status)
        let request = try TransferredMedia.load(
            continuing: self.mediaStatus ?? status, queue: queue.items, at: MonotonicTime(self.eventLoop.now))
        let isQueue = !queue.items.isEmpty
        return .load(
            request, queue: isQueue ? .init(takenItemCount: request.queueData?.items.count ?? 1, itemCount: queue.count) : nil)
    }

    /// Goes on with what `source` plays, anew where only the source can transfer streams.
    ///
    /// - Returns: in which form the media was taken along in the end.
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

    /// Goes on with what another device played. Done when it plays here, or is paused as it was there.
    ///
    /// - Throws: `mediaLoadFailed`, `invalidRequest`, `unsupportedFeature` and others as the receiver answers.
    func resume(_ media: TransferredMedia, in applicationID: String) async throws(CastError) {
        switch media {
        case .load(let request, _): try await self.load(request, in: applicationID)
        case .stored(let state):
            _ = try await self.wait(self.configuration.applicationTimeout * 3) { $0.usableTransport(of: applicationID) != nil }
            guard let transport = self.machine.usableTransport(of: applicationID) else {
                throw CastError(.applicationNotRunning, detail: "the application has no player")
            }
            _ = try await self.request(
                namespace: CastNamespace.media, to: transport.id, timeout: self.configuration.loadTimeout, name: "RESUME_SESSION"
            ) { id throws(CastError) in try MediaRequest(.resumeSession(state)).text(requestID: id) }
        }
        _ = try await self.wait(self.configuration.loadTimeout) { $0.media.map { $0.hasBegun || $0.isEnded } ?? false }
        guard let status = self.mediaStatus, status.hasBegun else {
            throw CastError(.mediaLoadFailed, detail: "the other device didn't begin to play")
        }
    }

    /// The items of the queue in their order, and how many it has; those around the current one and `nil` when the receiver tells no more.
    private func wholeQueue(of status: MediaStatus) async throws(CastError) -> (items: [MediaQueueItem], count: Int?) {
        guard !status.items.isEmpty else { return ([], nil) }
        guard case .queueItemIDs(let ids, _)? = try? await self.ask(.queueGetItemIDs) else { return (status.items, nil) }
        guard ids.count > status.items.count else { return (status.items, ids.count) }
        do throws(CastError) {
            return (try await self.fetchQueueItems(Array(Self.taken(of: ids, current: status.currentItemID))), ids.count)
        } catch let error where error.code == .cancelled || error.code == .networkError || error.code == .deviceNotConnected {
            throw error
        } catch {
            return (status.items, ids.count)
        }
    }

    private func mediaAnswer(
        _ action: MediaRequest.Action, of status: MediaStatus, to transport: SessionStateMachine.Transport
    ) async throws(CastError) -> ReceivedPayload.Content? {
        let request = MediaRequest(action, mediaSessionID: status.mediaSessionID)
        return try await self.request(
            namespace: CastNamespace.media, to: transport.id, timeout: self.configuration.requestTimeout, name: request.type
        ) { id throws(CastError) in try request.text(requestID: id) }
    }
}

extension MediaStatus {
    /// Whether the player has taken its media up.
    fileprivate var hasBegun: Bool {
        switch self.playerState {
        case .playing, .paused, .buffering: true
        case .idle, .loading, .unknown: false
        }
    }
}
