import NIOCore

/// The changes and events between a number each and the newest ones, encoded once for all readers at these numbers, and all documents. Pure.
struct EncodedChanges {
    /// The most entries to keep. Bounded because readers may name any number as the last one that they received.
    static let maximumCount = 64

    private var frames: [EventStreams.News: ByteBuffer] = [:]
    private var snapshot: EventText.Snapshot?

    subscript(news: EventStreams.News) -> ByteBuffer? { self.frames[news] }

    /// Keeps a text until there is something newer, if there is room.
    mutating func keep(_ frame: ByteBuffer, of news: EventStreams.News) {
        if self.frames.count < Self.maximumCount { self.frames[news] = frame }
    }

    /// Returns all documents; they are encoded once.
    mutating func snapshot(_ encode: () -> EventText.Snapshot) -> EventText.Snapshot {
        let snapshot = self.snapshot ?? encode()
        self.snapshot = snapshot
        return snapshot
    }

    /// Removes all entries, because there is a newer event, and the snapshot when there is a newer change.
    mutating func removeAll(withSnapshot: Bool = true) {
        self.frames = [:]
        if withSnapshot { self.snapshot = nil }
    }
}
