import CastModels
import CastProtocol
import NIOCore

extension CastSession {
    /// How often a launch that the receiver cancelled is tried again.
    private static let launchRetries = 2

    /// Starts an application, or joins it when it runs already (receiver namespace, LAUNCH).
    ///
    /// Done when the receiver lets the launch go on or shows the application, whichever comes first. A question to the people before
    /// the screen gives them two minutes. A launch that another one cut off is tried again twice.
    ///
    /// - Returns: the application if a status has shown it yet.
    /// - Throws: `applicationNotFound`, `launchRequestCancelled`, `notAllowed`, `replaced` when a newer launch took its place, `timeout`,
    ///   `deviceNotConnected` when nothing was sent, `networkError` when the link broke.
    @discardableResult
    public func launch(_ applicationID: String) async throws(CastError) -> ReceiverApplication? {
        guard self.isConnected else { throw self.notConnected }
        if let running = self.machine.runningApplication(applicationID) { return running }
        var retries = 0
        while true {
            do throws(CastError) {
                try await self.sendLaunch(applicationID)
                break
            } catch {
                guard self.machine.isLaunching(applicationID) else { throw CastError(.replaced, detail: "another launch took its place") }
                guard error.code == .launchRequestCancelled, retries < Self.launchRetries else {
                    self.machine.launchEnded()
                    throw error
                }
            }
            retries += 1
            _ = try await self.wait(self.configuration.launchRetryDelay * Int64(retries)) { _ in false }
        }
        if let running = self.machine.runningApplication(applicationID) {
            self.machine.launchEnded()
            return running
        }
        // Allowed, but nobody has been told yet.
        if self.isConnected { self.perform([.askReceiverStatus]) }
        return nil
    }

    private func sendLaunch(_ applicationID: String) async throws(CastError) {
        self.machine.launchBegan(applicationID, now: self.eventLoop.now)
        _ = try await self.receiverRequest(
            .launch(.init(applicationID: applicationID, language: "en-US")), timeout: self.configuration.launchTimeout,
            observed: .applicationRuns(applicationID), grace: .milliseconds(50))
    }

    /// Ends the running application, whoever started it (receiver namespace, STOP). Done when it is gone.
    ///
    /// - Throws: `applicationNotRunning`; `invalidApplicationSessionID` when another one took its place meanwhile.
    public func stopApplication() async throws(CastError) {
        guard self.isConnected else { throw self.notConnected }
        guard let application = self.machine.receiver?.application, !application.isIdleScreen else {
            throw CastError(.applicationNotRunning, detail: "no application runs")
        }
        let observed = application.sessionID.map(ObservedState.sessionEnded) ?? .none
        _ = try await self.receiverRequest(.stop(sessionID: application.sessionID), observed: observed)
    }

    /// Sets the device's own volume (receiver namespace, SET_VOLUME). The device's next status tells what it made of it.
    ///
    /// - Parameter level: 0 to 1.
    public func setDeviceVolume(level: Double) async throws(CastError) {
        _ = try await self.receiverRequest(.setVolume(level: level), observed: .deviceLevel(level))
    }

    /// Mutes or unmutes the device; the level stays.
    public func setDeviceMuted(_ isMuted: Bool) async throws(CastError) {
        _ = try await self.receiverRequest(.setMuted(isMuted), observed: .deviceMuted(isMuted))
    }

    /// Asks the receiver for its status (GET_STATUS) and gives what it answered.
    @discardableResult
    public func requestReceiverStatus() async throws(CastError) -> ReceiverStatus? {
        _ = try await self.receiverRequest(.getStatus)
        return self.machine.receiver
    }

    private func receiverRequest(
        _ request: ReceiverRequest, timeout: TimeAmount? = nil, observed: ObservedState = .none, grace: TimeAmount = .milliseconds(500)
    ) async throws(CastError) -> ReceivedPayload.Content? {
        try await self.request(
            namespace: CastNamespace.receiver, to: CastMessage.platformReceiverID, timeout: timeout ?? self.configuration.requestTimeout,
            observed: observed, grace: grace
        ) { id throws(CastError) in try request.text(requestID: id) }
    }
}
