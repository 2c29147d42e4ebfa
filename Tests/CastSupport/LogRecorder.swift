package import Logging
import Synchronization

/// Keeps the log lines of a test: level and message.
package final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    package init() {}

    package var lines: [String] { self.recorded.withLock { $0 } }

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
            self.recorder.recorded.withLock { $0.append("\(event.level) \(event.message)") }
        }
    }
}
