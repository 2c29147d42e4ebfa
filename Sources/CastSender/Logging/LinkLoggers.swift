import Logging

/// The loggers of everything that happens on links to devices, one for each type that logs, so that a filter selects by the type's name.
public struct LinkLoggers: Sendable {
    /// `CastSender.DeviceSupervisor`: attempts to connect that failed.
    var supervisor: Logger
    /// `CastSender.CastConnection`: links that were opened and closed.
    var connection: Logger
    /// `CastSender.CastSession`: launches and requests that ended.
    var session: Logger
    /// `CastSender.RemoteMediaClient`: changes of what plays.
    var media: Logger

    /// - Parameter make: makes the logger with a label.
    public init(_ make: (_ label: String) -> Logger) {
        self.supervisor = make("CastSender.DeviceSupervisor")
        self.connection = make("CastSender.CastConnection")
        self.session = make("CastSender.CastSession")
        self.media = make("CastSender.RemoteMediaClient")
    }

    /// - Parameter logger: for all of them.
    public init(all logger: Logger) { self.init { _ in logger } }
}
