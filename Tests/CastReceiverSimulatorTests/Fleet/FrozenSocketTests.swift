import CastProtocol
import CastTransport
import NIOCore
import NIOEmbedded
import Testing

@testable import CastReceiverSimulator

@Suite("A frozen socket")
struct FrozenSocketTests {
    @Test("keeps 256 messages for the time after, and breaks off when there were more", arguments: [(256, true), (257, false)])
    func messages(count: Int, isSent: Bool) throws {
        let gate = SocketGate(isShut: false)
        let channel = EmbeddedChannel(handlers: [gate, CastFrameHandler()])
        channel.pipeline.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let sockets = CastSockets()
        let id = sockets.add(channel, gate: gate, certificateDER: [])
        sockets.freeze(cutting: nil)
        for _ in 0..<count {
            sockets.write(CastMessage(sourceID: "a", destinationID: "b", namespace: "n", payload: .text("x")), on: id)
        }
        sockets.flush()
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        sockets.thaw()
        var sent = 0
        while try channel.readOutbound(as: ByteBuffer.self) != nil { sent += 1 }
        #expect(sent == (isSent ? count : 0) && channel.isActive == isSent)
        _ = try? channel.finish()
    }

    @Test("sends 256 KiB when it opens, and breaks off when it was to send more", arguments: [(262_144, true), (262_145, false)])
    func bytes(count: Int, isSent: Bool) throws {
        let gate = SocketGate(isShut: true)
        let channel = EmbeddedChannel(handler: gate)
        channel.pipeline.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        for size in [1000, count - 1000] { channel.writeAndFlush(ByteBuffer(repeating: 0, count: size), promise: nil) }
        #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
        gate.open()
        #expect(try channel.readOutbound(as: ByteBuffer.self)?.readableBytes == (isSent ? 1000 : nil))
        #expect(channel.isActive == isSent)
        _ = try? channel.finish()
    }
}
