import BridgeCore
import Logging
import Synchronization

/// The log levels in force, shared by every logger of the process and changeable while it runs.
final class LogControl: Sendable {
    let format: LogFormat
    private let filters: Mutex<LogFilters>

    init(format: LogFormat, filters: LogFilters) {
        self.format = format
        self.filters = Mutex(filters)
    }

    /// The level in force and its exceptions.
    var current: LogFilters {
        get { self.filters.withLock { $0 } }
        set { self.filters.withLock { $0 = newValue } }
    }

    /// The lowest level that the logger `label` writes.
    func level(of label: String) -> Logger.Level {
        let level = self.filters.withLock { $0.level(for: label) }
        return Logger.Level(rawValue: level.rawValue) ?? .info
    }
}
