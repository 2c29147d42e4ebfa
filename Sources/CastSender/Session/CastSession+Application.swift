import CastModels
import CastProtocol
import NIOCore

extension CastSession {
    /// How often a launch that the receiver cancelled is repeated.
    private static let launchRetries = 2

    /// Launches an application, or joins it if it is running (receiver namespace, LAUNCH).
    ///
    /// Succeeds when a status shows the application. It ends with `timeout` after 60 s without a sign of the receiver, else after
    /// 180 s; a permission question on the screen gives at least two minutes. A launch that another one interrupted is repeated twice.
    ///
    /// - Parameters:
    ///   - applicationID: the id of the receiver application.
    ///   - options: language, Android TV, credentials, and whether a running application is launched again.
    /// - Returns: the application with its session id.
    /// - Throws: `applicationNotFound`, `applicationNotRunning` when the receiver started another application, or none within 18 s after it
    ///   permitted the launch, `launchRequestCancelled`,
    ///   `notAllowed`, `replaced` when a newer launch replaced this one, `timeout`, `deviceNotConnected` when nothing was sent,
    ///   `networkError` when the link broke.
    @discardableResult
    public func launch(
        _ applicationID: String, options: LaunchOptions = LaunchOptions()
    ) async throws(CastError) -> ReceiverApplication {
        do throws(CastError) {
            let application = try await self.runLaunch(applicationID, options)
            self.logLaunch(applicationID, nil)
            return application
        } catch {
            self.logLaunch(applicationID, error)
            throw error
        }
    }

    private func runLaunch(_ applicationID: String, _ options: LaunchOptions) async throws(CastError) -> ReceiverApplication {
        guard self.isConnected else { throw self.notConnected }
        if let running = self.machine.runningApplication(applicationID), running.sessionID != nil {
            guard options.relaunchIfRunning else { return running }
            try await self.stopApplication()
        }
        let formerSessionID = self.machine.receiver?.application?.sessionID
        var retries = 0
        while true {
            do throws(CastError) {
                try await self.sendLaunch(applicationID, options)
                break
            } catch let error where error.code == .cancelled {
                // The launch is on its way, so the resulting application session is ours.
                throw error
            } catch {
                guard self.machine.isLaunching(applicationID) else { throw CastError(.replaced, detail: "another launch took its place") }
                guard error.code == .launchRequestCancelled, retries < Self.launchRetries else {
                    self.endLaunch(of: applicationID)
                    throw error
                }
            }
            retries += 1
            _ = try await self.wait(self.configuration.launchRetryDelay * Int64(retries)) { _ in false }
        }
        if self.machine.application(startedAfter: formerSessionID)?.sessionID == nil {
            // The launch is permitted, but not reported yet.
            self.perform([.askReceiverStatus])
            _ = try await self.wait(self.configuration.appearanceTimeout) {
                $0.application(startedAfter: formerSessionID)?.sessionID != nil
            }
        }
        if let running = self.machine.runningApplication(applicationID), running.sessionID != nil {
            self.endLaunch(of: applicationID)
            return running
        }
        guard let other = self.machine.application(startedAfter: formerSessionID), !other.matches(applicationID) else {
            // An application that starts later is still ours.
            self.machine.launchOverdue()
            throw CastError(.applicationNotRunning, detail: "the receiver permitted the launch, but shows no application")
        }
        guard self.machine.isLaunching(applicationID) else { throw CastError(.replaced, detail: "another launch took its place") }
        self.endLaunch(of: applicationID)
        throw CastError(.applicationNotRunning, detail: "the receiver started \(other.applicationID) in place of \(applicationID)")
    }

    /// Ends the launch, unless a newer one took its place, and lets callers that wait for it go on.
    private func endLaunch(of applicationID: String) {
        if self.machine.isLaunching(applicationID) { self.machine.launchEnded() }
        self.perform([])
    }

    private func sendLaunch(_ applicationID: String, _ options: LaunchOptions) async throws(CastError) {
        guard !Task.isCancelled else { throw CastError(.cancelled, detail: "the caller gave up") }
        self.machine.launchBegan(applicationID, now: self.eventLoop.now)
        _ = try await self.receiverRequest(
            .launch(.init(applicationID: applicationID, options: options)), timeout: self.configuration.launchTimeout,
            limit: self.configuration.loadLimit,
            observed: .applicationRuns(applicationID), grace: .milliseconds(50))
    }

