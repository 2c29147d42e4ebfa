import CastModels
import CastProtocol
import NIOCore

/// Starts the application of a managed session.
extension CastSession {
    /// Launches an application, or joins it if it is running, and waits until the receiver reports it.
    ///
    /// - Returns: the application with its session id, and our part in it.
    /// - Throws: the errors of `launch`.
    func startApplication(
        _ applicationID: String, options: LaunchOptions
    ) async throws(CastError) -> (application: ReceiverApplication, participation: Participation) {
        let former = self.launchedSessionID
        let running: ReceiverApplication
        do throws(CastError) {
            running = try await self.launch(applicationID, options: options)
        } catch {
            if error.code == .cancelled { await self.stopLaunched(applicationID, besides: former) }
            throw error
        }
        if let sessionID = running.sessionID { self.attach(to: sessionID) }
        return (running, try self.participation(in: running))
    }

    /// Returns our part in an application session of which we are a sender.
    private func participation(in application: ReceiverApplication) throws(CastError) -> Participation {
        guard let sessionID = application.sessionID else {
            throw CastError(.applicationNotRunning, detail: "the application has no session id")
        }
        return Participation(sessionID: sessionID, isLaunched: self.launchedSessionID == sessionID)
    }

    /// The running application session if we launched it.
    private var launchedSessionID: String? {
        let session = self.machine.application.session
        return session.isLaunched ? session.id : nil
    }

    /// Stops the result of a launch that is no longer wanted, if it appears soon.
    private func stopLaunched(_ applicationID: String, besides former: String?) async {
        try? await evenIfCancelled { () async throws(CastError) in
            if await self.machine.application.isLaunching(applicationID) {
                _ = try await self.wait(self.configuration.applicationTimeout) { !$0.application.isLaunching(applicationID) }
            }
            guard let launched = await self.launchedSessionID, launched != former else { return }
            try await self.stopApplication()
        }
    }

    func joinApplication(
        _ applicationID: String?
    ) async throws(CastError) -> (application: ReceiverApplication, participation: Participation) {
        let running = try await self.join(applicationID)
        return (running, try self.participation(in: running))
    }
}
