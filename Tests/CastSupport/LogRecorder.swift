package import Logging
import Synchronization

/// Keeps the log lines of a test.
package final class LogRecorder: Sendable {
    package struct Line: Sendable {
        package let level: Logger.Level
        package let message: String
        package let metadata: [String: String]
    }

    private let recorded = Mutex<[Line]>([])

    package init() {}

    package var all: [Line] { self.recorded.withLock { $0 } }

    /// Level and message of each line.
    package var lines: [String] { self.all.map { "\($0.level) \($0.message)" } }

    /// Returns a logger that keeps lines of this level and above.
    package func logger(_ level: Logger.Level = .info) -> Logger {
        Logger(label: "test") { _ in Handler(recorder: self, logLevel: level) }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel: Logger.Level
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = self.metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
            self.recorder.recorded.withLock { $0.append(Line(level: event.level, message: "\(event.message)", metadata: fields)) }
        }
    }
}
