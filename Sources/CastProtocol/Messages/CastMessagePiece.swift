import CastModels
import NIOCore

/// The content of one frame, read in place: a whole message, or one of several pieces of it (openscreen `cast_channel.proto`, fields 8 and
/// 9).
///
/// It shares the storage of the frame, so keeping it retains the whole buffer of that read.
package struct CastMessagePiece: Sendable {
    /// The body of the frame.
    private let body: ByteBuffer
    // The positions of its parts, from the first readable byte.
    private let source: Range<Int>
    private let destination: Range<Int>
    private let namespaceRange: Range<Int>
    private let payload: Range<Int>
    /// Whether the payload is text; one that is not UTF-8 by itself may be a piece that ends within a character.
    package let isText: Bool
    /// Whether more pieces of this message follow.
    package let isContinued: Bool
    /// The number of payload bytes after this piece; `nil` when the sender does not report it.
    package let remainingLength: Int?

    /// Parses the body of one frame. Unknown fields, protocol versions and payload types are no errors.
    ///
    /// - Throws: `protocolError` when `body` is not protobuf, or lacks source, destination or namespace.
    package init(decoding body: ByteBuffer) throws(CastError) {
        var (source, destination, namespace): (Range<Int>?, Range<Int>?, Range<Int>?)
        var (text, binary): (Range<Int>?, Range<Int>?)
        var isText: Bool?
        var isContinued = false
        var remainingLength: Int?
        let bytes = body.readableBytesUInt8Span
        do throws(ProtobufReader.Malformed) {
            var reader = ProtobufReader(0..<bytes.count)
            while let (number, value) = try reader.next(in: bytes) {
                switch (number, value) {
                case (2, .bytes(let range)): source = try Self.name(at: range, in: bytes)
                case (3, .bytes(let range)): destination = try Self.name(at: range, in: bytes)
                case (4, .bytes(let range)): namespace = try Self.name(at: range, in: bytes)
                case (5, .number(let type)): if type <= 1 { isText = type == 0 }
                case (6, .bytes(let range)): text = range
                case (7, .bytes(let range)): binary = range
                case (8, .number(let number)): isContinued = number != 0
                case (9, .number(let number)): remainingLength = Int(UInt32(truncatingIfNeeded: number))
                default: break
                }
            }
        } catch {
            throw CastError(.protocolError, detail: "a frame is not a CastMessage")
        }
        guard let source, let destination, let namespace else {
            throw CastError(.protocolError, detail: "a message lacks its source, destination or namespace")
        }
        self.body = body
        (self.source, self.destination, self.namespaceRange) = (source, destination, namespace)
        // The payload type of a later protocol version follows from the field that is present.
        self.isText = isText ?? (text != nil)
        self.payload = (self.isText ? text ?? binary : binary ?? text) ?? 0..<0
        (self.isContinued, self.remainingLength) = (isContinued, remainingLength)
    }

    /// Parses the body of one frame.
    ///
    /// - Throws: as `init(decoding:)` of a buffer.
    package init(decoding body: [UInt8]) throws(CastError) { try self.init(decoding: ByteBuffer(bytes: body)) }

    /// - Throws: for a name that is not UTF-8.
    private static func name(at range: Range<Int>, in bytes: Span<UInt8>) throws(ProtobufReader.Malformed) -> Range<Int> {
        do { _ = try UTF8Span(validating: bytes.extracting(range)) } catch { throw ProtobufReader.Malformed() }
        return range
    }
}

extension CastMessagePiece {
    package var sourceID: String { self.text(at: self.source) }
    package var destinationID: String { self.text(at: self.destination) }
    package var namespace: String { self.text(at: self.namespaceRange) }

    package func isFrom(_ sourceID: String) -> Bool { self.isEqual(sourceID, self.source) }
    package func isFor(_ destinationID: String) -> Bool { self.isEqual(destinationID, self.destination) }
    package func isIn(_ namespace: String) -> Bool { self.isEqual(namespace, self.namespaceRange) }

    package func hasPayload(_ text: String) -> Bool { self.isEqual(text, self.payload) }

    package var payloadSize: Int { self.payload.count }

    /// Calls `body` with the bytes of the payload, which are valid until it returns.
    package func withPayload<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try self.body.readableBytesSpan.extracting(self.payload).withUnsafeBytes(body)
    }

    /// The message, if this piece is a whole one. Bytes that are not UTF-8 become U+FFFD, so that a truncated title costs a character and
    /// not the connection.
    package var message: CastMessage {
        let payload: CastMessage.Payload = self.isText ? .text(self.text(at: self.payload)) : .binary(self.withPayload { Array($0) })
        return CastMessage(sourceID: self.sourceID, destinationID: self.destinationID, namespace: self.namespace, payload: payload)
    }

    private func text(at range: Range<Int>) -> String {
        self.body.getString(at: self.body.readerIndex + range.lowerBound, length: range.count) ?? ""
    }

    private func isEqual(_ text: String, _ range: Range<Int>) -> Bool {
        guard text.utf8.count == range.count else { return false }
        return text.utf8Span.span.withUnsafeBytes { text in
            self.body.readableBytesSpan.extracting(range).withUnsafeBytes { hasSameBytes($0, text) }
        }
    }
}
