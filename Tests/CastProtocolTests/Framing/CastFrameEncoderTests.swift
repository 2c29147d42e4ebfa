import CastModels
import NIOCore
import Testing

@testable import CastProtocol

@Suite("Frame encoder")
struct CastFrameEncoderTests {
    @Test("a ping is the 88 bytes every receiver knows")
    func ping() throws {
        let message = CastMessage(
            sourceID: "sender-0", destinationID: "receiver-0", namespace: CastNamespace.heartbeat, payload: .text(#"{"type":"PING"}"#))
        var wanted: [UInt8] = [0, 0, 0, 0x54, 8, 0, 0x12, 8]
        wanted += Array("sender-0".utf8) + [0x1A, 10] + Array("receiver-0".utf8) + [0x22, 0x27]
        wanted += Array("urn:x-cast:com.google.cast.tp.heartbeat".utf8) + [0x28, 0, 0x32, 15] + Array(#"{"type":"PING"}"#.utf8)
        #expect(Array(try CastFrameEncoder.frame(message).readableBytesView) == wanted)
    }

    @Test("a body of 65536 bytes is sent and one more byte is refused")
    func largest() throws {
        func message(_ count: Int) -> CastMessage {
            CastMessage(sourceID: "s", destinationID: "d", namespace: "n", payload: .binary([UInt8](repeating: 1, count: count)))
        }
        // Two enumerations of 2 bytes, three names of 3, and the payload's tag and 3-byte length.
        let overhead = 2 + 2 + 3 * 3 + 4
        let frame = try CastFrameEncoder.frame(message(65_536 - overhead))
        #expect(frame.readableBytes == 4 + 65_536)
        #expect(throws: CastError(.messageTooBig, detail: "65537 bytes, a frame holds 65536")) {
            try CastFrameEncoder.frame(message(65_537 - overhead))
        }
    }
}