    /// Joins an application session that another sender launched. The application then counts us as a sender until it ends or `leave` is
    /// called, also across reconnections. Waits until the first second of an application that another sender has just launched is over.
    ///
    /// - Parameter applicationID: `nil` joins any running application.
    /// - Throws: `applicationNotRunning` when no application or another one is running; `deviceNotConnected`.
    @discardableResult
    public func join(_ applicationID: String? = nil) async throws(CastError) -> ReceiverApplication {
        try await self.foreignLaunchOver()
        let running = applicationID.map { self.machine.runningApplication($0) } ?? self.machine.receiver?.application
        guard let running, !running.isIdleScreen, let sessionID = running.sessionID else {
            throw CastError(.applicationNotRunning, detail: applicationID.map { "\($0) doesn't run" } ?? "no application runs")
        }
        self.attach(to: sessionID, isOwned: self.machine.ownedSessionID == sessionID)
        return running
    }

    /// Leaves the running application (SDK: `endSession` without stopping). It keeps running and no longer counts us as a sender.
    ///
    /// - Throws: `applicationNotRunning` when we neither launched nor joined the running application; `deviceNotConnected`.
    @discardableResult
    public func leave() throws(CastError) -> ReceiverApplication {
        guard self.isConnected else { throw self.notConnected }
        guard let application = self.machine.receiver?.application, let effects = self.machine.leave() else {
            throw CastError(.applicationNotRunning, detail: "no application runs that this sender launched or joined")
        }
        self.perform(effects)
        return application
    }

    /// Waits until the running application may be connected to.
    func foreignLaunchOver() async throws(CastError) {
        guard self.isConnected else { throw self.notConnected }
        guard self.machine.foreignLaunchEnds != nil else { return }
        _ = try await self.wait(SessionStateMachine.foreignLaunchTime * 2) { $0.foreignLaunchEnds == nil }
    }

    /// The id of the application session that we launched; `nil` when the running one is not ours.
    package var ownedSessionID: String? { self.machine.ownedSessionID }

    /// Treats the application session `sessionID` as ours, or as joined, from now on.
    package func attach(to sessionID: String, isOwned: Bool) {
        self.perform(self.machine.join(sessionID, isOwned: isOwned, now: self.eventLoop.now))
    }

    /// Stops the running application, whichever sender launched it (receiver namespace, STOP). Succeeds when the application has ended.
    ///
    /// - Throws: `applicationNotRunning`; `invalidApplicationSessionID` when another application replaced it meanwhile.
    public func stopApplication() async throws(CastError) {
        guard self.isConnected else { throw self.notConnected }
        if self.machine.isLaunchUnderWay(at: self.eventLoop.now) {
            // Its application would start after the stop.
            _ = try await self.wait(self.configuration.applicationTimeout) { !$0.isLaunchPending }
        }
        guard let application = self.machine.receiver?.application, !application.isIdleScreen else {
            throw CastError(.applicationNotRunning, detail: "no application runs")
        }
        self.stoppedSessionID = application.sessionID
        let observed = application.sessionID.map(ObservedState.sessionEnded) ?? .none
        do throws(CastError) {
            _ = try await self.receiverRequest(
                .stop(sessionID: application.sessionID), timeout: self.configuration.commandTimeout, observed: observed)
        } catch {
            self.stoppedSessionID = nil
            throw error
        }
    }

    /// Requests the receiver's status (GET_STATUS) and returns the answer.
    @discardableResult
    public func requestReceiverStatus() async throws(CastError) -> ReceiverStatus? {
        _ = try await self.receiverRequest(.getStatus, timeout: self.configuration.commandTimeout)
        return self.machine.receiver
    }

    func receiverRequest(
        _ request: ReceiverRequest, timeout: TimeAmount? = nil, limit: TimeAmount? = nil, observed: ObservedState = .none,
        grace: TimeAmount = .milliseconds(500), replacing kind: RequestKind? = nil
    ) async throws(CastError) -> ReceivedPayload.Content? {
        try await self.request(
            namespace: CastNamespace.receiver, to: CastMessage.platformReceiverID, timeout: timeout ?? self.configuration.requestTimeout,
            observed: observed, grace: grace, replacing: kind, name: request.type, limit: limit
        ) { id throws(CastError) in try request.text(requestID: id) }
    }
}
