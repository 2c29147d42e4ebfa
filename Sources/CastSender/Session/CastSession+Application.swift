import CastModels
import CastProtocol
import NIOCore

extension CastSession {
    /// How often a launch that the receiver cancelled is repeated.
    private static let launchRetries = 2
    private static let launchReplaced = CastError(.replaced, detail: "another launch took its place")

    /// Launches an application (receiver namespace, LAUNCH). One that runs already is asked for, too: it comes to the front, and a device in
    /// standby wakes up; its session goes on.
    ///
    /// Succeeds when a status shows the application. It ends with `timeout` after 60 s without a sign of the receiver, else after
    /// 180 s; a permission question on the screen gives at least two minutes. A launch that another one interrupted is repeated twice.
    ///
    /// - Parameters:
    ///   - applicationID: the id of the receiver application.
    ///   - options: language, Android TV, credentials, and whether a running application is launched again; `nil` has the language of the context's options.
    /// - Returns: the application with its session id.
    /// - Throws: `applicationNotFound`, `applicationNotRunning` when the receiver started another application, or none within 18 s after it
    ///   permitted the launch, `launchRequestCancelled`,
    ///   `notAllowed`, `replaced` when a newer launch replaced this one, `timeout`, `sessionSuspended` or `deviceNotConnected` when nothing was sent,
    ///   `networkError` when the link broke.
    @discardableResult
    public func launch(
        _ applicationID: String, options: LaunchOptions? = nil
    ) async throws(CastError) -> ReceiverApplication {
        do throws(CastError) {
            let application = try await self.runLaunch(applicationID, options ?? self.configuration.launchOptions)
            self.logLaunch(applicationID, nil)
            return application
        } catch {
            self.logLaunch(applicationID, error)
            throw error
        }
    }

    /// Launches an application for a load, unless it runs. `RemoteMediaClient.load` wakes one that is dead, or whose device is in standby.
    package func start(_ applicationID: String, options: LaunchOptions) async throws(CastError) {
        if !options.relaunchIfRunning, self.machine.runningApplication(applicationID)?.sessionID != nil { return }
        try await self.launch(applicationID, options: options)
    }

    private func runLaunch(_ applicationID: String, _ options: LaunchOptions) async throws(CastError) -> ReceiverApplication {
        try self.requireConnection()
        if self.machine.runningApplication(applicationID)?.sessionID != nil {
            if options.relaunchIfRunning { try await self.stopApplication() } else { try await self.foreignLaunchOver() }
        }
        let formerSessionID = self.machine.receiver?.application?.sessionID
        var retries = 0
        while true {
            do throws(CastError) {
                try await self.sendLaunch(applicationID, options)
                break
            } catch let error where error.code == .cancelled {
                // The launch is on its way, so the resulting application session is ours.
                self.change { machine, _ in machine.launchGivenUp(.abandoned) }
                throw error
            } catch {
                guard self.machine.application.isLaunching(applicationID) else { throw Self.launchReplaced }
                guard error.code == .launchRequestCancelled, retries < Self.launchRetries else {
                    self.endLaunch(of: applicationID)
                    throw error
                }
            }
            retries += 1
            _ = try await self.wait(self.configuration.launchRetryDelay * Int64(retries)) { _ in false }
        }
        let isShown: @Sendable (SessionStateMachine) -> Bool = {
            ($0.runningApplication(applicationID) ?? $0.application(startedAfter: formerSessionID))?.sessionID != nil
        }
        if !isShown(self.machine) {
            // The launch is permitted, but not reported yet.
            self.askReceiverStatus()
            _ = try await self.wait(self.configuration.appearanceTimeout, until: isShown)
        }
        if let running = self.machine.runningApplication(applicationID), running.sessionID != nil {
            self.endLaunch(of: applicationID)
            return running
        }
        guard let other = self.machine.application(startedAfter: formerSessionID), !other.matches(applicationID) else {
            // An application that starts later is still ours.
            self.change { machine, _ in machine.launchGivenUp(.overdue) }
            throw CastError(.applicationNotRunning, detail: "the receiver permitted the launch, but shows no application")
        }
        guard self.machine.application.isLaunching(applicationID) else { throw Self.launchReplaced }
        self.endLaunch(of: applicationID)
        throw CastError(.applicationNotRunning, detail: "the receiver started \(other.applicationID) in place of \(applicationID)")
    }

