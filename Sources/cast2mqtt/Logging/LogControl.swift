import Bridge
import BridgeCore
import CastSender
import Logging

/// How loggers of the process write, and the levels in force, changeable while it runs.
final class LogControl: Sendable {
    let format: LogFormat
    /// Takes what goes to `bridge/log`, whatever is written.
    let tap: LogTap
    /// What replaces secrets in lines.
    let redaction: SecretRedaction
    private let log: CastLog

    /// - Parameter history: keeps the last lines; `nil` keeps none.
    init(format: LogFormat, filters: LogFilters, publish: PublishedLogLevel, redaction: SecretRedaction, history: LogHistory?) {
        self.format = format
        self.redaction = redaction
        self.tap = LogTap(level: publish, history: history)
        self.log = CastLog(filters)
    }

    /// The level in force and its exceptions.
    var current: LogFilters {
        get { self.log.filters }
        set { self.log.filters = newValue }
    }

    /// The lowest level that the logger `label` writes.
    func level(of label: String) -> Logger.Level { self.log.level(of: label) }

    /// The lowest level of which the logger `label` has to know.
    func lowestLevel(of label: String) -> Logger.Level {
        let published = self.tap.level.level.flatMap { Logger.Level(rawValue: $0.rawValue) }
        return min(self.level(of: label), published ?? .critical)
    }
}
