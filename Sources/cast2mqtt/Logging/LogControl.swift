import CastSender
import Logging

/// How loggers of the process write, and the levels in force, changeable while it runs.
final class LogControl: Sendable {
    let format: LogFormat
    private let log: CastLog

    init(format: LogFormat, filters: LogFilters) {
        self.format = format
        self.log = CastLog(filters)
    }

    /// The level in force and its exceptions.
    var current: LogFilters {
        get { self.log.filters }
        set { self.log.filters = newValue }
    }

    /// The lowest level that the logger `label` writes.
    func level(of label: String) -> Logger.Level { self.log.level(of: label) }
}
