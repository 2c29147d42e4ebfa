import HummingbirdCore
import NIOCore

/// Writes large answers so that at most one piece and the connection's buffer are in memory.
enum BodyPieces {
    /// The size of a piece, in bytes.
    static let size = 64 << 10
}

extension ResponseBodyWriter {
    /// Writes a buffer in pieces, each when the connection has accepted the previous ones.
    /// - Parameters:
    ///   - channel: the connection.
    ///   - isPieceWritten: called after each piece but the last.
    mutating func writePieces(
        of buffer: ByteBuffer, to channel: any Channel, isPieceWritten: () async -> Void = {}
    ) async throws {
        var buffer = buffer
        while buffer.readableBytes > BodyPieces.size, let piece = buffer.readSlice(length: BodyPieces.size) {
            try await self.write(piece)
            // A write reaches the event loop later. Only then it is known whether the connection accepts more, and the next write waits for
            // that.
            try await channel.eventLoop.submit {}.get()
            await isPieceWritten()
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
