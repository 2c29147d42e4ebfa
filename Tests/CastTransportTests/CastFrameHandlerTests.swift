import CastProtocol
import CastTransport
import NIOCore
import NIOEmbedded
import Testing

@Suite("Frame handler")
struct CastFrameHandlerTests {
    private static func message(_ text: String) -> CastMessage {
        CastMessage(sourceID: "sender-0", destinationID: "receiver-0", namespace: CastNamespace.receiver, payload: .text(text))
    }

    private static func channel(_ more: any ChannelHandler...) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(CastFrameHandler())
        for handler in more { try channel.pipeline.syncOperations.addHandler(handler) }
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 8009)).wait()
        return channel
    }

    @Test("messages of one read and of several reads come out in order")
    func inbound() throws {
        let channel = try Self.channel()
        var bytes = try CastFrameEncoder.frame(Self.message("1"))
        bytes.writeImmutableBuffer(try CastFrameEncoder.frame(Self.message("2")))
        let third = try CastFrameEncoder.frame(Self.message("3"))
        bytes.writeImmutableBuffer(third.getSlice(at: 0, length: 10) ?? ByteBuffer())
        try channel.writeInbound(bytes)
        #expect(try channel.readInbound(as: CastMessage.self)?.text == "1")
        #expect(try channel.readInbound(as: CastMessage.self)?.text == "2")
        #expect(try channel.readInbound(as: CastMessage.self) == nil)
        try channel.writeInbound(third.getSlice(at: 10, length: third.readableBytes - 10) ?? ByteBuffer())
        #expect(try channel.readInbound(as: CastMessage.self)?.text == "3")
        _ = try channel.finish()
    }

    @Test("a message becomes one frame")
    func outbound() throws {
        let channel = try Self.channel()
        try channel.writeOutbound(Self.message("x"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == CastFrameEncoder.frame(Self.message("x")))
        _ = try channel.finish()
    }

    @Test(
        "bytes that are no frame, and a frame that is no message, close the connection with an error",
        arguments: [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], Array("GET / HTTP/1.1\r\n".utf8), [0, 0, 0, 2, 1, 2]] as [[UInt8]])
    func hostile(bytes: [UInt8]) throws {
        let channel = try Self.channel()
        let error = #expect(throws: CastError.self) { try channel.writeInbound(ByteBuffer(bytes: bytes)) }
        #expect(error?.code == .protocolError)
        #expect(!channel.isActive)
        try channel.writeInbound(try CastFrameEncoder.frame(Self.message("late")))
        #expect(try channel.readInbound(as: CastMessage.self) == nil, "nothing is read after the error")
    }

    @Test("messages before a broken frame are delivered first")
    func goodThenBroken() throws {
        let channel = try Self.channel()
        var bytes = try CastFrameEncoder.frame(Self.message("good"))
        bytes.writeBytes([0, 0, 0, 0])
        #expect(throws: CastError.self) { try channel.writeInbound(bytes) }
        #expect(try channel.readInbound(as: CastMessage.self)?.text == "good")
    }

    @Test("a message that is too big fails alone and the connection stays open")
    func tooBig() throws {
        let channel = try Self.channel()
        let error = #expect(throws: CastError.self) {
            try channel.writeOutbound(Self.message(String(repeating: "x", count: 65_536)))
        }
        #expect(error?.code == .messageTooBig)
        #expect(channel.isActive)
        try channel.writeOutbound(Self.message("small"))
        #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
        _ = try channel.finish()
    }

    @Test("writing to a peer that takes nothing is refused")
    func backpressure() throws {
        let channel = try Self.channel()
        channel.isWritable = false
        let error = #expect(throws: CastError.self) { try channel.writeOutbound(Self.message("x")) }
        #expect(error?.code == .sendBufferFull)
        channel.isWritable = true
        try channel.writeOutbound(Self.message("y"))
        _ = try channel.finish()
    }

    /// Answers every message at once.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = CastMessage
        typealias OutboundOut = CastMessage

        var closesAfterwards = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            context.writeAndFlush(data, promise: nil)
            if self.closesAfterwards { context.close(promise: nil) }
        }
    }

    /// Counts flushes on their way to the socket.
    private final class FlushCounter: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer

        var flushes = 0

        func flush(context: ChannelHandlerContext) {
            self.flushes += 1
            context.flush()
        }
    }

    @Test("answers to a burst leave in one flush")
    func coalescing() throws {
        let counter = FlushCounter()
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandlers(counter, CastFrameHandler(), Echo())
        var bytes = ByteBuffer()
        for index in 0..<5 { bytes.writeImmutableBuffer(try CastFrameEncoder.frame(Self.message("\(index)"))) }
        try channel.writeInbound(bytes)
        #expect(counter.flushes == 1)
        for index in 0..<5 {
            #expect(try channel.readOutbound(as: ByteBuffer.self) == CastFrameEncoder.frame(Self.message("\(index)")))
        }
        _ = try channel.finish()
    }

    @Test("messages written before a close within a read are still sent")
    func closeFlushes() throws {
        let echo = Echo()
        echo.closesAfterwards = true
        let channel = try Self.channel(echo)
        try channel.writeInbound(try CastFrameEncoder.frame(Self.message("bye")))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == CastFrameEncoder.frame(Self.message("bye")))
        #expect(!channel.isActive)
    }
}
