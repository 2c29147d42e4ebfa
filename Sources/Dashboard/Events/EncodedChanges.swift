import NIOCore

/// The changes between a number and the newest change, encoded once for all readers at that number. Pure.
struct EncodedChanges {
    /// The most entries to keep. Bounded because readers may name any number as the last one that they received.
    static let maximumCount = 64

    private var frames: [UInt64: ByteBuffer] = [:]

    subscript(sequence: UInt64) -> ByteBuffer? { self.frames[sequence] }

    /// Keeps a text until the next change, if there is room.
    mutating func keep(_ frame: ByteBuffer, since sequence: UInt64) {
        if self.frames.count < Self.maximumCount { self.frames[sequence] = frame }
    }

    /// Removes all entries, because there is a newer change.
    mutating func removeAll() { self.frames = [:] }
}
