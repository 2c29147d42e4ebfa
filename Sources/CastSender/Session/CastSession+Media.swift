import CastModels
import CastProtocol
import NIOCore

/// A request to the current media session, and the state that shows its success.
struct MediaCommand {
    var action: MediaRequest.Action
    var observed: ObservedState
    var kind: RequestKind?

    /// - Parameter kind: a newer command of the same kind ends this one with `replaced`.
    init(_ action: MediaRequest.Action, observed: ObservedState = .none, replacing kind: RequestKind? = nil) {
        self.action = action
        self.observed = observed
        self.kind = kind
    }
}

extension CastSession {
    func load(_ request: MediaLoadRequest, in applicationID: String?) async throws(CastError) {
        try await self.load(request.queueData?.items ?? [], in: applicationID) { sessionID in
            MediaRequest(.load(request, sessionID: sessionID))
        }
    }

    /// Loads media with one request; parts that do not fit a frame follow in further requests.
    ///
    /// - Parameter request: creates the load request for an application session.
    func load(
        _ items: [MediaQueueItem], in applicationID: String?, _ request: @Sendable (String) -> MediaRequest
    ) async throws(CastError) {
        var transport = try await self.mediaTransport(of: applicationID, timeout: self.configuration.applicationTimeout * 3)
        var isRevived = self.receiverStatus?.isStandBy == true || transport.isSilent(at: self.eventLoop.now)
        if isRevived { transport = try await self.revived(transport) }
        let plan = try QueueLoadPlan(request(transport.sessionID))
        try await self.withStrongConnection { session throws(CastError) in
            var content: ReceivedPayload.Content?
            while true {
                let request = request(transport.sessionID)
                let wanted = WantedMedia(request, after: session.mediaStatus)
                do throws(CastError) {
                    content = try await session.mediaRequest(
                        request.taking(plan), to: transport, timeout: session.configuration.loadTimeout,
                        limit: session.configuration.loadLimit, silence: ApplicationStateMachine.Transport.silenceLimit,
                        observed: .loaded(wanted), replacing: .load, probe: session.configuration.loadProbe)
                    break
                } catch let error where error.code == .notResponding && !isRevived {
                    isRevived = true
                    session.change { machine, _ in machine.fellSilent() }
                    transport = try await session.revived(transport)
                }
            }
            guard !content.showsNoMedia else { throw CastError(.mediaLoadFailed, detail: "the application loaded nothing") }
            if let status = session.mediaStatus, status.isEnded, status.idleReason == .error {
                throw CastError(.mediaLoadFailed, detail: "the player went idle with an error")
            }
            try await session.loadRest(of: items, plan, customData: request(transport.sessionID).customData, to: transport)
        }
    }

    /// Launches an application that is listed and may be dead, or whose device is in standby. Its process comes back to life, or another
    /// session of it begins.
    ///
    /// - Throws: `notResponding` when the device does not answer in time.
    private func revived(_ transport: ApplicationStateMachine.Transport) async throws(CastError) -> ApplicationStateMachine.Transport {
        do throws(CastError) {
            defer { self.endLaunch(of: transport.applicationID) }
            try await self.sendLaunch(transport.applicationID, LaunchOptions(), within: ApplicationStateMachine.Transport.silenceLimit)
        } catch let error where error.code == .timeout {
            throw CastError(.notResponding, detail: "the application does not answer at all, and a launch does not help")
        }
        if let transport = self.machine.transport(of: transport.applicationID) { return transport }
        return try await self.mediaTransport(of: transport.applicationID, timeout: self.configuration.applicationTimeout)
    }

    private func loadRest(
        of items: [MediaQueueItem], _ plan: QueueLoadPlan, customData: JSONValue?, to transport: ApplicationStateMachine.Transport
    ) async throws(CastError) {
        guard !plan.following.isEmpty || !plan.preceding.isEmpty else { return }
        guard let status = self.mediaStatus, let anchor = status.currentItemID ?? status.loadingItemID ?? status.items.first?.itemID else {
            throw CastError(
                .invalidResponse, detail: "the receiver loaded \(plan.first.count) of \(items.count) items and reports no queue")
        }
        var done = plan.first.count
        for (ranges, insertBefore) in [(plan.following, Int?.none), (plan.preceding, anchor)] {
            for range in ranges {
                let insertion = MediaRequest.QueueInsertion(items: Array(items[range]), insertBefore: insertBefore)
                do throws(CastError) {
                    _ = try await self.mediaRequest(
                        MediaRequest(.queueInsert(insertion), mediaSessionID: status.mediaSessionID, customData: customData), to: transport,
                        timeout: self.configuration.commandTimeout)
                } catch {
                    var partial = error
                    partial.detail += "; \(done) of \(items.count) items are loaded"
                    throw partial
                }
                done += range.count
            }
        }
    }

