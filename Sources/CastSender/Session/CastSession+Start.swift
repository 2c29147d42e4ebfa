import CastModels
import CastProtocol
import NIOCore

/// Starts the application of a managed session.
extension CastSession {
    /// Launches an application, or joins it if it is running, and waits until the receiver reports it.
    ///
    /// - Returns: the application with its session id, and whether the application session is ours.
    /// - Throws: the errors of `launch`.
    func startApplication(
        _ applicationID: String, options: LaunchOptions
    ) async throws(CastError) -> (application: ReceiverApplication, isOwned: Bool) {
        let formerSessionID = self.machine.ownedSessionID
        let running: ReceiverApplication
        do throws(CastError) {
            running = try await self.launch(applicationID, options: options)
        } catch {
            if error.code == .cancelled { await self.stopLaunched(applicationID, besides: formerSessionID) }
            throw error
        }
        guard let sessionID = running.sessionID else {
            throw CastError(.applicationNotRunning, detail: "the application has no session id")
        }
        let isOwned = self.machine.ownedSessionID == sessionID
        self.attach(to: sessionID, isOwned: isOwned)
        return (running, isOwned)
    }

    /// Stops the result of a launch that is no longer wanted, if it appears soon.
    private func stopLaunched(_ applicationID: String, besides formerSessionID: String?) async {
        try? await evenIfCancelled { () async throws(CastError) in
            if await self.machine.isLaunching(applicationID) {
                _ = try await self.wait(self.configuration.applicationTimeout) { !$0.isLaunching(applicationID) }
            }
            let (owned, shown) = await (self.machine.ownedSessionID, self.receiverStatus?.application?.sessionID)
            guard let owned, owned != formerSessionID, owned == shown else { return }
            try await self.stopApplication()
        }
    }

    func joinApplication(_ applicationID: String?) async throws(CastError) -> (application: ReceiverApplication, isOwned: Bool) {
        let running = try await self.join(applicationID)
        return (running, self.machine.ownedSessionID == running.sessionID)
    }
}
