import CastModels

/// The lowest level that is published on `bridge/log`; may be off.
package struct PublishedLogLevel: RawRepresentable, Sendable, Hashable {
    /// The level; `nil` publishes no lines.
    package var level: LogLevel?

    package static let off = Self(nil)
    package static let warning = Self(.warning)

    package init(_ level: LogLevel?) { self.level = level }

    /// Reads the name of a level, or `off`.
    package init?(rawValue: String) {
        if rawValue == "off" {
            self.init(nil)
        } else if let level = LogLevel(rawValue: rawValue) {
            self.init(level)
        } else {
            return nil
        }
    }

    package var rawValue: String { self.level?.rawValue ?? "off" }
}

/// One log line for `bridge/log`.
package struct LogLine: Sendable, Hashable {
    package var level: LogLevel
    /// The component that wrote the line.
    package var source: String
    package var message: String
    /// The metadata of the line; never a payload and never a secret.
    package var data: JSONObject

    package init(level: LogLevel, source: String, message: String, data: JSONObject = [:]) {
        self.level = level
        self.source = source
        self.message = message
        self.data = data
    }
}

/// Decides which log lines are published: at most 10 lines in any second, and repeated lines as one with their number.
///
/// Does no I/O and owns no timer.
package struct LogRelay: Sendable {
    /// The largest number of lines in any second.
    package static let linesPerSecond = 10
    /// How long repetitions are counted before their number is published.
    package static let patience = Duration.seconds(5)

    /// A line to publish.
    package struct Output: Sendable, Hashable {
        package var line: LogLine
        /// The time of the line; for repetitions, of the last one.
        package var time: Timestamp
        /// The number of repetitions since it was published; `nil` for a new line.
        package var repeats: Int?
        /// The number of lines dropped since the previous output.
        package var dropped: Int
    }

    private var last: LogLine?
    private var repeats = 0
    private var repeatedAt: Timestamp?
    private var tellAt: MonotonicTime?
    private var dropped = 0
    /// The times of the last published lines, oldest first; at most `linesPerSecond`.
    private var published: [MonotonicTime] = []

    package init() {}

    /// When to call `wake`; `nil` when nothing is pending.
    package var deadline: MonotonicTime? { self.tellAt }

    /// Handles a line. Publish the returned lines in this order.
    package mutating func receive(_ line: LogLine, at now: Now) -> [Output] {
        if line == self.last {
            self.repeats += 1
            self.repeatedAt = now.wall
            if self.tellAt == nil { self.tellAt = now.monotonic + Self.patience }
            return []
        }
        var outputs = self.tellRepeats(at: now.monotonic)
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
    package mutating func wake(now: MonotonicTime) -> [Output] {
        guard let tellAt, tellAt <= now else { return [] }
        return self.tellRepeats(at: now)
    }

    private mutating func tellRepeats(at now: MonotonicTime) -> [Output] {
        guard self.repeats > 0, let last, let time = self.repeatedAt else { return [] }
        let repeats = self.repeats
        (self.repeats, self.repeatedAt, self.tellAt) = (0, nil, nil)
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
