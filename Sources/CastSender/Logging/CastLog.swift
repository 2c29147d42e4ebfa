import CastModels
import Logging
import Synchronization

/// Decides which log lines are written: a minimum level, and exceptions for types whose label matches a pattern (SDK: `GCKLoggerFilter`).
///
/// A label is `CastSender.` and the name of a type; a pattern matches the label or the name. Levels can change at any time, also for
/// existing loggers.
public final class CastLog: Sendable {
    /// The largest number of cached labels; there are about ten.
    private static let labelLimit = 64

    private struct State {
        var filters: LogFilters
        /// The cached levels of labels. A logger reads its level at each line, and matching patterns is slow.
        var levels: [String: Logger.Level] = [:]
    }

    private let current: Mutex<State>

    /// - Parameter filters: without any, `info` and above pass.
    public init(_ filters: LogFilters = LogFilters()) { self.current = Mutex(State(filters: filters)) }

    /// The levels in effect.
    public var filters: LogFilters {
        get { self.current.withLock { $0.filters } }
        set { self.current.withLock { $0 = State(filters: newValue) } }
    }

    /// Returns the lowest level that the logger `label` writes.
    public func level(of label: String) -> Logger.Level {
        self.current.withLock { state in
            guard !state.filters.filters.isEmpty else { return Logger.Level(state.filters.level) }
            if let level = state.levels[label] { return level }
            let level = Logger.Level(state.filters.level(for: label))
            if state.levels.count < Self.labelLimit { state.levels[label] = level }
            return level
        }
    }

    /// Returns a logger that writes to `handler` the lines that the levels in effect permit.
    public func logger(_ label: String, handler: (String) -> any LogHandler) -> Logger {
        Logger(label: label) { FilteredLogHandler(label: $0, log: self, handler: handler($0)) }
    }
}

/// Asks a `CastLog` which lines pass, and forwards these.
public struct FilteredLogHandler: LogHandler {
    private let label: String
    private let log: CastLog
    private var handler: any LogHandler

    /// - Parameters:
    ///   - label: the label of the logger, which filters match.
    ///   - log: decides which lines pass.
    ///   - handler: writes the lines that pass; its own level is ignored.
    public init(label: String, log: CastLog, handler: any LogHandler) {
        self.label = label
        self.log = log
        self.handler = handler
        self.handler.logLevel = .trace
    }

    /// The level of the `CastLog`, which can change while the program runs. Setting the level of a single logger has no effect.
    public var logLevel: Logger.Level {
        get { self.log.level(of: self.label) }
        set {}
    }

    public var metadata: Logger.Metadata {
        get { self.handler.metadata }
        set { self.handler.metadata = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.handler[metadataKey: key] }
        set { self.handler[metadataKey: key] = newValue }
    }

    public func log(event: LogEvent) { self.handler.log(event: event) }
}

extension Logger.Level {
    /// Creates the level of swift-log with the same name. Loggers ask for it at each line, so the names are not compared.
    package init(_ level: LogLevel) {
        switch level {
        case .trace: self = .trace
        case .debug: self = .debug
        case .info: self = .info
        case .notice: self = .notice
        case .warning: self = .warning
        case .error: self = .error
        case .critical: self = .critical
        }
    }
}
