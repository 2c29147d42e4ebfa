import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on 127.0.0.1 that answers each request with bytes that the test wrote.
final class ScriptedHTTPServer: Sendable {
    /// The request up to its empty line.
    struct Request: Sendable, Hashable {
        var text: String
        /// `GET /path`.
        var line: String { self.text.split(separator: " ").prefix(2).joined(separator: " ") }
        var path: String { self.text.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

        /// - Returns: the value of the first header of that name, spaces trimmed.
        func header(_ name: String) -> String? {
            let start = name.lowercased() + ":"
            let line = self.text.split(separator: "\r\n").first { $0.lowercased().hasPrefix(start) }
            return line.map { String($0.dropFirst(start.count).drop { $0 == " " }) }
        }
    }

    enum Answer: Sendable {
        /// Sends the bytes and closes.
        case bytes([UInt8])
        /// Sends the bytes and keeps the connection open without another byte.
        case stall([UInt8])
        /// Sends the bytes and closes TCP without the end of TLS.
        case cut([UInt8])
        /// Sends nothing before the test calls `release`.
        indirect case held(Answer)

        /// The bytes and whether the connection is closed in order after them.
        fileprivate var content: (bytes: [UInt8], isLast: Bool) {
            switch self {
            case .bytes(let bytes): (bytes, true)
            case .stall(let bytes), .cut(let bytes): (bytes, false)
            case .held(let answer): answer.content
            }
        }
    }

    let port: Int
    private let channel: any Channel
    private let seen: Seen

    private final class Seen: Sendable {
        let requests = Mutex<[Request]>([])
        let held = Mutex(Held())
    }

    /// The requests whose answers are held back, longest first, and the most that were at once.
    private struct Held {
        var open: [(channel: any Channel, answer: Answer)] = []
        var most = 0
    }

    /// The number of requests whose answers are held back. One whose connection is closed no longer counts.
    var held: Int { self.seen.held.withLock { $0.open.count } }
    var mostHeld: Int { self.seen.held.withLock { $0.most } }

    /// Sends the answer that is held back longest.
    func release() {
        let first = self.seen.held.withLock { $0.open.isEmpty ? nil : $0.open.removeFirst() }
        guard let (channel, answer) = first else { return }
        channel.writeAndFlush(ByteBuffer(bytes: answer.content.bytes), promise: nil)
        if answer.content.isLast { channel.close(mode: .output, promise: nil) }
    }

    var requests: [Request] { self.seen.requests.withLock { $0 } }

    /// - Parameters:
    ///   - tls: for https.
    ///   - answer: called on an event loop for each request.
    init(tls: NIOSSLContext? = nil, _ answer: @escaping @Sendable (Request) -> Answer) async throws {
        let seen = Seen()
        self.seen = seen
        self.channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(
                        Handler { request in
                            let answer = answer(request)
                            if case .held = answer {
                                seen.held.withLock { held in
                                    held.open.append((channel, answer))
                                    held.most = max(held.most, held.open.count)
                                }
                            }
                            seen.requests.withLock { $0.append(request) }
                            return answer
                        })
                    channel.closeFuture.whenComplete { _ in seen.held.withLock { $0.open.removeAll { $0.channel === channel } } }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.port = self.channel.localAddress?.port ?? 0
    }

    func close() async { try? await self.channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: (Request) -> Answer
        private var received = ""

        init(_ answer: @escaping (Request) -> Answer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = self.unwrapInboundIn(data)
            // A TLS handshake at a server without TLS: those in use answer what they don't understand.
            if buffer.readableBytesView.first == 0x16 {
                context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n")), promise: nil)
                return context.close(promise: nil)
            }
            self.received += String(buffer: buffer)
            guard let end = self.received.range(of: "\r\n\r\n") else { return }
            let request = Request(text: String(self.received[..<end.lowerBound]))
            self.received = ""
            let answer = self.answer(request)
            if case .held = answer { return }
            let (bytes, isLast) = answer.content
            context.writeAndFlush(self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            if isLast { context.close(mode: .output, promise: nil) }
            if case .cut = answer, let tls = try? context.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) {
                // From the side of TCP, so that TLS does not learn of it.
                tls.close(promise: nil)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

extension ScriptedHTTPServer.Answer {
    /// A complete answer with a Content-Length.
    static func ok(_ body: [UInt8], status: String = "200 OK", headers: [String] = []) -> Self {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)", "Connection: close"] + headers
        return .bytes(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }
}
