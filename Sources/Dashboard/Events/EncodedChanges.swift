import NIOCore

/// Changes and events after a number each, up to the newest ones, encoded once for all readers that are as far. Pure.
struct EncodedChanges {
    /// Most that are kept: readers name any number as the last one that they have.
    static let maximumCount = 64

    private var frames: [EventStreams.News: ByteBuffer] = [:]

    subscript(news: EventStreams.News) -> ByteBuffer? { self.frames[news] }

    /// Keeps a text until there is something newer, if there is room.
    mutating func keep(_ frame: ByteBuffer, of news: EventStreams.News) {
        if self.frames.count < Self.maximumCount { self.frames[news] = frame }
    }

    /// There is a newer change or event.
    mutating func removeAll() { self.frames = [:] }
}
