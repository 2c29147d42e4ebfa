import NIOCore
import NIOEmbedded
import Testing

@testable import Dashboard

@Suite("The guard of a connection") struct ConnectionGuardTests {
    @Test("writes large answers in pieces, and closes when they stop leaving")
    func pieces() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionGuard(.init(), now: channel.embeddedEventLoop.now) {})
        channel.connect(to: try SocketAddress(ipAddress: "192.0.2.1", port: 1), promise: nil)
        for event in [ConnectionClock.Event.requestBegan(hasBody: false), .answering(isStream: false)] {
            channel.triggerUserOutboundEvent(event, promise: nil)
        }
        let answer = ByteBuffer(repeating: 1, count: 200 << 10)
        channel.write(answer, promise: nil)
        channel.triggerUserOutboundEvent(ConnectionClock.Event.answered, promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        // Longer than an answer may take, had nothing left.
        channel.flush()
        channel.embeddedEventLoop.advanceTime(by: .seconds(59))
        #expect(channel.isActive)
        var sizes: [Int] = []
        while let piece = try channel.readOutbound(as: ByteBuffer.self) { sizes.append(piece.readableBytes) }
        #expect(sizes == [64 << 10, 64 << 10, 64 << 10, 8 << 10])
        channel.triggerUserOutboundEvent(ConnectionClock.Event.requestBegan(hasBody: false), promise: nil)
        channel.triggerUserOutboundEvent(ConnectionClock.Event.answering(isStream: false), promise: nil)
        channel.write(answer, promise: nil)
        channel.triggerUserOutboundEvent(ConnectionClock.Event.answered, promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(30))
        #expect(!channel.isActive)
    }
}
