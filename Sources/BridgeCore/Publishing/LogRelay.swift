import CastModels

/// The lowest level that is published on `bridge/log`; may be off.
public struct PublishedLogLevel: RawRepresentable, Sendable, Hashable {
    /// The level; `nil` publishes no lines.
    public var level: LogLevel?

    public static let off = Self(nil)
    public static let warning = Self(.warning)

    public init(_ level: LogLevel?) { self.level = level }

    /// Reads the name of a level, or `off`.
    public init?(rawValue: String) {
        if rawValue == "off" {
            self.init(nil)
        } else if let level = LogLevel(rawValue: rawValue) {
            self.init(level)
        } else {
            return nil
        }
    }

    public var rawValue: String { self.level?.rawValue ?? "off" }
}

/// One log line, for `bridge/log` and for readers beside MQTT.
public struct LogLine: Sendable, Hashable {
    public var level: LogLevel
    /// The component that wrote the line.
    public var source: String
    public var message: String
    /// The metadata of the line; never a payload and never a secret.
    public var data: JSONObject

    public init(level: LogLevel, source: String, message: String, data: JSONObject = [:]) {
        (self.level, self.source, self.message, self.data) = (level, source, message, data)
    }

    /// Writes the members `ts`, `level`, `source`, `message` and `data` of an object.
    func write(at time: Timestamp, to writer: inout JSONWriter) {
        writer.member("ts", time)
        writer.member("level", self.level.rawValue)
        writer.member("source", self.source)
        writer.member("message", text: self.message)
        writer.beginObject("data")
        for member in self.data.members {
            writer.key(member.key)
            writer.value(limiting: member.value)
        }
        writer.endObject()
    }
}

/// Decides which log lines are published: at most 10 lines in any second, and repeated lines as one with their number.
///
/// Does no I/O and owns no timer.
public struct LogRelay: Sendable {
    /// The largest number of lines in any second.
    public static let linesPerSecond = 10
    /// How long repetitions are counted before their number is published.
    public static let patience = Duration.seconds(5)

    public struct Output: Sendable, Hashable {
        public var line: LogLine
        /// The time of the line; for repetitions, of the last one.
        public var time: Timestamp
        /// The number of repetitions since it was published; `nil` for a new line.
        public var repeats: Int?
        /// The number of lines dropped since the previous output.
        public var dropped: Int
    }

    private var last: LogLine?
    private var repeats = 0
    private var repeatedAt: Timestamp?
    private var repeatsDueAt: MonotonicTime?
    private var dropped = 0
    /// The times of the last published lines, oldest first; at most `linesPerSecond`.
    private var published: [MonotonicTime] = []

    public init() {}

    /// When to call `wake`; `nil` when nothing is pending.
    public var deadline: MonotonicTime? { self.repeatsDueAt }

    /// Handles a line. Publish the returned lines in this order.
    public mutating func receive(_ line: LogLine, at now: Now) -> [Output] {
        if line == self.last {
            self.repeats += 1
            self.repeatedAt = now.wall
            if self.repeatsDueAt == nil { self.repeatsDueAt = now.monotonic + Self.patience }
            return []
        }
        var outputs = self.reportRepeats(at: now.monotonic)
        if self.hasRoom(at: now.monotonic) {
            self.last = line
            outputs.append(self.output(line, now.wall, repeats: nil, at: now.monotonic))
        } else {
            self.last = nil
            self.dropped += 1
        }
        return outputs
    }

    /// Publishes pending repetitions that are due.
    public mutating func wake(now: MonotonicTime) -> [Output] {
        guard let repeatsDueAt, repeatsDueAt <= now else { return [] }
        return self.reportRepeats(at: now)
    }

    private mutating func reportRepeats(at now: MonotonicTime) -> [Output] {
        guard self.repeats > 0, let last, let time = self.repeatedAt else { return [] }
        let repeats = self.repeats
        (self.repeats, self.repeatedAt, self.repeatsDueAt) = (0, nil, nil)
        guard self.hasRoom(at: now) else {
            self.dropped += repeats
            return []
        }
        return [self.output(last, time, repeats: repeats, at: now)]
    }

    private func hasRoom(at now: MonotonicTime) -> Bool {
        guard self.published.count >= Self.linesPerSecond, let oldest = self.published.first else { return true }
        return now - oldest >= .seconds(1)
    }

    private mutating func output(_ line: LogLine, _ time: Timestamp, repeats: Int?, at now: MonotonicTime) -> Output {
        if self.published.count >= Self.linesPerSecond { self.published.removeFirst() }
        self.published.append(now)
        defer { self.dropped = 0 }
        return Output(line: line, time: time, repeats: repeats, dropped: self.dropped)
    }
}
