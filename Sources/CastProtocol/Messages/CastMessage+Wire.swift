import CastModels
import NIOCore
import SwiftProtobuf

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CastMessage {
    /// The serialized `CastMessage` of openscreen's `cast_channel.proto`, protocol version 0.
    package func encoded() throws(CastError) -> [UInt8] {
        var wire = WireCastMessage()
        wire.protocolVersion = .castv210
        wire.sourceID = self.sourceID
        wire.destinationID = self.destinationID
        wire.namespace = self.namespace
        switch self.payload {
        case .text(let text):
            wire.payloadType = .string
            wire.payloadUtf8 = text
        case .binary(let bytes):
            wire.payloadType = .binary
            wire.payloadBinary = Data(bytes)
        }
        do { return try wire.serializedBytes() } catch { throw CastError(.invalidRequest, detail: "the message can't be serialized") }
    }
}

extension CastMessagePiece {
    /// Reads the body of one frame. Unknown fields, unknown protocol versions and unknown payload types are no error.
    ///
    /// - Throws: `protocolError` when `body` is no protobuf, or names no source, destination or namespace.
    package init(decoding body: ByteBuffer) throws(CastError) {
        if let plain = body.withUnsafeReadableBytes({ Self(plain: $0) }) {
            self = plain
        } else {
            try self.init(byGeneratedCode: body)
        }
    }

    /// The same by the generated code alone, which knows all that a message may be.
    init(byGeneratedCode body: ByteBuffer) throws(CastError) {
        let result: Result<WireCastMessage, CastError> = body.withUnsafeReadableBytes { bytes in
            do { return .success(try Self.wire(bytes)) } catch {
                return .failure(CastError(.protocolError, detail: "a frame is not a CastMessage"))
            }
        }
        try self.init(try result.get())
    }

    /// Reads the body of one frame.
    ///
    /// - Throws: as `init(decoding:)` of a buffer.
    package init(decoding body: [UInt8]) throws(CastError) { try self.init(decoding: ByteBuffer(bytes: body)) }

    private init(_ wire: WireCastMessage) throws(CastError) {
        guard wire.hasSourceID, wire.hasDestinationID, wire.hasNamespace else {
            throw CastError(.protocolError, detail: "a message lacks its source, destination or namespace")
        }
        // A payload type of a later protocol version is told by the slot that is filled.
        let isText = wire.hasPayloadType ? wire.payloadType == .string : wire.hasPayloadUtf8
        let content: Content =
            switch (isText, wire.hasPayloadUtf8) {
            case (true, true): .text(wire.payloadUtf8)
            case (true, false): .rawText(Array(wire.payloadBinary))
            case (false, true) where !wire.hasPayloadBinary: .binary(Array(wire.payloadUtf8.utf8))
            case (false, _): .binary(Array(wire.payloadBinary))
            }
        self.init(
            sourceID: wire.sourceID, destinationID: wire.destinationID, namespace: wire.namespace, content: content,
            isContinued: wire.continued, remainingLength: wire.hasRemainingLength ? Int(wire.remainingLength) : nil)
    }

    private static func wire(_ bytes: UnsafeRawBufferPointer) throws -> WireCastMessage {
        do {
            return try WireCastMessage(serializedBytes: bytes.bytes, partial: true)
        } catch BinaryDecodingError.invalidUTF8 {
            // Text cut within a character, by an application or between two pieces. The binary slot takes the same bytes unchecked.
            guard let moved = ProtobufFields.moving(.payloadText, to: .payloadBinary, in: bytes) else {
                throw BinaryDecodingError.invalidUTF8
            }
            return try WireCastMessage(serializedBytes: moved, partial: true)
        }
    }
}
