import CastModels
import CastProtocol
import CastSender
import CastTransport
import NIOCore
import NIOEmbedded
import Synchronization

/// A receiver at the other end of links in memory; called on the event loop.
package protocol MemoryReceiver: AnyObject, Sendable {
    func opened(_ channel: any Channel)
    func closed(_ channel: any Channel)
    func received(_ message: CastMessage, on channel: any Channel)
}

/// Connects in memory: links carry real frames, but neither TCP nor TLS.
package final class MemoryConnector: CastConnector {
    package enum Route: Sendable {
        case receiver(any MemoryReceiver)
        case refuse
        /// No answer comes: the attempt ends with its time.
        case blackHole
    }

    private struct State {
        var routes: [String: @Sendable () -> Route] = [:]
        var names: [String: [String]] = [:]
        var attempts: [(address: String, at: NIODeadline)] = []
        var connecting = 0
        var mostConnecting = 0
    }

    private let state = Mutex(State())
    private let loop: NIOAsyncTestingEventLoop
    /// The time of TCP and TLS.
    private let latency: TimeAmount

    package init(_ virtual: VirtualLoop, latency: TimeAmount = .milliseconds(5)) {
        self.loop = virtual.loop
        self.latency = latency
    }

    /// - Parameters:
    ///   - address: a numeric host for all its ports, or one with a port other than 8009.
    ///   - route: looked up when an attempt begins, and again when it would succeed.
    package func route(_ address: String, to route: @autoclosure @escaping @Sendable () -> Route) {
        self.state.withLock { $0.routes[address] = route }
    }

    package func name(_ name: String, _ addresses: [String]) { self.state.withLock { $0.names[name] = addresses } }

    package var attempts: [(address: String, at: NIODeadline)] { self.state.withLock { $0.attempts } }

    package var mostConnecting: Int { self.state.withLock { $0.mostConnecting } }

    package func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let addresses = self.state.withLock { $0.names[endpoint.host] } ?? []
        let result = addresses.compactMap { try? SocketAddress(ipAddress: $0, port: endpoint.port) }
        guard !result.isEmpty else { return eventLoop.makeFailedFuture(CastError(.networkError, detail: "no such name")) }
        return eventLoop.scheduleTask(in: .milliseconds(3)) { result }.futureResult
    }

    package func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        let host = address.ipAddress ?? ""
        let key = address.port == DeviceEndpoint(host: host).port ? host : "\(host):\(address.port ?? 0)"
        let route = self.state.withLock { state in
            state.attempts.append((key, eventLoop.now))
            state.connecting += 1
            state.mostConnecting = max(state.mostConnecting, state.connecting)
            return state.routes[key] ?? state.routes[host] ?? { .refuse }
        }
        let refusal = CastError(.networkError, detail: "refused")
        let result: EventLoopFuture<any Channel>
        switch route() {
        case .refuse: result = eventLoop.scheduleTask(in: .milliseconds(1)) { throw refusal }.futureResult
        case .blackHole:
            result = eventLoop.scheduleTask(in: timeout) { throw CastError(.timeout, detail: "no answer") }.futureResult
        case .receiver:
            result =
                eventLoop.flatScheduleTask(in: self.latency) {
                    guard case .receiver(let receiver) = route() else { return eventLoop.makeFailedFuture(refusal) }
                    return self.open(receiver, address)
                }.futureResult
        }
        return result.always { _ in self.state.withLock { $0.connecting -= 1 } }
    }

    private func open(_ receiver: any MemoryReceiver, _ address: SocketAddress) -> EventLoopFuture<any Channel> {
        let channel = NIOAsyncTestingChannel(loop: self.loop)
        do {
            try channel.pipeline.syncOperations.addHandler(MemoryReceiverHandler(receiver: receiver))
            try channel.pipeline.syncOperations.addHandler(CastFrameHandler())
        } catch {
            return self.loop.makeFailedFuture(error)
        }
        let promise = self.loop.makePromise(of: Void.self)
        channel.connect(to: address, promise: promise)
        return promise.futureResult.map { channel }
    }
}

/// The receiver's end of a channel in memory: next to the head, so that all that is written comes to it as frames.
private final class MemoryReceiverHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let receiver: any MemoryReceiver
    private var decoder = CastFrameDecoder()

    init(receiver: any MemoryReceiver) { self.receiver = receiver }

    func channelActive(context: ChannelHandlerContext) {
        self.receiver.opened(context.channel)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.receiver.closed(context.channel)
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = self.unwrapOutboundIn(data)
        promise?.succeed()
        while let body = try? self.decoder.nextBody(from: &bytes), let piece = try? CastMessagePiece(decoding: body) {
            self.receiver.received(piece.message, on: context.channel)
        }
    }
}
