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
        var isRevived = self.machine.receiver?.isStandBy == true || transport.isSilent(at: self.eventLoop.now)
        if isRevived { transport = try await self.revived(transport) }
        let plan = try QueueLoadPlan(request(transport.sessionID))
        self.commandBegan()
        defer { self.commandEnded() }
        var answer: ReceivedMessage?
        repeating: while true {
            let whole = request(transport.sessionID)
            let wanted = WantedMedia(whole, after: self.machine.media)
            var load = CastRequest(whole.taking(plan), to: transport, timeout: self.configuration.loadTimeout)
            load.terms.limit = self.configuration.loadLimit
            load.terms.silence = ApplicationStateMachine.Transport.silenceLimit
            load.terms.probe = self.configuration.loadProbe
            load.terms.observed = .loaded(wanted)
            load.terms.kind = .load
            do throws(CastError) {
                answer = try await self.request(load)
                break repeating
            } catch let error where error.code == .notResponding && !isRevived {
                isRevived = true
                self.change { machine, _ in machine.fellSilent() }
                transport = try await self.revived(transport)
                // Once the launch is answered, an application that has spoken was never dead: the whole device was slow, and has the load.
                guard self.machine.transport.map({ $0.id == transport.id && $0.hasSpoken }) ?? false else { continue }
                guard try await self.wait(self.configuration.loadTimeout, until: { wanted.isFollowed(by: $0.media) }) else { throw error }
                break repeating
            }
        }
        guard !answer.showsNoMedia else { throw CastError(.mediaLoadFailed, detail: "the application loaded nothing") }
        if let status = self.machine.media, status.isEnded, status.idleReason == .error {
            throw CastError(.mediaLoadFailed, detail: "the player went idle with an error")
        }
        try await self.loadRest(of: items, plan, customData: request(transport.sessionID).customData, to: transport)
    }

    /// Launches an application that is listed and may be dead, or whose device is in standby. Its process comes back to life, or another
    /// session of it begins.
    ///
    /// - Throws: `notResponding` when the device does not answer in time.
    private func revived(_ transport: ApplicationStateMachine.Transport) async throws(CastError) -> ApplicationStateMachine.Transport {
        do throws(CastError) {
            defer { self.endLaunch(of: transport.applicationID) }
            try await self.sendLaunch(
                transport.applicationID, self.configuration.launchOptions, within: ApplicationStateMachine.Transport.launchLimit)
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
        guard let status = self.machine.media, let anchor = status.currentItemID ?? status.loadingItemID ?? status.items.first?.itemID
        else {
            throw CastError(
                .invalidResponse, detail: "the receiver loaded \(plan.first.count) of \(items.count) items and reports no queue")
        }
        var done = plan.first.count
        for (ranges, insertBefore) in [(plan.following, Int?.none), (plan.preceding, anchor)] {
            for range in ranges {
                let insertion = MediaRequest.QueueInsertion(items: Array(items[range]), insertBefore: insertBefore)
                let request = MediaRequest(.queueInsert(insertion), mediaSessionID: status.mediaSessionID, customData: customData)
                do throws(CastError) {
                    _ = try await self.request(CastRequest(request, to: transport, timeout: self.configuration.commandTimeout))
                } catch {
                    var partial = error
                    partial.detail += "; \(done) of \(items.count) items are loaded"
                    throw partial
                }
                done += range.count
            }
        }
    }

    /// Sends the commands that `commands` creates from the current media status to its media session, each after the answer to the one
    /// before.
    ///
    /// - Throws: the error of the first command that fails; its detail names the number of items of the previous ones.
    func control(
        customData: JSONValue? = nil, _ commands: @Sendable (MediaStatus) throws(CastError) -> [MediaCommand]
    ) async throws(CastError) {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        self.commandBegan()
        defer { self.commandEnded() }
        var status = try await self.currentMediaStatus()
        var pending = try commands(status)
        var (done, isReplaced) = (0, false)
        while done < pending.count {
            let command = pending[done]
            let request = MediaRequest(command.action, mediaSessionID: status.mediaSessionID, customData: customData)
            var sent = CastRequest(request, to: transport, timeout: self.configuration.commandTimeout)
            (sent.terms.observed, sent.terms.kind) = (command.observed, command.kind)
            sent.terms.probe = self.configuration.requestTimeout
            do throws(CastError) {
                if try await self.request(sent).showsNoMedia, !command.observed.mayEndMedia { throw Self.noMediaSession }
                done += 1
            } catch let error where error.reason == "INVALID_MEDIA_SESSION_ID" && done == 0 && !isReplaced {
                // Refused, so nothing happened: the session was replaced without a notification.
                guard let replaced = try await self.requestMediaStatus(), !replaced.isEnded else { throw Self.noMediaSession }
                (status, isReplaced) = (replaced, true)
                pending = try commands(replaced)
            } catch {
                if error.code == .requestIgnored, await self.showsAfterAll(command) {
                    done += 1
                    continue
                }
                guard done > 0 else { throw error }
                var partial = error
                let counts = pending.map(\.action.itemCount)
                partial.detail += "; \(counts[..<done].reduce(0, +)) of \(counts.reduce(0, +)) items are done"
                throw partial
            }
        }
    }

    /// Asks for the state after a command that seems to be ignored, since the answer itself may have been lost.
    private func showsAfterAll(_ command: MediaCommand) async -> Bool {
        guard (try? await self.requestMediaStatus()) != nil else { return false }
        return command.observed.evidence(in: self.facts) == .shown
    }

    /// Ends the media session, and the one that a cancelled load begins soon.
    func stopMedia(customData: JSONValue?) async throws(CastError) {
        var failure: CastError?
        do throws(CastError) { try await self.controlStop(customData) } catch {
            guard error.code == .noMediaSession || error.code == .applicationNotRunning else { throw error }
            failure = error
        }
        if self.connection.takeAbandonedLoad(),
            try await self.wait(.milliseconds(1500), until: { $0.media.map { !$0.isEnded } ?? false })
        {
            return try await self.controlStop(customData)
        }
        if let failure { throw failure }
    }

    private func controlStop(_ customData: JSONValue?) async throws(CastError) {
        try await self.control(customData: customData) { [.init(.stop, observed: .mediaSessionEnded($0.mediaSessionID))] }
    }

    func requestMediaStatus(customData: JSONValue? = nil) async throws(CastError) -> MediaStatus? {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        let request = MediaRequest(.getStatus([]), customData: customData)
        _ = try await self.request(CastRequest(request, to: transport, timeout: self.configuration.commandTimeout))
        return self.machine.media
    }

    /// Sends a query to the media session, without a strong connection.
    ///
    /// - Returns: the answer; `nil` for an answer outside the media namespace.
    func ask(_ action: MediaRequest.Action) async throws(CastError) -> MediaMessage? {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        let request = MediaRequest(action, mediaSessionID: try await self.currentMediaStatus().mediaSessionID)
        let answer = try await self.request(CastRequest(request, to: transport, timeout: self.configuration.requestTimeout))
        guard case .media(let message) = answer?.content else { return nil }
        return message
    }

    /// Returns the connection to the application, once that has reported its status.
    func mediaTransport(of applicationID: String?, timeout: TimeAmount) async throws(CastError) -> ApplicationStateMachine.Transport {
        try self.requireConnection()
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
        if let status = self.machine.media, !status.isEnded { return status }
        guard !self.machine.isFollower, let status = try await self.requestMediaStatus(), !status.isEnded else { throw Self.noMediaSession }
        return status
    }

    /// A command begins, for which the application counts us as a sender. `commandEnded` follows.
    func commandBegan() { self.change { $0.commandBegan(now: $1) } }

    func commandEnded() { self.change { $0.commandEnded(now: $1) } }
}

extension ReceivedMessage? {
    /// Whether it is a media status without any media session.
    fileprivate var showsNoMedia: Bool { if case .media(.status(let updates)) = self?.content { updates.isEmpty } else { false } }
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
