/// What one frame carries: a whole message, or one of several pieces of it (openscreen `cast_channel.proto`, fields 8 and 9).
package struct CastMessagePiece: Sendable, Hashable {
    package var sourceID: String
    package var destinationID: String
    package var namespace: String
    package var content: Content
    /// More pieces of this message follow.
    package var isContinued: Bool
    /// Payload bytes that follow after this piece; `nil` when the sender doesn't count them.
    package var remainingLength: Int?

    package init(
        sourceID: String, destinationID: String, namespace: String, content: Content, isContinued: Bool = false, remainingLength: Int? = nil
    ) {
        self.sourceID = sourceID
        self.destinationID = destinationID
        self.namespace = namespace
        self.content = content
        self.isContinued = isContinued
        self.remainingLength = remainingLength
    }

    package enum Content: Sendable, Hashable {
        case text(String)
        /// Text from the binary slot, or text that is no UTF-8 by itself, as when a piece ends within a character.
        case rawText([UInt8])
        case binary([UInt8])
    }

    /// The whole message this piece is when nothing else belongs to it. Bytes that are no UTF-8 become U+FFFD, so that one cut title
    /// costs a character and not the connection.
    package var message: CastMessage {
        let payload: CastMessage.Payload =
            switch self.content {
            case .text(let text): .text(text)
            case .rawText(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .binary(let bytes): .binary(bytes)
            }
        return CastMessage(sourceID: self.sourceID, destinationID: self.destinationID, namespace: self.namespace, payload: payload)
    }
}
