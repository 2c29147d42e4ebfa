import CastProtocol
import CastTransport
import NIOCore
import NIOPosix
import Testing

@testable import CastReceiverSimulator

/// The smallest sender: one TLS connection that sends JSON and waits for what the test expects.
final class RawSender: Sendable {
    enum Event: Sendable {
        case message(CastMessage, JSON)
        /// A frame or the connection broke.
        case failed(String)
        case closed
    }

    struct NothingReceived: Error, CustomStringConvertible {
        var description: String
    }

    let channel: any Channel
    private let events: AsyncStream<Event>

    /// - Throws: when there is no TLS connection within `timeout`.
    static func connect(_ address: String, _ port: Int, timeout: TimeAmount = .seconds(20)) async throws -> RawSender {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingOldest(10_000))
        let channel = try await CastClientBootstrap().connect(
            to: try SocketAddress(ipAddress: address, port: port), eventLoop: MultiThreadedEventLoopGroup.singleton.next(), timeout: timeout
        ) { try $0.pipeline.syncOperations.addHandler(Collector(continuation)) }.get()
        return RawSender(channel: channel, events: events)
    }

    static func connect(_ fleet: SimulatedFleet, _ device: String, timeout: TimeAmount = .seconds(20)) async throws -> RawSender {
        let state = try await fleet.control(device, .state)
        return try await self.connect(try #require(state["address"]?.text), try #require(state["port"]?.int), timeout: timeout)
    }

    private init(channel: any Channel, events: AsyncStream<Event>) { (self.channel, self.events) = (channel, events) }

    func send(_ json: JSON, _ namespace: String, to destination: String = "receiver-0", from source: String = "sender-0") {
        let message = CastMessage(sourceID: source, destinationID: destination, namespace: namespace, payload: .text(json.description))
        self.channel.writeAndFlush(message, promise: nil)
    }

    /// Opens a virtual connection and asks for the receiver's status.
    func handshake() async throws {
        self.send(["type": "CONNECT"], Probe.connection)
        _ = try await self.ask(["type": "GET_STATUS", "requestId": 1])
    }

    func ask(_ json: JSON, _ namespace: String = Probe.receiver, to destination: String = "receiver-0") async throws -> JSON {
        self.send(json, namespace, to: destination)
        return try await self.expectMessage { $0["requestId"] == json["requestId"] }
    }

    func expectMessage(_ isIt: @escaping @Sendable (JSON) -> Bool) async throws -> JSON {
        try await self.expect { event in
            if case .message(_, let json) = event, isIt(json) { json } else { nil }
        }
    }

    func expectEnd() async throws {
        try await self.expect { event in
            switch event {
            case .failed, .closed: ()
            case .message: nil
            }
        }
    }

    /// Takes events until one is the expected one.
    func expect<Value: Sendable>(within time: Duration = .seconds(30), _ take: @escaping @Sendable (Event) -> Value?) async throws -> Value
    {
        let events = self.events
        return try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask {
                var seen: [String] = []
                for await event in events {
                    if let value = take(event) { return value }
                    seen.append("\(event)")
                }
                throw NothingReceived(description: "the expected event did not come; seen: \(seen.suffix(5))")
            }
            group.addTask {
                try await Task.sleep(for: time)
                throw NothingReceived(description: "the expected event did not come in \(time)")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw NothingReceived(description: "cancelled") }
            return value
        }
    }

    func close() async { try? await self.channel.close().get() }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = CastMessage
        private let continuation: AsyncStream<Event>.Continuation

        init(_ continuation: AsyncStream<Event>.Continuation) { self.continuation = continuation }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let message = self.unwrapInboundIn(data)
            self.continuation.yield(.message(message, JSONTextReader.read(message.text ?? "") ?? .null))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.continuation.yield(.failed("\(error)"))
            context.close(promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.continuation.yield(.closed)
            self.continuation.finish()
            context.fireChannelInactive()
        }
    }
}

extension RawSender {
    /// Writes bytes as they are into the TLS stream.
    func sendBelowFraming(_ bytes: [UInt8]) async throws {
        let channel = self.channel
        try await channel.eventLoop.submit {
            let context = try channel.pipeline.syncOperations.context(handlerType: CastFrameHandler.self)
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
        }.get()
    }
}
