import CastModels
import CastProtocol
import NIOCore

/// Starts the application of a managed session.
extension CastSession {
    /// Launches an application, or joins it if it is running, and becomes one of its senders. When the caller is cancelled, the result of
    /// the launch is stopped, if it appears soon.
    ///
    /// - Throws: the errors of `launch`.
    @discardableResult
    func startApplication(
        _ applicationID: String, options: LaunchOptions = LaunchOptions()
    ) async throws(CastError) -> ReceiverApplication {
        let former = self.launchedSessionID
        do throws(CastError) {
            let running = try await self.launch(applicationID, options: options)
            if let sessionID = running.sessionID { self.attach(to: sessionID) }
            return running
        } catch {
            if error.code == .cancelled { await self.stopLaunched(applicationID, besides: former) }
            throw error
        }
    }

    /// The running application session if we launched it.
    var launchedSessionID: String? { self.applicationSession.isLaunched ? self.applicationSession.id : nil }

    private func stopLaunched(_ applicationID: String, besides former: String?) async {
        try? await evenIfCancelled { () async throws(CastError) in
            if await self.machine.application.isLaunching(applicationID) {
                _ = try await self.wait(self.configuration.applicationTimeout) { !$0.application.isLaunching(applicationID) }
            }
            guard let launched = await self.launchedSessionID, launched != former else { return }
            try await self.stopApplication()
        }
    }
}
