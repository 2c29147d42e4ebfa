import CastProtocol
import NIOCore
import NIOEmbedded
import Testing

@testable import CastReceiverSimulator

@Suite("A frozen socket")
struct FrozenSocketTests {
    @Test("keeps 256 messages for the time after, and knows of more")
    func messages() {
        var socket = CastSocket(channel: EmbeddedChannel(), gate: SocketGate(isShut: true), certificateDER: [])
        let message = CastMessage(sourceID: "a", destinationID: "b", namespace: "n", payload: .text("x"))
        for _ in 0..<256 { socket.hold(message) }
        #expect(socket.held.count == 256 && !socket.hasOverflowed)
        socket.hold(message)
        #expect(socket.held.count == 256 && socket.hasOverflowed)
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
