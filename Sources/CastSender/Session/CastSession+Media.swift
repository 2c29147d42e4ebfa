import CastModels
import CastProtocol
import NIOCore

/// A request to the media session that plays, and the state that shows its success.
struct MediaCommand {
    var action: MediaRequest.Action
    var observed: ObservedState

    init(_ action: MediaRequest.Action, observed: ObservedState = .none) {
        self.action = action
        self.observed = observed
    }
}

extension CastSession {
    func load(_ request: MediaLoadRequest, in applicationID: String?) async throws(CastError) {
        let transport = try await self.mediaTransport(of: applicationID, timeout: self.configuration.applicationTimeout * 3)
        try await self.withStrongConnection { session throws(CastError) in
            _ = try await session.mediaRequest(
                MediaRequest(.load(request, sessionID: transport.sessionID)), to: transport, timeout: session.configuration.loadTimeout,
                observed: .none)
            if let status = session.mediaStatus, status.isEnded, status.idleReason == .error {
                throw CastError(.mediaLoadFailed, detail: "the player went idle with an error")
            }
        }
    }

    /// Sends what `command` makes of the current media status to its media session.
    func control(_ command: @Sendable (MediaStatus) throws(CastError) -> MediaCommand) async throws(CastError) {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        try await self.withStrongConnection { session throws(CastError) in
            let status = try await session.currentMediaStatus()
            do throws(CastError) {
                try await session.send(command(status), mediaSessionID: status.mediaSessionID, to: transport)
            } catch let error where error.reason == "INVALID_MEDIA_SESSION_ID" {
                // Refused, so nothing happened: the session was replaced without our being told.
                guard let status = try await session.requestMediaStatus(), !status.isEnded else { throw Self.noMediaSession }
                try await session.send(command(status), mediaSessionID: status.mediaSessionID, to: transport)
            }
        }
    }

    func requestMediaStatus() async throws(CastError) -> MediaStatus? {
        let transport = try await self.mediaTransport(of: nil, timeout: self.configuration.applicationTimeout)
        _ = try await self.mediaRequest(
            MediaRequest(.getStatus([])), to: transport, timeout: self.configuration.mediaStatusTimeout, observed: .none)
        return self.mediaStatus
    }

    private func send(_ command: MediaCommand, mediaSessionID: Int, to transport: SessionStateMachine.Transport) async throws(CastError) {
        do throws(CastError) {
            _ = try await self.mediaRequest(
                MediaRequest(command.action, mediaSessionID: mediaSessionID), to: transport, timeout: self.configuration.requestTimeout,
                observed: command.observed)
        } catch let error where error.code == .timeout {
            // The answer may be what was lost.
            let status = try? await self.requestMediaStatus()
            guard let status, command.observed.holds(in: status) else { throw error }
        }
    }

    private func mediaRequest(
        _ request: MediaRequest, to transport: SessionStateMachine.Transport, timeout: TimeAmount, observed: ObservedState
    ) async throws(CastError) -> ReceivedPayload.Content? {
        try await self.request(namespace: CastNamespace.media, to: transport.id, timeout: timeout, observed: observed) {
            id throws(CastError) in try request.text(requestID: id)
        }
    }

    /// The connection to the application, once there is one that has told its status.
    private func mediaTransport(of applicationID: String?, timeout: TimeAmount) async throws(CastError) -> SessionStateMachine.Transport {
        guard self.isConnected else { throw self.notConnected }
        _ = try await self.wait(timeout) { machine in
            machine.usableTransport(of: applicationID) != nil || !machine.mayGetTransport(of: applicationID)
        }
        if let transport = self.machine.usableTransport(of: applicationID) { return transport }
        // Whoever never tells its status may obey all the same.
        guard let transport = self.machine.transport, self.machine.mayGetTransport(of: applicationID) else {
            throw self.noPlayer
        }
        return transport
    }

    private var noPlayer: CastError {
        let runs = self.machine.receiver?.application.map { !$0.isIdleScreen } ?? false
        return CastError(.applicationNotRunning, detail: runs ? "the application has no player that others may use" : "no application runs")
    }

    private static let noMediaSession = CastError(.noMediaSession, detail: "nothing is loaded")

    /// The status of the media session that is alive; asks when none is known, since senders that join late may have missed it.
    private func currentMediaStatus() async throws(CastError) -> MediaStatus {
        if let status = self.mediaStatus, !status.isEnded { return status }
        guard let status = try await self.requestMediaStatus(), !status.isEnded else { throw Self.noMediaSession }
        return status
    }

    private func withStrongConnection(
        _ body: (isolated CastSession) async throws(CastError) -> Void
    ) async throws(CastError) {
        self.perform(self.machine.commandBegan())
        do throws(CastError) {
            try await body(self)
        } catch {
            self.endCommand()
            throw error
        }
        self.endCommand()
    }

    private func endCommand() {
        let effects = self.machine.commandEnded(now: self.eventLoop.now)
        if self.isConnected { self.perform(effects) }
    }
}
