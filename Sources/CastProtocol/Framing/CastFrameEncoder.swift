import CastModels
import NIOCore

/// Builds frames: the reverse of `CastFrameDecoder`.
package enum CastFrameEncoder {
    /// Returns the frame of `message`.
    ///
    /// - Throws: `messageTooBig` above 64 KiB; a message is never truncated.
    package static func frame(_ message: CastMessage, allocator: ByteBufferAllocator = ByteBufferAllocator()) throws(CastError)
        -> ByteBuffer
    {
        var writer = ProtobufWriter(allocator.buffer(capacity: CastFrameDecoder.headerSize + message.capacity))
        writer.buffer.writeInteger(UInt32(0))
        message.write(to: &writer)
        let size = writer.buffer.readableBytes - CastFrameDecoder.headerSize
        guard size <= CastFrameDecoder.maximumBodySize else {
            throw CastError(.messageTooBig, detail: "\(size) bytes, a frame holds \(CastFrameDecoder.maximumBodySize)")
        }
        writer.buffer.setInteger(UInt32(size), at: writer.buffer.readerIndex)
        return writer.buffer
    }
}

extension CastMessage {
    /// The largest size of its frame, in bytes.
    fileprivate var capacity: Int {
        let payload =
            switch self.payload {
            case .text(let text): text.utf8.count
            case .binary(let bytes): bytes.count
            }
        return 64 + self.sourceID.utf8.count + self.destinationID.utf8.count + self.namespace.utf8.count + payload
    }
}
