import CastModels
import NIOCore

/// The error of framing and transport, declared here for modules that do not import the models.
package typealias CastError = CastModels.CastError

/// Splits a byte stream into the bodies of frames: a 4-byte big-endian length, then that many bytes
/// (openscreen `cast/common/channel/message_framer.cc`).
///
/// Memory grows with the received bytes, never with a length that was only claimed.
package struct CastFrameDecoder: Sendable {
    /// The number of bytes of the length in front of each body.
    package static let headerSize = 4
    /// The longest legal body in bytes; the shortest is 1.
    package static let maximumBodySize = 65_536

    /// The start of an incomplete frame; empty between frames.
    private var partial = ByteBuffer()
    private var hasFailed = false

    package init() {}

    /// Whether a frame has begun and not ended.
    package var isInFrame: Bool { self.partial.readableBytes > 0 }

    /// Reads bytes from `input` up to the end of the next frame; returns its body, or `nil` when `input` is used up.
    ///
    /// A body may share the storage of `input`; use it before the next read.
    /// - Throws: `protocolError` for an illegal length, and in every later call.
    package mutating func nextBody(from input: inout ByteBuffer) throws(CastError) -> ByteBuffer? {
        guard !self.hasFailed else { throw Self.failure }
        if self.partial.readableBytes == 0 {
            if let length = try self.bodySize(in: input), input.readableBytes >= Self.headerSize + length {
                input.moveReaderIndex(forwardBy: Self.headerSize)
                return input.readSlice(length: length)
            }
            self.take(input.readableBytes, from: &input)
            return nil
        }
        self.take(Self.headerSize - self.partial.readableBytes, from: &input)
        guard let length = try self.bodySize(in: self.partial) else { return nil }
        self.take(Self.headerSize + length - self.partial.readableBytes, from: &input)
        guard self.partial.readableBytes == Self.headerSize + length else { return nil }
        var body = self.partial
        self.partial = ByteBuffer()
        body.moveReaderIndex(forwardBy: Self.headerSize)
        return body
    }

    private mutating func bodySize(in buffer: ByteBuffer) throws(CastError) -> Int? {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return nil }
        guard length >= 1, length <= UInt32(Self.maximumBodySize) else {
            self.hasFailed = true
            self.partial = ByteBuffer()
            throw Self.failure
        }
        return Int(length)
    }

    /// Copies up to `count` bytes of `input` into our own storage, because keeping a slice would retain the reader's whole buffer.
    private mutating func take(_ count: Int, from input: inout ByteBuffer) {
        guard count > 0, var slice = input.readSlice(length: min(count, input.readableBytes)), slice.readableBytes > 0 else { return }
        self.partial.writeBuffer(&slice)
    }

    private static let failure = CastError(.protocolError, detail: "a frame claims a length outside 1 to \(maximumBodySize) bytes")
}
