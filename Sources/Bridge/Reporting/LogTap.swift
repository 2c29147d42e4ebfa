import BridgeCore
import CastSender
import Synchronization

/// Collects log lines for `bridge/log` from the program's log handlers, on any thread; the bridge fetches them on its own.
package final class LogTap: Sendable {
    /// The largest number of lines that wait for the bridge.
    package static let maximumLines = 256

    private struct State {
        var level: PublishedLogLevel
        var lines: [(line: LogLine, time: Timestamp)] = []
        var notify: (@Sendable () -> Void)?
    }

    /// Keeps the last lines for readers beside MQTT; `nil` keeps none.
    package let history: LogHistory?

    private let state: Mutex<State>

    package init(level: PublishedLogLevel, history: LogHistory? = nil) {
        self.state = Mutex(State(level: level))
        self.history = history
    }

    package var level: PublishedLogLevel {
        get { self.state.withLock { $0.level } }
        set { self.state.withLock { $0.level = newValue } }
    }

    /// The lowest level that anything behind the tap takes; `nil`: nothing takes lines below the log level.
    ///
    /// Without an array of both, because every logger asks at each line, also at those that nothing takes.
    package var takenLevel: LogLevel? {
        let (published, listened) = (self.level.level, self.history?.listenedLevel)
        guard let published, let listened else { return published ?? listened }
        return min(published, listened)
    }

    /// Adds a line. Beyond the limit it is lost, because the bridge is far behind.
    package func offer(_ line: LogLine, at time: Timestamp) {
        self.history?.append(LogEntry(line: line, time: time))
        let notify = self.state.withLock { state -> (@Sendable () -> Void)? in
            guard let lowest = state.level.level, line.level >= lowest, state.notify != nil, state.lines.count < Self.maximumLines else {
                return nil
            }
            state.lines.append((line, time))
            return state.lines.count == 1 ? state.notify : nil
        }
        notify?()
    }

    /// - Parameter notify: called on any thread when lines become available for `take`.
    func attach(_ notify: @escaping @Sendable () -> Void) { self.state.withLock { $0.notify = notify } }

    /// Stops collecting, because no lines will be fetched any more.
    func detach() { self.state.withLock { ($0.notify, $0.lines) = (nil, []) } }

    func take() -> [(line: LogLine, time: Timestamp)] {
        self.state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }
}