    /// Ends the launch, unless a newer one took its place, and lets callers that wait for it go on.
    func endLaunch(of applicationID: String) {
        self.change { $0.isLaunching(applicationID) ? $0.launchEnded(now: $1) : [] }
    }

    /// - Parameter limit: `nil` uses the limits of a user's launch.
    func sendLaunch(_ applicationID: String, _ options: LaunchOptions, within limit: TimeAmount? = nil) async throws(CastError) {
        guard !Task.isCancelled else { throw CastError(.cancelled, detail: "the caller gave up") }
        self.change { $0.launchBegan(applicationID, now: $1) }
        var request = CastRequest(
            .launch(.init(applicationID: applicationID, options: options)), timeout: limit ?? self.configuration.launchTimeout)
        request.terms.limit = limit ?? self.configuration.loadLimit
        (request.terms.observed, request.terms.grace) = (.applicationRuns(applicationID), .milliseconds(50))
        request.terms.kind = .launch
        _ = try await self.request(request)
    }

    /// Completes the pending launch requests with `replaced`.
    func endLaunchRequests() {
        self.connection.end(
            .launch, to: RequestPeer(namespace: CastNamespace.receiver, id: CastMessage.platformReceiverID),
            CastError(.replaced, detail: "the launch was given up"))
    }

    /// Joins an application session that another sender launched. The application then counts us as a sender until it ends or `leave` is
    /// called, also across reconnections. Waits until the first second of an application that another sender has just launched is over, and
    /// for the further attempts where the application closes the connection.
    ///
    /// - Parameter applicationID: `nil` joins any running application.
    /// - Throws: `applicationNotRunning` when no application or another one is running; `channelNotConnected` when the application takes no
    ///   connection; `sessionSuspended`, `deviceNotConnected`.
    @discardableResult
    public func join(_ applicationID: String? = nil) async throws(CastError) -> ReceiverApplication {
        try await self.foreignLaunchOver()
        let running = applicationID.map { self.machine.runningApplication($0) } ?? self.machine.receiver?.application
        guard let running, !running.isIdleScreen, let sessionID = running.sessionID else {
            throw CastError(.applicationNotRunning, detail: applicationID.map { "\($0) doesn't run" } ?? "no application runs")
        }
        self.attach(to: sessionID)
        do throws(CastError) {
            if try await self.isSender(of: sessionID) { return running }
        } catch {
            _ = try? self.leave()
            throw error
        }
        _ = try? self.leave()
        throw CastError(.channelNotConnected, detail: "the application takes no connection")
    }

    /// Waits until the application takes a strong connection. Returns `false` when it closes each, or has ended.
    private func isSender(of sessionID: String) async throws(CastError) -> Bool {
        let end = self.eventLoop.now + self.configuration.joinTimeout
        while self.eventLoop.now < end {
            _ = try await self.wait(end - self.eventLoop.now) {
                $0.isSender(of: sessionID) || $0.receiver?.application?.sessionID != sessionID
            }
            guard self.machine.isSender(of: sessionID) else { return false }
            // An application that refuses does so before the platform answers this.
            try await self.requestReceiverStatus()
            if self.machine.isSender(of: sessionID) { return true }
        }
        return false
    }

