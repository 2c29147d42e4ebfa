import Logging

/// The loggers of all link activity, one for each type that logs, so that a filter selects by type name.
public struct LinkLoggers: Sendable {
    /// `CastSender.DeviceSupervisor`: failed connection attempts.
    var supervisor: Logger
    /// `CastSender.CastConnection`: opened and closed links.
    var connection: Logger
    /// `CastSender.CastSession`: ended launches and requests.
    var session: Logger
    /// `CastSender.RemoteMediaClient`: changes of the media.
    var media: Logger

    /// - Parameter make: creates the logger with a label.
    public init(_ make: (_ label: String) -> Logger) {
        self.supervisor = make("CastSender.DeviceSupervisor")
        self.connection = make("CastSender.CastConnection")
        self.session = make("CastSender.CastSession")
        self.media = make("CastSender.RemoteMediaClient")
    }

    /// - Parameter logger: the logger for all types.
    public init(all logger: Logger) { self.init { _ in logger } }
}
