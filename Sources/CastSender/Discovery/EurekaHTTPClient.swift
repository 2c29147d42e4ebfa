@_spi(JSON) import CastModels
import CastProtocol
import NIOCore
import NIOPosix

/// Reads the identity of a device from its HTTP interface, once, because polling crashes devices.
enum EurekaHTTPClient {
    private static let port = 8008
    private static let limit = TimeAmount.seconds(3)

    /// Returns the identity; `nil` when the device has no such interface or does not report it.
    static func read(from endpoint: DeviceEndpoint, on eventLoop: any EventLoop, port: Int = EurekaHTTPClient.port) async
        -> DeviceInformation?
    {
        let answer = eventLoop.makePromise(of: DeviceInformation?.self)
        let alarm = eventLoop.scheduleTask(in: Self.limit) { answer.succeed(nil) }
        let connecting = ClientBootstrap(group: eventLoop)
            .connectTimeout(Self.limit)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(EurekaHTTPHandler(answer: answer))
                }
            }
            .connect(host: endpoint.host, port: port)
        connecting.whenFailure { _ in answer.succeed(nil) }
        let information = try? await answer.futureResult.get()
        alarm.cancel()
        connecting.whenSuccess { $0.close(promise: nil) }
        return information ?? nil
    }
}

/// Sends one GET and reads until the device closes the connection, as HTTP/1.0 requires.
private final class EurekaHTTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private static let path = "/setup/eureka_info?params=version,name,build_info,device_info"
    /// The largest accepted answer, in bytes.
    private static let maximumSize = 65_536

    private let answer: EventLoopPromise<DeviceInformation?>
    private var received: [UInt8] = []

    init(answer: EventLoopPromise<DeviceInformation?>) { self.answer = answer }

    func channelActive(context: ChannelHandlerContext) {
        // Firmware refuses requests whose Host header is not its address.
        let host = context.remoteAddress?.ipAddress ?? ""
        let literal = host.contains(":") ? "[\(host)]" : host
        let text = "GET \(Self.path) HTTP/1.0\r\nHost: \(literal)\r\nAccept: application/json\r\n\r\n"
        context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received += self.unwrapInboundIn(data).readableBytesView
        if self.received.count > Self.maximumSize { self.finish(context, nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.finish(context, Self.information(in: self.received))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { self.finish(context, nil) }

    private func finish(_ context: ChannelHandlerContext, _ information: DeviceInformation?) {
        self.answer.succeed(information)
        context.close(promise: nil)
    }

    private static func information(in response: [UInt8]) -> DeviceInformation? {
        let separator = Array("\r\n\r\n".utf8)
        guard response.starts(with: "HTTP/1.".utf8), response.dropFirst(9).starts(with: "200".utf8),
            let start = response.indices.first(where: { response[$0...].starts(with: separator) })
        else { return nil }
        return response[(start + separator.count)...].withUnsafeBytes { body in
            (try? JSONReader.read(body) { $0.objectView.map(DeviceInformation.init(eureka:)) }) ?? nil
        }
    }
}