    /// Sends the command that `command` creates from the current media status to its media session.
    func control(
        customData: JSONValue? = nil, _ command: @Sendable (MediaStatus) throws(CastError) -> MediaCommand
    ) async throws(CastError) {
        try await self.controls(customData: customData) { status throws(CastError) in [try command(status)] }
    }

    /// Sends several commands, each after the answer to the previous one.
    ///
    /// - Throws: the error of the first command that fails; its detail names the number of items of the previous ones.
    func controls(
        customData: JSONValue? = nil, _ commands: @Sendable (MediaStatus) throws(CastError) -> [MediaCommand]
    ) async throws(CastError) {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        try await self.withStrongConnection { session throws(CastError) in
            let status = try await session.currentMediaStatus()
            var done = 0
            do throws(CastError) {
                try await session.send(commands(status), customData: customData, of: status.mediaSessionID, to: transport, done: &done)
            } catch let error where error.reason == "INVALID_MEDIA_SESSION_ID" && done == 0 {
                // Refused, so nothing happened: the session was replaced without a notification.
                guard let status = try await session.requestMediaStatus(), !status.isEnded else { throw Self.noMediaSession }
                try await session.send(commands(status), customData: customData, of: status.mediaSessionID, to: transport, done: &done)
            }
        }
    }

    /// - Parameter done: the number of commands that have succeeded.
    private func send(
        _ commands: [MediaCommand], customData: JSONValue?, of mediaSessionID: Int, to transport: ApplicationStateMachine.Transport,
        done: inout Int
    ) async throws(CastError) {
        for command in commands {
            do throws(CastError) {
                try await self.send(command, customData: customData, mediaSessionID: mediaSessionID, to: transport)
            } catch {
                guard done > 0 else { throw error }
                var partial = error
                let counts = commands.map(\.action.itemCount)
                partial.detail += "; \(counts[..<done].reduce(0, +)) of \(counts.reduce(0, +)) items are done"
                throw partial
            }
            done += 1
        }
    }

    /// Ends the media session, and the one that a cancelled load begins soon.
    func stopMedia(customData: JSONValue?) async throws(CastError) {
        var failure: CastError?
        do throws(CastError) { try await self.controlStop(customData) } catch {
            guard error.code == .noMediaSession || error.code == .applicationNotRunning else { throw error }
            failure = error
        }
        if self.connection.requests.takeAbandonedLoad(now: self.eventLoop.now),
            try await self.wait(.milliseconds(1500), until: { $0.media.map { !$0.isEnded } ?? false })
        {
            return try await self.controlStop(customData)
        }
        if let failure { throw failure }
    }

    private func controlStop(_ customData: JSONValue?) async throws(CastError) {
        try await self.control(customData: customData) { .init(.stop, observed: .mediaSessionEnded($0.mediaSessionID)) }
    }

    func requestMediaStatus(customData: JSONValue? = nil) async throws(CastError) -> MediaStatus? {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        _ = try await self.mediaRequest(
            MediaRequest(.getStatus([]), customData: customData), to: transport, timeout: self.configuration.commandTimeout)
        return self.mediaStatus
    }

    /// Sends a query to the media session, without a strong connection.
    ///
    /// - Returns: the answer; `nil` for an answer outside the media namespace.
    func ask(_ action: MediaRequest.Action) async throws(CastError) -> MediaMessage? {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        let status = try await self.currentMediaStatus()
        let content = try await self.mediaRequest(
            MediaRequest(action, mediaSessionID: status.mediaSessionID), to: transport, timeout: self.configuration.requestTimeout)
        guard case .media(let message) = content else { return nil }
        return message
    }

    private func send(
        _ command: MediaCommand, customData: JSONValue?, mediaSessionID: Int, to transport: ApplicationStateMachine.Transport
    ) async throws(CastError) {
        do throws(CastError) {
            let content = try await self.mediaRequest(
                MediaRequest(command.action, mediaSessionID: mediaSessionID, customData: customData), to: transport,
                timeout: self.configuration.commandTimeout, observed: command.observed, replacing: command.kind,
                probe: self.configuration.requestTimeout)
            if content.showsNoMedia, !command.observed.mayEndMedia { throw Self.noMediaSession }
        } catch let error where error.code == .requestIgnored {
            // The answer itself may have been lost.
            do throws(CastError) { _ = try await self.requestMediaStatus() } catch _ { throw error }
            guard command.observed.evidence(in: self.facts) == .shown else { throw error }
        }
    }

