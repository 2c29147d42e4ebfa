import BridgeCore
import CastSender
import Glibc
import Logging

/// Passes each line to the writer of standard error, and to the tap of `bridge/log`.
struct StandardErrorLogHandler: LogHandler {
    let label: String
    let control: LogControl
    var metadata: Logger.Metadata = [:]

    /// The level of the shared control, which can change while the program runs. Setting the level of a single logger has no effect.
    var logLevel: Logger.Level {
        get { self.control.lowestLevel(of: self.label) }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) { if let line = self.line(event) { StandardError.writer.append(line) } }

    /// Passes the event to the tap.
    /// - Returns: the line to write; `nil` below the level of this logger.
    func line(_ event: LogEvent) -> [UInt8]? {
        let metadata = event.metadata.map { self.metadata.merging($0) { _, new in new } } ?? self.metadata
        let time = Timestamp.now()
        if let level = LogLevel(rawValue: event.level.rawValue) {
            var data = JSONObject()
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { data.append(key, .string(value.description)) }
            self.control.tap.offer(LogLine(level: level, source: self.label, message: event.message.description, data: data), at: time)
        }
        guard event.level >= self.control.level(of: self.label) else { return nil }
        let line = self.control.format.line(event, label: self.label, metadata: metadata, at: time)
        return self.control.redaction.redacted(line) ?? line
    }
}

extension Timestamp {
    /// The system's wall clock.
    static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
