import CastModels
import Logging
import Synchronization

/// Which log lines are written: a minimum level, and exceptions for types whose label fits a pattern (SDK: `GCKLoggerFilter`).
///
/// Labels are `CastSender.` and the type's name; a pattern may be either. Levels may be changed at any time, for loggers that exist too.
public final class CastLog: Sendable {
    /// The most labels whose level is kept; there are about ten.
    private static let labelLimit = 64

    private struct State {
        var filters: LogFilters
        /// The levels of labels by `filters`: a logger asks for its level at each line, and to match patterns takes long.
        var levels: [String: Logger.Level] = [:]
    }

    private let current: Mutex<State>

    /// - Parameter filters: without any, `info` and above.
    public init(_ filters: LogFilters = LogFilters()) { self.current = Mutex(State(filters: filters)) }

    /// The levels in force.
    public var filters: LogFilters {
        get { self.current.withLock { $0.filters } }
        set { self.current.withLock { $0 = State(filters: newValue) } }
    }

    /// The lowest level that the logger `label` writes.
    public func level(of label: String) -> Logger.Level {
        self.current.withLock { state in
            if let level = state.levels[label] { return level }
            let level = Logger.Level(rawValue: state.filters.level(for: label).rawValue) ?? .info
            if state.levels.count < Self.labelLimit { state.levels[label] = level }
            return level
        }
    }

    /// A logger that writes through `handler` what the levels in force let pass.
    public func logger(_ label: String, handler: (String) -> any LogHandler) -> Logger {
        Logger(label: label) { FilteredLogHandler(label: $0, log: self, handler: handler($0)) }
    }
}

/// Asks a `CastLog` which lines pass, and hands them on.
public struct FilteredLogHandler: LogHandler {
    private let label: String
    private let log: CastLog
    private var handler: any LogHandler

    /// - Parameter handler: writes what passes; its own level is set aside.
    public init(label: String, log: CastLog, handler: any LogHandler) {
        self.label = label
        self.log = log
        self.handler = handler
        self.handler.logLevel = .trace
    }

    /// Decided by the `CastLog`, which changes while the program runs; a level set on a single logger has no effect.
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
