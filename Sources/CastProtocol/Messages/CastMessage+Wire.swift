import CastModels
import NIOCore

/// The protobuf form of messages: `CastMessage` of openscreen's `cast/common/channel/proto/cast_channel.proto`.
///
/// | Field | Type | |
/// |---|---|---|
/// | 1 `protocol_version` | enum | 0 is what senders send; 3 allows text in field 7 |
/// | 2 `source_id`, 3 `destination_id`, 4 `namespace` | string | required |
/// | 5 `payload_type` | enum | 0 text, 1 binary |
/// | 6 `payload_utf8`, 7 `payload_binary` | string, bytes | one of them |
/// | 8 `continued` | bool | more pieces of this message follow |
/// | 9 `remaining_length` | uint32 | payload bytes after this piece |
extension CastMessage {
    /// The serialized message, protocol version 0.
    package func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        self.write(to: &writer)
        return writer.buffer.readableArray
    }

    func write(to writer: inout ProtobufWriter) {
        writer.write(1, 0)
        writer.write(2, self.sourceID)
        writer.write(3, self.destinationID)
        writer.write(4, self.namespace)
        switch self.payload {
        case .text(let text):
            writer.write(5, 0)
            writer.write(6, text)
        case .binary(let bytes):
            writer.write(5, 1)
            writer.write(7, bytes)
        }
    }
}

extension CastMessagePiece {
    /// Reads the body of one frame. Unknown fields, unknown protocol versions and unknown payload types are no error.
    ///
    /// - Throws: `protocolError` when `body` is no protobuf, or names no source, destination or namespace.
    package init(decoding body: ByteBuffer) throws(CastError) {
        var (sourceID, destinationID, namespace): (String?, String?, String?)
        var (text, binary): (ByteBuffer?, ByteBuffer?)
        var isText: Bool?
        var isContinued = false
        var remainingLength: Int?
        do throws(ProtobufReader.Malformed) {
            var reader = ProtobufReader(body)
            while let field = try reader.next() {
                switch field {
                case (2, .bytes(let bytes)): sourceID = try bytes.name()
                case (3, .bytes(let bytes)): destinationID = try bytes.name()
                case (4, .bytes(let bytes)): namespace = try bytes.name()
                case (5, .number(let type)): if type <= 1 { isText = type == 0 }
                case (6, .bytes(let bytes)): text = bytes
                case (7, .bytes(let bytes)): binary = bytes
                case (8, .number(let number)): isContinued = number != 0
                case (9, .number(let number)): remainingLength = Int(UInt32(truncatingIfNeeded: number))
                default: break
                }
            }
        } catch {
            throw CastError(.protocolError, detail: "a frame is not a CastMessage")
        }
        guard let sourceID, let destinationID, let namespace else {
            throw CastError(.protocolError, detail: "a message lacks its source, destination or namespace")
        }
        let content: Content
        // The payload type of a later protocol version is seen from the field that is there.
        if isText ?? (text != nil) {
            if let text {
                // A piece may end within a character.
                content = text.validated.map(Content.text) ?? .rawText(text.readableArray)
            } else {
                content = .rawText(binary?.readableArray ?? [])
            }
        } else {
            content = .binary((binary ?? text)?.readableArray ?? [])
        }
        self.init(
            sourceID: sourceID, destinationID: destinationID, namespace: namespace, content: content, isContinued: isContinued,
            remainingLength: remainingLength)
    }

    /// Reads the body of one frame.
    ///
    /// - Throws: as `init(decoding:)` of a buffer.
    package init(decoding body: [UInt8]) throws(CastError) { try self.init(decoding: ByteBuffer(bytes: body)) }
}

extension ByteBuffer {
    /// The bytes as text; `nil` when they are no UTF-8.
    fileprivate var validated: String? { String(validating: self.readableBytesView, as: UTF8.self) }

    fileprivate func name() throws(ProtobufReader.Malformed) -> String {
        guard let validated else { throw ProtobufReader.Malformed() }
        return validated
    }
}