    func mediaRequest(
        _ request: MediaRequest, to transport: ApplicationStateMachine.Transport, timeout: TimeAmount, limit: TimeAmount? = nil,
        silence: TimeAmount? = nil, observed: ObservedState = .none, replacing kind: RequestKind? = nil, probe: TimeAmount? = nil
    ) async throws(CastError) -> ReceivedPayload.Content? {
        var terms = RequestTerms(CastNamespace.media, to: transport.id, timeout: timeout)
        (terms.limit, terms.silence, terms.observed, terms.kind, terms.probe) = (limit, silence, observed, kind, probe)
        terms.type = request.type
        return try await self.request(terms) { id throws(CastError) in try request.text(requestID: id) }
    }

    /// Returns the connection to the application, once that has reported its status.
    func mediaTransport(of applicationID: String?, timeout: TimeAmount) async throws(CastError) -> ApplicationStateMachine.Transport {
        guard self.isConnected else { throw self.notConnected }
        if self.machine.transport == nil { self.change { $0.connectAgain(now: $1) } }
        _ = try await self.wait(timeout) { machine in
            machine.usableTransport(of: applicationID) != nil || !machine.mayGetTransport(of: applicationID)
        }
        if let transport = self.machine.usableTransport(of: applicationID) { return transport }
        // An application that never reports its status may still process requests.
        guard let transport = self.machine.transport(of: applicationID), self.machine.mayGetTransport(of: applicationID) else {
            throw self.noPlayer
        }
        return transport
    }

    private var noPlayer: CastError {
        let runs = self.machine.receiver?.application.map { !$0.isIdleScreen } ?? false
        return CastError(.applicationNotRunning, detail: runs ? "the application has no player that others may use" : "no application runs")
    }

    private static let noMediaSession = CastError(.noMediaSession, detail: "nothing is loaded")

    /// Returns the status of the active media session. Requests it when none is known, since senders that join late may have missed it.
    func currentMediaStatus() async throws(CastError) -> MediaStatus {
        if let status = self.mediaStatus, !status.isEnded { return status }
        guard !self.machine.isFollower, let status = try await self.requestMediaStatus(), !status.isEnded else { throw Self.noMediaSession }
        return status
    }

    func withStrongConnection(
        _ body: (isolated CastSession) async throws(CastError) -> Void
    ) async throws(CastError) {
        self.change { $0.commandBegan(now: $1) }
        do throws(CastError) {
            try await body(self)
        } catch {
            self.endCommand()
            throw error
        }
        self.endCommand()
    }

    private func endCommand() {
        self.change { $0.commandEnded(now: $1) }
    }
}

extension ReceivedPayload.Content? {
    /// Whether it is a media status without any media session.
    fileprivate var showsNoMedia: Bool { if case .media(.status(let updates)) = self { updates.isEmpty } else { false } }
}

extension WantedMedia {
    /// - Parameter status: the status before the load.
    fileprivate init(_ request: MediaRequest, after status: MediaStatus?) {
        var media: MediaInformation?
        switch request.action {
        case .load(let load, _): media = load.media ?? load.queueData.flatMap { $0.items.dropFirst($0.startIndex ?? 0).first?.media }
        case .queueLoad(let load): media = load.items.dropFirst(load.startIndex ?? 0).first?.media
        default: break
        }
        self.init(
            formerSessionID: status?.mediaSessionID, contentIDs: Set([media?.contentID, media?.contentURL].compactMap { $0 }))
    }
}

extension MediaRequest {
    /// The load with only the items that `plan` sends first.
    fileprivate func taking(_ plan: QueueLoadPlan) -> Self {
        guard !plan.following.isEmpty || !plan.preceding.isEmpty else { return self }
        var request = self
        switch self.action {
        case .queueLoad(var load):
            load.items = Array(load.items[plan.first])
            load.startIndex = plan.startIndex
            request.action = .queueLoad(load)
        case .load(var load, let sessionID):
            guard var data = load.queueData else { return self }
            data.items = Array(data.items[plan.first])
            data.startIndex = plan.startIndex
            load.queueData = data
            request.action = .load(load, sessionID: sessionID)
        default: break
        }
        return request
    }
}
