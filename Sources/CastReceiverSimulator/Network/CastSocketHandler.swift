import CastProtocol
import NIOCore
import NIOTLS

/// The last handler of a Cast connection: passes its events to the device, which runs on the same event loop.
final class CastSocketHandler: ChannelInboundHandler {
    typealias InboundIn = CastMessage

    private let device: SimulatedDevice
    private let socket: SocketID

    init(device: SimulatedDevice, socket: SocketID) { (self.device, self.socket) = (device, socket) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            self.device.assumeIsolated { [socket] in $0.handshakeCompleted(socket) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let message = self.unwrapInboundIn(data)
        self.device.assumeIsolated { [socket] in $0.received(message, on: socket) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.device.assumeIsolated { [socket] in $0.closed(socket) }
        context.fireChannelInactive()
    }

    // A malformed frame, a failed handshake and a reset all end the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.device.assumeIsolated { [socket] in $0.failed(socket, "\(error)") }
        context.close(promise: nil)
    }
}
