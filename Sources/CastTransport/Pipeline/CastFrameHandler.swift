import CastProtocol
import NIOCore

/// Takes the whole messages of a connection, on its event loop.
package protocol CastMessageReceiver: AnyObject {
    func receive(_ message: CastMessagePiece)
}

/// Turns the bytes of a connection into messages and messages into frames. It decides nothing: the receiver, or without one the next handler,
/// reads what a message means.
///
/// A peer that breaks the framing gets an error through the pipeline and its connection closed. A message that can't be sent fails
/// its promise and leaves the connection alone: `messageTooBig` above 64 KiB, `sendBufferFull` while the peer doesn't take what was
/// sent before. Flushes asked for while frames are being read are gathered into one, so that a burst is answered in one TLS record.
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
    /// Takes each message where it is in the read buffer; without a receiver the next handler gets a copy as `CastMessage`.
    package var receiver: (any CastMessageReceiver)?

    package init() {}

    package func handlerRemoved(context: ChannelHandlerContext) { self.receiver = nil }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasFailed else { return }
        self.isReading = true
        var input = self.unwrapInboundIn(data)
        do throws(CastError) {
            while let body = try self.decoder.nextBody(from: &input) {
                guard let message = try self.assembler.add(CastMessagePiece(decoding: body)) else { continue }
                if let receiver {
                    receiver.receive(message)
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
        do throws(CastError) {
            guard context.channel.isWritable else { throw CastError(.sendBufferFull, detail: "the peer takes nothing") }
            let frame = try CastFrameEncoder.frame(self.unwrapOutboundIn(data), allocator: context.channel.allocator)
            context.write(self.wrapOutboundOut(frame), promise: promise)
        } catch {
            promise?.fail(error)
        }
    }

    package func flush(context: ChannelHandlerContext) {
        if self.isReading { self.needsFlush = true } else { context.flush() }
    }

    package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        // A goodbye written in answer to what is being read still leaves before the end of the connection.
        if self.needsFlush {
            self.needsFlush = false
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }
}
