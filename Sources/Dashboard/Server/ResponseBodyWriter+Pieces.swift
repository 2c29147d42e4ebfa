import HummingbirdCore
import NIOCore

extension ResponseBodyWriter {
    /// Writes a buffer in pieces of 64 KiB, so that at most one waits besides the connection's own buffer. Each piece waits until the
    /// connection can accept it.
    /// - Parameters:
    ///   - channel: the connection.
    ///   - onPieceWritten: called after each piece but the last.
    mutating func writePieces(
        of buffer: ByteBuffer, to channel: any Channel, onPieceWritten: () async -> Void = {}
    ) async throws {
        var buffer = buffer
        while buffer.readableBytes > 64 << 10, let piece = buffer.readSlice(length: 64 << 10) {
            try await self.write(piece)
            // `write` only passes the piece to the event loop. Once it has run there, the channel knows whether it is still writable, and
            // the next `write` waits until it is.
            try await channel.eventLoop.submit {}.get()
            await onPieceWritten()
        }
        try await self.write(buffer)
    }
}

extension ResponseBody {
    /// Returns a body that is written in pieces.
    /// - Parameter owner: retained until the body is written or discarded.
    init(piecesOf buffer: ByteBuffer, to channel: any Channel, owner: (any AnyObject & Sendable)? = nil) {
        self.init(contentLength: buffer.readableBytes) { writer in
            try await writer.writePieces(of: buffer, to: channel)
            try await writer.finish(nil)
            withExtendedLifetime(owner) {}
        }
    }
}
