import CastModels
import NIOCore

/// Makes frames: the reverse of `CastFrameDecoder`.
package enum CastFrameEncoder {
    /// The frame of `message`.
    ///
    /// - Throws: `messageTooBig` above 64 KiB; nothing is ever cut.
    package static func frame(_ message: CastMessage, allocator: ByteBufferAllocator = ByteBufferAllocator()) throws(CastError)
        -> ByteBuffer
    {
        let body = try message.encoded()
        guard body.count <= CastFrameDecoder.maximumBodySize else {
            throw CastError(.messageTooBig, detail: "\(body.count) bytes, a frame holds \(CastFrameDecoder.maximumBodySize)")
        }
        var frame = allocator.buffer(capacity: CastFrameDecoder.headerSize + body.count)
        frame.writeInteger(UInt32(body.count))
        frame.writeBytes(body)
        return frame
    }
}
