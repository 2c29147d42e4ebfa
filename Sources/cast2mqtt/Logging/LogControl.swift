import Bridge
import BridgeCore
import CastSender
import Logging

/// The format of the process's loggers and the levels in effect, which can change while it runs.
final class LogControl: Sendable {
    let format: LogFormat
    /// Receives the lines for `bridge/log` and for readers beside MQTT, also those below the log level.
    let tap: LogTap
    let redaction: SecretRedaction
    private let log: CastLog

    /// - Parameter history: keeps the last lines; `nil` keeps none.
    init(format: LogFormat, filters: LogFilters, publish: PublishedLogLevel, redaction: SecretRedaction, history: LogHistory?) {
        self.format = format
        self.redaction = redaction
        self.tap = LogTap(level: publish, history: history)
        self.log = CastLog(filters)
    }

    /// The general level and its exceptions.
    var current: LogFilters {
        get { self.log.filters }
        set { self.log.filters = newValue }
    }

    /// Returns the lowest level that the logger `label` writes.
    func level(of label: String) -> Logger.Level { self.log.level(of: label) }

    /// Returns the lowest level that the logger `label` must handle.
    func lowestLevel(of label: String) -> Logger.Level {
        let written = self.level(of: label)
        return self.tap.takenLevel.map { min(written, Logger.Level($0)) } ?? written
    }
}
