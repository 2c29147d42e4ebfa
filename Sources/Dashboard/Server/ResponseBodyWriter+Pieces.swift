import HummingbirdCore
import NIOCore

/// Large responses are written in pieces, so that at most one piece waits besides the connection's own buffer.
enum BodyPieces {
    /// The size of a piece, in bytes.
    static let size = 64 << 10
}

extension ResponseBodyWriter {
    /// Writes a buffer in pieces. Each piece waits until the connection can accept it.
    /// - Parameters:
    ///   - channel: the connection.
    ///   - onPieceWritten: called after each piece but the last.
    mutating func writePieces(
        of buffer: ByteBuffer, to channel: any Channel, onPieceWritten: () async -> Void = {}
    ) async throws {
        var buffer = buffer
        while buffer.readableBytes > BodyPieces.size, let piece = buffer.readSlice(length: BodyPieces.size) {
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
