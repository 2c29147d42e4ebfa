import NIOCore
import NIOHTTP1

/// The HTTP side of a device: `GET /setup/eureka_info`, one answer for each connection.
final class EurekaHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How long a connection may stay open without a complete request.
    static let idleTimeout = TimeAmount.seconds(30)

    private let device: SimulatedDevice
    private let port: Int
    private var head: HTTPRequestHead?

    init(device: SimulatedDevice, port: Int) { (self.device, self.port) = (device, port) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head = self.head else { return }
            self.head = nil
            let port = self.port
            // A frozen device does not answer.
            guard let answer = self.device.assumeIsolated({ $0.httpRequest(head, port: port) }) else { return }
            self.send(answer, isHead: head.method == .HEAD, context: context)
        }
    }

    private func send(_ answer: HTTPAnswer, isHead: Bool, context: ChannelHandlerContext) {
        let headers: HTTPHeaders = [
            "Content-Type": "application/json", "Content-Length": String(answer.body.count), "Connection": "close",
            "Access-Control-Allow-Headers": "Content-Type",
        ]
        context.write(
            self.wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers))), promise: nil)
        if !isHead { context.write(self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil) }
        let context = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.value.writeAndFlush(self.wrapOutboundOut(.end(nil))).whenComplete { _ in context.value.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) } else { context.fireUserInboundEventTriggered(event) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The answer of a device to one HTTP request.
struct HTTPAnswer: Sendable, Hashable {
    var status: HTTPResponseStatus
    var body: [UInt8]

    /// Returns the answer. Real devices refuse a host name in `Host` (DNS rebinding protection); senders must use the address.
    static func answer(to head: HTTPRequestHead, document: ([String]?) -> JSON) -> HTTPAnswer {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard head.method == .GET || head.method == .HEAD else { return HTTPAnswer(status: .methodNotAllowed, body: []) }
        let host = head.headers.first(name: "Host") ?? ""
        let name = host.hasPrefix("[") ? "" : host.prefix { $0 != ":" }
        guard name.isEmpty || IPv4Address(String(name)) != nil else { return HTTPAnswer(status: .forbidden, body: []) }
        guard parts.first == "/setup/eureka_info" else { return HTTPAnswer(status: .notFound, body: []) }
        var parameters: [String]?
        if parts.count == 2 {
            for pair in parts[1].split(separator: "&") {
                let pair = pair.split(separator: "=", maxSplits: 1)
                if pair.count == 2, pair[0] == "params" { parameters = Self.list(String(pair[1])) }
            }
        }
        return HTTPAnswer(status: .ok, body: document(parameters).utf8)
    }

    /// Splits a list; a comma may be percent-encoded.
    private static func list(_ text: String) -> [String] {
        text.replacing("%2C", with: ",").replacing("%2c", with: ",").split(separator: ",").map(String.init)
    }
}
