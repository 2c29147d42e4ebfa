import CastProtocol
import CastTransport
import NIOCore

extension SimulatedDevice {
    func shutGates(midFrame: Bool) {
        let half = midFrame ? self.frameToCut() : nil
        for socket in self.sockets.keys {
            guard let known = self.sockets[socket] else { continue }
            if known.isOpen, var frame = half,
                let context = try? known.channel.pipeline.syncOperations.context(handlerType: CastFrameHandler.self)
            {
                let start = frame.readSlice(length: frame.readableBytes / 2) ?? ByteBuffer()
                context.writeAndFlush(NIOAny(start), promise: nil)
                self.sockets[socket]?.restOfFrame = frame
            }
            known.gate.shut()
        }
        self.stopTimer()
    }

    private func frameToCut() -> ByteBuffer? {
        let message = CastMessage(
            sourceID: CastMessage.platformReceiverID, destinationID: CastMessage.broadcastID, namespace: Namespace.receiver,
            payload: .text(self.model.receiverStatus.description))
        return try? CastFrameEncoder.frame(message)
    }

    func openGates() {
        for socket in self.sockets.keys {
            guard let known = self.sockets[socket] else { continue }
            self.sockets[socket]?.held = []
            self.sockets[socket]?.restOfFrame = nil
            if let rest = known.restOfFrame { self.write(rest, below: known) }
            for message in known.held { known.channel.write(message, promise: nil) }
            known.channel.flush()
            if known.hasOverflowed { known.gate.abort() } else { known.gate.open() }
        }
        self.perform(self.model.thawed(at: self.now))
    }

    /// Writes bytes into the TLS stream that are not a frame.
    func write(_ bytes: ByteBuffer, below socket: CastSocket) {
        guard let context = try? socket.channel.pipeline.syncOperations.context(handlerType: CastFrameHandler.self) else { return }
        context.writeAndFlush(NIOAny(bytes), promise: nil)
    }
}
