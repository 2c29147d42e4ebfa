import CastModels

/// Joins the pieces of messages that are longer than a frame. Whole messages pass at no cost.
///
/// No receiver is known to send pieces to a sender of our protocol version; the memory limit guards against malicious ones.
package struct CastMessageAssembler: Sendable {
    /// The largest size of all unfinished messages, in bytes of payload.
    package static let maximumBytes = 1_048_576
    /// The largest number of unfinished messages.
    package static let maximumUnfinished = 8

    private struct Unfinished {
        let sourceID: String
        let destinationID: String
        let namespace: String
        let isText: Bool
        var bytes: [UInt8]
        var remainingLength: Int?

        init(_ first: CastMessagePiece) {
            (self.sourceID, self.destinationID, self.namespace) = (first.sourceID, first.destinationID, first.namespace)
            (self.isText, self.bytes, self.remainingLength) = (first.isText, first.withPayload { Array($0) }, first.remainingLength)
        }

        func isContinued(by piece: CastMessagePiece) -> Bool {
            piece.isIn(self.namespace) && piece.isFrom(self.sourceID) && piece.isFor(self.destinationID)
        }

        var message: CastMessage {
            CastMessage(
                sourceID: self.sourceID, destinationID: self.destinationID, namespace: self.namespace,
                payload: self.isText ? .text(String(decoding: self.bytes, as: UTF8.self)) : .binary(self.bytes))
        }
    }

    private var unfinished: [Unfinished] = []

    package init() {}

    /// Adds the next piece; returns the message that it completes, `nil` when more pieces follow.
    ///
    /// - Throws: `protocolError` when counts contradict each other, `messageTooBig` above a limit; the collected pieces are then dropped.
    package mutating func add(_ piece: CastMessagePiece) throws(CastError) -> CastMessagePiece? {
        let isLast = !piece.isContinued && (piece.remainingLength ?? 0) == 0
        if isLast, self.unfinished.isEmpty { return piece }
        guard let index = self.unfinished.firstIndex(where: { $0.isContinued(by: piece) }) else {
            if isLast { return piece }
            try self.begin(piece)
            return nil
        }
        return try self.extend(at: index, with: piece, isLast: isLast)
    }

    private mutating func begin(_ piece: CastMessagePiece) throws(CastError) {
        guard self.unfinished.count < Self.maximumUnfinished, piece.payloadSize + (piece.remainingLength ?? 0) <= self.room else {
            throw CastError(.messageTooBig, detail: "a message in pieces exceeds \(Self.maximumBytes) bytes")
        }
        self.unfinished.append(Unfinished(piece))
    }

    private mutating func extend(at index: Int, with piece: CastMessagePiece, isLast: Bool) throws(CastError) -> CastMessagePiece? {
        var message = self.unfinished.remove(at: index)
        if let expected = message.remainingLength {
            guard piece.payloadSize <= expected, piece.remainingLength == expected - piece.payloadSize else {
                throw CastError(.protocolError, detail: "pieces of a message do not add up")
            }
        }
        guard message.bytes.count + piece.payloadSize <= self.room else {
            throw CastError(.messageTooBig, detail: "a message in pieces exceeds \(Self.maximumBytes) bytes")
        }
        piece.withPayload { message.bytes += $0 }
        message.remainingLength = piece.remainingLength
        guard isLast else {
            self.unfinished.insert(message, at: index)
            return nil
        }
        return try CastMessagePiece(decoding: message.message.encoded())
    }

    private var room: Int { Self.maximumBytes - self.unfinished.reduce(0) { $0 + $1.bytes.count } }
}
