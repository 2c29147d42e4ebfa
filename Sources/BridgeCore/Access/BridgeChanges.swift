import CastModels

/// The changes since a reader last asked.
public struct BridgeChanges: Sendable, Hashable {
    /// Each topic once, sorted by topic.
    public var documents: [DocumentChange] = []
    /// Whether `documents` are complete: a topic that is not among them was removed.
    public var isWhole = false
    /// In the order in which they happened.
    public var events: [DirectEvent] = []
    /// The number of events that were dropped before these.
    public var missedEvents = 0
    /// Lines of the log, oldest first.
    public var log: [LogEntry] = []
    /// The number of lines that were dropped before these.
    public var missedLogLines = 0
}

/// A retained document as it is now.
public struct DocumentChange: Sendable, Hashable {
    /// Below the base: `living-room/state`.
    public var topic: String
    /// JSON text, a plain word as a JSON string; `nil` when the document was removed.
    public var value: [UInt8]?

    public init(topic: String, value: [UInt8]?) { (self.topic, self.value) = (topic, value) }
}

/// An event of a device or of the bridge, which is not retained.
public struct DirectEvent: Sendable, Hashable {
    /// Below the base: `living-room/event`.
    public var topic: String
    /// JSON text.
    public var payload: [UInt8]

    public init(topic: String, payload: [UInt8]) { (self.topic, self.payload) = (topic, payload) }
}

/// A line of the log with the time at which it was written.
public struct LogEntry: Sendable, Hashable {
    public var line: LogLine
    public var time: Timestamp

    public init(line: LogLine, time: Timestamp) { (self.line, self.time) = (line, time) }

    /// Returns whether a reader asked for the line.
    /// - Parameters:
    ///   - level: the lowest level.
    ///   - component: a label, or the name of the type behind its last dot; `nil` matches all.
    public func matches(from level: LogLevel, of component: GlobPattern?) -> Bool {
        guard self.line.level >= level else { return false }
        guard let component else { return true }
        let label = self.line.source
        let type = label.lastIndex(of: ".").map { String(label[label.index(after: $0)...]) } ?? label
        return component.matches(label) || component.matches(type)
    }

    /// The line as JSON, with the members that it has on `bridge/log`.
    public var json: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        self.line.write(at: self.time, to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
