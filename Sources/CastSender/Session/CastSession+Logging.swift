import CastModels
import CastProtocol
import LogKeys
import Logging
import NIOCore

/// The log lines of the session, at `debug`: events and their outcomes. They never contain a payload, an address of media, a title, or
/// error texts from the device. Nothing is created while the log level is higher.
extension CastSession {
    private var loggedDevice: Logger.MetadataValue { "\(self.machine.identity.expected ?? self.machine.identity.identity?.id ?? "-")" }

    func logOpened() {
        self.loggers.connection.debug(
            "connection opened", metadata: [.castDevice: self.loggedDevice, .address: "\(self.connection.endpoint)"])
    }

    func logClosed(_ error: CastError) {
        self.loggers.connection.debug(
            "connection closed",
            metadata: [.castDevice: self.loggedDevice, .address: "\(self.connection.endpoint)", .error: "\(error.code)"])
    }

    func logLaunch(_ applicationID: String, _ error: CastError?) {
        self.loggers.session.debug(
            "launch ended",
            metadata: [.castDevice: self.loggedDevice, .app: "\(applicationID)", .outcome: Self.outcome(error)])
    }

    /// Returns `completion`; if the log level permits, it logs the end of the request first.
    func logged(_ terms: RequestTerms, _ completion: @escaping CastConnection.Completion) -> CastConnection.Completion {
        guard self.loggers.session.logLevel <= .debug else { return completion }
        let (logger, device, eventLoop, began) = (self.loggers.session, self.loggedDevice, self.eventLoop, self.eventLoop.now)
        return { result in
            var error: CastError?
            if case .failure(let failure) = result { error = failure }
            let milliseconds = (eventLoop.now - began).nanoseconds / 1_000_000
            logger.debug(
                "request ended",
                metadata: [
                    .castDevice: device, .castNamespace: "\(terms.peer.namespace)", .request: "\(terms.name ?? terms.type ?? "-")",
                    .outcome: Self.outcome(error),
                    .milliseconds: "\(milliseconds)",
                ])
            completion(result)
        }
    }

    /// Returns the word of a state for the log: `PLAYING`, or `unknown`, since words of the device are not logged.
    private static func word(_ state: some Any) -> String {
        let name = "\(state)".prefix { $0 != "(" }
        return name == "unknown" ? "unknown" : name.uppercased()
    }

    private static func outcome(_ error: CastError?) -> Logger.MetadataValue { "\(error.map { "\($0.code)" } ?? "done")" }

    /// Logs an applied media status, except for statuses that report only another position.
    func logMedia(_ status: MediaStatus?) {
        guard self.loggers.media.logLevel <= .debug, status != nil || self.mediaObservation.logged != nil else { return }
        let metadata: LogMetadata = [
            .castDevice: self.loggedDevice, .player: "\(status.map { Self.word($0.playerState) } ?? "none")",
            .mediaSession: "\(status?.mediaSessionID.description ?? "-")", .item: "\(status?.currentItemID?.description ?? "-")",
            .idleReason: "\(status?.idleReason.map(Self.word) ?? "-")",
        ]
        if self.mediaObservation.logs(metadata.fields) { self.loggers.media.debug("media changed", metadata: metadata) }
    }
}
