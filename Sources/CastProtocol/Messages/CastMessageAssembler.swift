import CastModels

/// Joins the pieces of messages that are longer than a frame. Whole messages pass at no cost.
///
/// No receiver is known to send pieces to a sender of our protocol version; memory is bounded as if one did so in bad faith.
package struct CastMessageAssembler: Sendable {
    /// Payload bytes kept at a time, over all unfinished messages.
    package static let maximumBytes = 1_048_576
    /// Messages unfinished at a time.
    package static let maximumUnfinished = 8

    private struct Unfinished {
        var first: CastMessagePiece
        var bytes: [UInt8]
        var isText: Bool
        var remainingLength: Int?
    }

    private var unfinished: [Unfinished] = []

    package init() {}

    /// Takes the next piece; returns the message it completes, `nil` when more is to come.
    ///
    /// - Throws: `protocolError` when counts contradict each other, `messageTooBig` above a bound; what was gathered is forgotten.
    package mutating func add(_ piece: CastMessagePiece) throws(CastError) -> CastMessage? {
        let isLast = !piece.isContinued && (piece.remainingLength ?? 0) == 0
        if isLast, self.unfinished.isEmpty { return piece.message }
        guard let index = self.unfinished.firstIndex(where: { $0.first.isSameMessage(as: piece) }) else {
            if isLast { return piece.message }
            try self.begin(piece)
            return nil
        }
        return try self.extend(at: index, with: piece, isLast: isLast)
    }

    private mutating func begin(_ piece: CastMessagePiece) throws(CastError) {
        var first = piece
        let bytes = first.takeBytes()
        guard self.unfinished.count < Self.maximumUnfinished, bytes.count + (piece.remainingLength ?? 0) <= self.room else {
            throw CastError(.messageTooBig, detail: "a message in pieces exceeds \(Self.maximumBytes) bytes")
        }
        self.unfinished.append(Unfinished(first: first, bytes: bytes, isText: piece.isText, remainingLength: piece.remainingLength))
    }

    private mutating func extend(at index: Int, with piece: CastMessagePiece, isLast: Bool) throws(CastError) -> CastMessage? {
        var message = self.unfinished.remove(at: index)
        var piece = piece
        let bytes = piece.takeBytes()
        if let expected = message.remainingLength {
            guard bytes.count <= expected, piece.remainingLength == expected - bytes.count else {
                throw CastError(.protocolError, detail: "pieces of a message do not add up")
            }
        }
        guard message.bytes.count + bytes.count <= self.room else {
            throw CastError(.messageTooBig, detail: "a message in pieces exceeds \(Self.maximumBytes) bytes")
        }
        message.bytes += bytes
        message.remainingLength = piece.remainingLength
        guard isLast else {
            self.unfinished.insert(message, at: index)
            return nil
        }
        message.first.content = message.isText ? .rawText(message.bytes) : .binary(message.bytes)
        return message.first.message
    }

    private var room: Int { Self.maximumBytes - self.unfinished.reduce(0) { $0 + $1.bytes.count } }
}

extension CastMessagePiece {
    fileprivate func isSameMessage(as other: Self) -> Bool {
        self.namespace == other.namespace && self.sourceID == other.sourceID && self.destinationID == other.destinationID
    }

    fileprivate var isText: Bool {
        if case .binary = self.content { false } else { true }
    }

    /// Moves the payload out, so that no second copy of it stays behind.
    fileprivate mutating func takeBytes() -> [UInt8] {
        let content = self.content
        self.content = .binary([])
        switch content {
        case .text(let text): return Array(text.utf8)
        case .rawText(let bytes), .binary(let bytes): return bytes
        }
    }
}
