import NIOCore
import NIOPosix

/// The UDP port that receives a mirrored screen; one at a time.
final class MirrorPort {
    /// The mirror that it is for; `nil` while none is.
    private(set) var id: String?
    private var channel: (any Channel)?

    /// Begins to open the port in place of an earlier one.
    func begin(_ id: String) {
        self.close()
        self.id = id
    }

    /// - Returns: whether the channel is still wanted; it is closed otherwise.
    func opened(_ channel: any Channel, for id: String) -> Bool {
        guard self.id == id else {
            channel.close(promise: nil)
            return false
        }
        self.channel = channel
        return true
    }

    func close() {
        self.channel?.close(promise: nil)
        (self.id, self.channel) = (nil, nil)
    }
}

extension SimulatedDevice {
    func openMirror(_ id: String) {
        self.listeners.mirror.begin(id)
        DatagramBootstrap(group: self.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        MirrorHandler { datagram in self.assumeIsolated { $0.mirrored(datagram) } })
                }
            }
            .bind(host: self.endpoint.address, port: 0)
            .whenComplete { result in
                self.assumeIsolated { device in
                    switch result {
                    case .failure(let error): device.record("error", ["detail": .string("no port for a mirrored screen: \(error)")])
                    case .success(let channel):
                        guard device.listeners.mirror.opened(channel, for: id), let port = channel.localAddress?.port else { return }
                        device.mirrorOpened(id, port: port)
                    }
                }
            }
    }

    func closeMirror() {
        guard self.listeners.mirror.id != nil else { return }
        self.listeners.mirror.close()
        self.record("mirror_end", [:])
    }
}

private final class MirrorHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias OutboundOut = AddressedEnvelope<ByteBuffer>

    private let onDatagram: ([UInt8]) -> [[UInt8]]

    /// - Parameter onDatagram: returns the datagrams to send back.
    init(onDatagram: @escaping ([UInt8]) -> [[UInt8]]) { self.onDatagram = onDatagram }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = self.unwrapInboundIn(data)
        for answer in self.onDatagram(Array(envelope.data.readableBytesView)) {
            let buffer = context.channel.allocator.buffer(bytes: answer)
            context.write(self.wrapOutboundOut(.init(remoteAddress: envelope.remoteAddress, data: buffer)), promise: nil)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { context.flush() }

    /// A report to a port that is closed meanwhile is no reason to stop receiving.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