    /// Leaves the running application (SDK: `endSession` without stopping). It keeps running and no longer counts us as a sender, also
    /// across reconnections. While a launch waits for the viewers' permission, that launch is left: it ends with `replaced`, and an
    /// application that starts later counts us as no sender.
    ///
    /// - Returns: the running application; `nil` when none runs.
    /// - Throws: `applicationNotRunning` when we neither launched nor joined the running application; `deviceNotConnected`.
    @discardableResult
    public func leave() throws(CastError) -> ReceiverApplication? {
        try self.requireConnection()
        var hasLeft = false
        self.change { machine, now in
            let effects = machine.leave(now: now)
            hasLeft = effects != nil
            return effects ?? []
        }
        guard hasLeft else {
            throw CastError(.applicationNotRunning, detail: "no application runs that this sender launched or joined")
        }
        return self.machine.receiver?.application
    }

    /// Waits until the running application may be connected to.
    func foreignLaunchOver() async throws(CastError) {
        try self.requireConnection()
        guard self.machine.application.foreignLaunchEnds != nil else { return }
        _ = try await self.wait(ApplicationStateMachine.foreignLaunchTime * 2) { $0.application.foreignLaunchEnds == nil }
    }

    /// Our part in the running application.
    public var applicationSession: ApplicationSession { self.machine.application.session }

    /// Becomes a sender of the application session `sessionID`, unless another one is running.
    ///
    /// - Parameter isLaunched: whether it continues what we launched.
    package func attach(to sessionID: String, isLaunched: Bool = false) {
        self.change { $0.join(sessionID, isLaunched: isLaunched, now: $1) }
    }

    /// Stops the running application, whichever sender launched it (receiver namespace, STOP). Succeeds when the application has ended.
    /// While a launch of ours waits for the viewers' permission, that launch ends with `replaced` first, and an application that starts
    /// later is stopped.
    ///
    /// - Throws: `applicationNotRunning`; `invalidApplicationSessionID` when another application replaced it meanwhile.
    public func stopApplication() async throws(CastError) {
        try self.requireConnection()
        let isAsking = self.machine.application.launch?.isAsking ?? false
        if isAsking {
            self.change { machine, _ in machine.launchGivenUp(.unwanted) }
        } else if self.machine.application.isLaunchUnderWay(at: self.eventLoop.now) {
            // Its application would start after the stop.
            _ = try await self.wait(self.configuration.applicationTimeout) { !$0.application.isLaunchPending }
        }
        guard let application = self.machine.receiver?.application, !application.isIdleScreen else {
            if isAsking { return }
            throw CastError(.applicationNotRunning, detail: "no application runs")
        }
        self.change { machine, _ in machine.stops(application.sessionID) }
        let observed = application.sessionID.map(ObservedState.sessionEnded) ?? .none
        do throws(CastError) {
            try await self.ask(.stop(sessionID: application.sessionID), until: observed)
        } catch {
            self.change { machine, _ in machine.stops(nil) }
            throw error
        }
    }

    /// Stops an application session that is no longer wanted.
    func askToStop(_ sessionID: String) {
        guard self.configuration.allowsRequests() else { return self.change { machine, _ in machine.stops(nil) } }
        self.send(CastRequest(.stop(sessionID: sessionID), timeout: self.configuration.commandTimeout)) { result in
            guard case .failure = result else { return }
            self.assumeIsolated { session in session.change { machine, _ in machine.stops(nil) } }
        }
    }

    /// Requests the receiver's status (GET_STATUS) and returns the answer.
    @discardableResult
    public func requestReceiverStatus() async throws(CastError) -> ReceiverStatus? {
        try await self.ask(.getStatus)
        return self.machine.receiver
    }

    /// Sends a user's request to the platform.
    ///
    /// - Parameters:
    ///   - observed: the state that also completes it.
    ///   - kind: a newer request of the same kind ends this one with `replaced`.
    ///   - limit: its time limit; `nil` uses that of all requests of users.
    @discardableResult
    func ask(
        _ request: ReceiverRequest, until observed: ObservedState = .none, replacing kind: RequestKind? = nil,
        within limit: TimeAmount? = nil
    ) async throws(CastError) -> ReceivedPayload.Content? {
        var request = CastRequest(request, timeout: limit ?? self.configuration.commandTimeout)
        (request.terms.observed, request.terms.kind) = (observed, kind)
        return try await self.request(request)?.content
    }
}
