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
    /// Returns the serialized message, protocol version 0.
    package func encoded() -> [UInt8] {
        var writer = ProtobufWriter()
        self.write(to: &writer)
        return writer.bytes
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
