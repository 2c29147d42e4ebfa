import NIOCore

/// What changed after a number, up to the newest change, encoded once for all readers at that number. Pure.
struct EncodedChanges {
    /// Most that are kept: readers name any number as the last one that they have.
    static let maximumCount = 64

    private var frames: [UInt64: ByteBuffer] = [:]

    subscript(sequence: UInt64) -> ByteBuffer? { self.frames[sequence] }

    /// Keeps a text until the next change, if there is room.
    mutating func keep(_ frame: ByteBuffer, since sequence: UInt64) {
        if self.frames.count < Self.maximumCount { self.frames[sequence] = frame }
    }

    /// There is a newer change.
    mutating func removeAll() { self.frames = [:] }
}
