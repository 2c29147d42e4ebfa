import CastModels

/// Keeps what changed until its reader asks: of each document the newest value, and a bounded number of events and log lines.
///
/// Nothing is handed out before every document has been put in once.
public struct ChangeMailbox: Sendable {
    /// Most documents that wait. A reader that lets more gather is cut off.
    public static let maximumDocuments = 65_536
    /// Most events that wait; beyond it the oldest is dropped and counted.
    public static let maximumEvents = 256
    /// Most log lines that wait; beyond it the oldest is dropped and counted.
    public static let maximumLogLines = 256

    private var documents: [String: [UInt8]?] = [:]
    private var waiting = BridgeChanges()
    private var phase = Phase.filling

    private enum Phase { case filling, whole, partial }

    public init() {}

    /// Whether so much waits that the reader has to begin again.
    public var isOverfull: Bool { self.documents.count > Self.maximumDocuments }

    public mutating func put(_ changes: some Sequence<DocumentChange>) {
        for change in changes { self.documents.updateValue(change.value, forKey: change.topic) }
    }

    public mutating func put(_ event: DirectEvent) {
        if self.waiting.events.count >= Self.maximumEvents {
            self.waiting.events.removeFirst()
            self.waiting.missedEvents += 1
        }
        self.waiting.events.append(event)
    }

    public mutating func put(_ entry: LogEntry) {
        if self.waiting.log.count >= Self.maximumLogLines {
            self.waiting.log.removeFirst()
            self.waiting.missedLogLines += 1
        }
        self.waiting.log.append(entry)
    }

    /// Every document has been put in.
    public mutating func complete() { if self.phase == .filling { self.phase = .whole } }

    /// - Returns: what waits, once; `nil` when nothing does.
    public mutating func take() -> BridgeChanges? {
        guard self.phase != .filling else { return nil }
        let isWhole = self.phase == .whole
        guard isWhole || !self.documents.isEmpty || !self.waiting.events.isEmpty || !self.waiting.log.isEmpty else { return nil }
        var changes = self.waiting
        changes.isWhole = isWhole
        changes.documents = self.documents.map { DocumentChange(topic: $0.key, value: $0.value) }.sorted { $0.topic < $1.topic }
        if isWhole { changes.documents.removeAll { $0.value == nil } }
        self.documents = [:]
        self.waiting = BridgeChanges()
        self.phase = .partial
        return changes
    }
}
