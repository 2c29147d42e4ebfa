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

    private static func outcome(_ error: CastError?) -> Logger.MetadataValue { "\(error.map { "\($0.code)" } ?? "done")" }

    /// Logs an applied media status, except for statuses that report only another position.
    func logMedia(_ status: MediaStatus?) {
        guard self.loggers.media.logLevel <= .debug else { return }
        let media = status.map(LoggedMedia.init)
        guard self.mediaObservation.logs(media) else { return }
        self.loggers.media.debug(
            "media changed",
            metadata: [
                .castDevice: self.loggedDevice, .player: "\(media?.playerState.loggedWord ?? "none")",
                .mediaSession: "\(media?.mediaSessionID.description ?? "-")", .item: "\(media?.currentItemID?.description ?? "-")",
                .idleReason: "\(media?.idleReason?.loggedWord ?? "-")",
            ])
    }
}

extension PlayerState {
    /// A constant word for the log; words of the device are not logged.
    fileprivate var loggedWord: StaticString {
        switch self {
        case .idle: "IDLE"
        case .loading: "LOADING"
        case .buffering: "BUFFERING"
        case .playing: "PLAYING"
        case .paused: "PAUSED"
        case .unknown: "unknown"
        }
    }
}

extension IdleReason {
    fileprivate var loggedWord: StaticString {
        switch self {
        case .finished: "FINISHED"
        case .cancelled: "CANCELLED"
        case .interrupted: "INTERRUPTED"
        case .error: "ERROR"
        case .unknown: "unknown"
        }
    }
}

/// The values of a media status that a log line contains.
struct LoggedMedia: Equatable {
    var mediaSessionID: Int
    var playerState: PlayerState
    var idleReason: IdleReason?
    var currentItemID: Int?

    init(_ status: MediaStatus) {
        self.mediaSessionID = status.mediaSessionID
        self.playerState = status.playerState
        self.idleReason = status.idleReason
        self.currentItemID = status.currentItemID
    }
}
