import CastProtocol
import NIOCore
import NIOPosix

/// Sends one HTTP request over TCP and returns everything that is received.
func http(_ requestLine: String, host: String, port: Int, header: String? = nil) async throws -> String {
    let promise = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: String.self)
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ReadToEnd(promise)) }
        }
        .connect(host: host, port: port).get()
    let request = "\(requestLine)\r\nHost: \(header ?? "\(host):\(port)")\r\n\r\n"
    try await channel.writeAndFlush(ByteBuffer(string: request))
    return try await promise.futureResult.get()
}

private final class ReadToEnd: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let promise: EventLoopPromise<String>
    private var text = ""

    init(_ promise: EventLoopPromise<String>) { self.promise = promise }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.text += String(buffer: self.unwrapInboundIn(data)) }
    func channelInactive(context: ChannelHandlerContext) { self.promise.succeed(self.text) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.promise.fail(error) }
}

/// A binary message on a namespace that no receiver knows.
enum CastMessageBinary {
    static let message = CastMessage(sourceID: "sender-0", destinationID: "receiver-0", namespace: "binary", payload: .binary([1, 2, 3]))
}
