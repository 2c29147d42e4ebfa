import HummingbirdCore
import NIOCore

/// Writes large answers so that no more of them waits in memory than one piece and what the connection buffers.
enum BodyPieces {
    /// Bytes of a piece.
    static let size = 64 << 10
}

extension ResponseBodyWriter {
    /// Writes a buffer in pieces, each when the connection has taken the ones before it.
    /// - Parameters:
    ///   - channel: the connection.
    ///   - isPieceWritten: called after each piece but the last.
    mutating func writePieces(
        of buffer: ByteBuffer, to channel: any Channel, isPieceWritten: () async -> Void = {}
    ) async throws {
        var buffer = buffer
        while buffer.readableBytes > BodyPieces.size, let piece = buffer.readSlice(length: BodyPieces.size) {
            try await self.write(piece)
            // A write reaches the event loop later. Only then is it known whether the connection takes more, which the next write waits for.
            try await channel.eventLoop.submit {}.get()
            await isPieceWritten()
        }
        try await self.write(buffer)
    }
}

extension ResponseBody {
    /// A body that is written in pieces.
    /// - Parameter owner: lives until the body is written or given up.
    init(piecesOf buffer: ByteBuffer, to channel: any Channel, owner: (any AnyObject & Sendable)? = nil) {
        self.init(contentLength: buffer.readableBytes) { writer in
            try await writer.writePieces(of: buffer, to: channel)
            try await writer.finish(nil)
            withExtendedLifetime(owner) {}
        }
    }
}
