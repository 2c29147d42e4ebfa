import CastModels
import CastProtocol
import NIOCore

/// Taking what plays from one device to another (media namespace, STORE_SESSION and RESUME_SESSION).
extension CastSession {
    /// Items asked for at once, and at most, when a queue is taken along.
    private static let itemPage = 20
    private static let itemLimit = 400

    /// What another device needs to go on. Changes nothing here.
    ///
    /// - Throws: `noMediaSession` when nothing plays.
    func transferredMedia() async throws(CastError) -> TransferredMedia {
        guard self.isConnected else { throw self.notConnected }
        guard let transport = self.machine.usableTransport(of: nil), let status = self.mediaStatus, !status.isEnded else {
            throw CastError(.noMediaSession, detail: "nothing plays that could be moved")
        }
        if status.supportedMediaCommands.contains(.streamTransfer) {
            do throws(CastError) {
                let answer = try await self.mediaAnswer(.storeSession, of: status, to: transport)
                if case .media(.sessionState(let state)) = answer { return .stored(state) }
            } catch let error where error.code == .networkError || error.code == .cancelled || error.code == .deviceNotConnected {
                throw error
            } catch {
                // It claims what it can't do: then as if it claimed nothing.
            }
        }
        let queue = status.items.isEmpty ? nil : try? await self.wholeQueue(of: status, transport)
        return .load(
            try TransferredMedia.load(
                continuing: self.mediaStatus ?? status, queue: queue ?? nil, at: MonotonicTime(self.eventLoop.now)))
    }

    /// Goes on with what another device played. Done when it plays here, or is paused as it was there.
    ///
    /// - Throws: `mediaLoadFailed`, `invalidRequest`, `unsupportedFeature` and others as the receiver answers.
    func resume(_ media: TransferredMedia, in applicationID: String) async throws(CastError) {
        switch media {
        case .load(let request): try await self.load(request, in: applicationID)
        case .stored(let state):
            _ = try await self.wait(self.configuration.applicationTimeout * 3) { $0.usableTransport(of: applicationID) != nil }
            guard let transport = self.machine.usableTransport(of: applicationID) else {
                throw CastError(.applicationNotRunning, detail: "the application has no player")
            }
            _ = try await self.request(
                namespace: CastNamespace.media, to: transport.id, timeout: self.configuration.loadTimeout
            ) { id throws(CastError) in try MediaRequest(.resumeSession(state)).text(requestID: id) }
        }
        _ = try await self.wait(self.configuration.loadTimeout) { $0.media.map { $0.hasBegun || $0.isEnded } ?? false }
        guard let status = self.mediaStatus, status.hasBegun else {
            throw CastError(.mediaLoadFailed, detail: "the other device didn't begin to play")
        }
    }

    private func wholeQueue(
        of status: MediaStatus, _ transport: SessionStateMachine.Transport
    ) async throws(CastError) -> [MediaQueueItem]? {
        guard case .media(.queueItemIDs(let ids, _)) = try await self.mediaAnswer(.queueGetItemIDs, of: status, to: transport),
            ids.count > status.items.count
        else { return nil }
        // From the current item on when the queue is longer than we fetch.
        let current = status.currentItemID.flatMap { ids.firstIndex(of: $0) } ?? 0
        let wanted = ids.count <= Self.itemLimit ? ids[...] : ids[current...].prefix(Self.itemLimit)
        var items: [MediaQueueItem] = []
        for start in stride(from: wanted.startIndex, to: wanted.endIndex, by: Self.itemPage) {
            let page = Array(wanted[start..<min(start + Self.itemPage, wanted.endIndex)])
            guard
                case .media(.queueItems(let found, _)) = try await self.mediaAnswer(
                    .queueGetItems(itemIDs: page), of: status, to: transport)
            else { return nil }
            items += found
        }
        return items
    }

    private func mediaAnswer(
        _ action: MediaRequest.Action, of status: MediaStatus, to transport: SessionStateMachine.Transport
    ) async throws(CastError) -> ReceivedPayload.Content? {
        let request = MediaRequest(action, mediaSessionID: status.mediaSessionID)
        return try await self.request(namespace: CastNamespace.media, to: transport.id, timeout: self.configuration.requestTimeout) {
            id throws(CastError) in try request.text(requestID: id)
        }
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
