import CastProtocol
import NIOCore

/// Receives the whole messages of a connection, on its event loop.
package protocol CastMessageReceiver: AnyObject {
    /// - Returns: a frame to answer with at once.
    func receive(_ message: CastMessagePiece) -> ByteBuffer?
}

/// Converts the bytes of a connection to messages and messages to frames. It decides nothing: the receiver, or without one the next
/// handler, interprets the messages.
///
/// When a peer violates the framing, the handler sends an error through the pipeline and closes the connection. A message that cannot be
/// sent fails its promise and leaves the connection open: `messageTooBig` above 64 KiB, `sendBufferFull` while the peer does not read
/// earlier data. Flushes requested while frames are being read are combined, so that a burst is answered in one TLS record.
package final class CastFrameHandler: ChannelDuplexHandler {
    package typealias InboundIn = ByteBuffer
    package typealias InboundOut = CastMessage
    package typealias OutboundIn = CastMessage
    package typealias OutboundOut = ByteBuffer

    private var decoder = CastFrameDecoder()
    private var assembler = CastMessageAssembler()
    private var isReading = false
    private var needsFlush = false
    private var hasFailed = false
    private var receiver: (any CastMessageReceiver)?
    private var context: ChannelHandlerContext?

    package init() {}

    /// Passes each message to `receiver`, in place in the read buffer. Without a receiver, the next handler gets a copy as `CastMessage`.
    package func attach(_ receiver: any CastMessageReceiver) { self.receiver = receiver }

    package func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    package func handlerRemoved(context: ChannelHandlerContext) { (self.receiver, self.context) = (nil, nil) }

    /// Writes one message, without passing the later handlers; it leaves with the next flush. Call this on the event loop.
    /// - Throws: `messageTooBig`, `sendBufferFull`, or `networkError` when the connection has ended; fails `promise` as well.
    package func write(_ message: CastMessage, promise: EventLoopPromise<Void>? = nil) throws(CastError) {
        do throws(CastError) {
            guard let context else { throw CastError(.networkError, detail: "the connection has ended") }
            guard context.channel.isWritable else { throw CastError(.sendBufferFull, detail: "the peer takes nothing") }
            let frame = try CastFrameEncoder.frame(message, allocator: context.channel.allocator)
            context.write(self.wrapOutboundOut(frame), promise: promise)
        } catch {
            promise?.fail(error)
            throw error
        }
    }

    /// Flushes what was written.
    package func flush() { if let context { self.flush(context: context) } }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasFailed else { return }
        self.isReading = true
        var input = self.unwrapInboundIn(data)
        do throws(CastError) {
            while let body = try self.decoder.nextBody(from: &input) {
                guard let message = try self.assembler.add(CastMessagePiece(decoding: body)) else { continue }
                if let receiver {
                    guard let answer = receiver.receive(message), context.channel.isWritable else { continue }
                    context.write(self.wrapOutboundOut(answer), promise: nil)
                    self.needsFlush = true
                } else {
                    context.fireChannelRead(self.wrapInboundOut(message.message))
                }
            }
        } catch {
            self.hasFailed = true
            context.fireErrorCaught(error)
            context.close(promise: nil)
        }
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        self.isReading = false
        if self.needsFlush {
            self.needsFlush = false
            context.flush()
        }
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // An error also fails the promise, by which the writer learns of it.
        try? self.write(self.unwrapOutboundIn(data), promise: promise)
    }

    package func flush(context: ChannelHandlerContext) {
        if self.isReading { self.needsFlush = true } else { context.flush() }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // A goodbye written in response to these frames is still sent before the end of the connection.
        if self.needsFlush {
            self.needsFlush = false
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }
}
