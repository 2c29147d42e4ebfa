import CastModels
import CastSender
import CastTransport
import NIOCore
import NIOEmbedded
import Synchronization

/// Connects to fake receivers in memory.
final class MemoryConnector: CastConnector {
    enum Route: Sendable {
        case receiver(FakeReceiver)
        case refuse
        /// Nobody answers: the attempt ends with its time.
        case blackHole
    }

    private struct State {
        var routes: [String: Route] = [:]
        var names: [String: [String]] = [:]
        var attempts: [(address: String, at: NIODeadline)] = []
        var connecting = 0
        var mostConnecting = 0
    }

    private let state = Mutex(State())
    private let loop: NIOAsyncTestingEventLoop
    /// How long TCP and TLS take.
    let latency: TimeAmount

    init(_ virtual: VirtualLoop, latency: TimeAmount = .milliseconds(5)) {
        self.loop = virtual.loop
        self.latency = latency
    }

    /// - Parameter address: a numeric host, with a port when it isn't 8009.
    func route(_ address: String, to route: Route) { self.state.withLock { $0.routes[address] = route } }

    func name(_ name: String, _ addresses: [String]) { self.state.withLock { $0.names[name] = addresses } }

    var attempts: [(address: String, at: NIODeadline)] { self.state.withLock { $0.attempts } }

    var mostConnecting: Int { self.state.withLock { $0.mostConnecting } }

    func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        let addresses = self.state.withLock { $0.names[endpoint.host] } ?? []
        let result = addresses.compactMap { try? SocketAddress(ipAddress: $0, port: endpoint.port) }
        guard !result.isEmpty else { return eventLoop.makeFailedFuture(CastError(.networkError, detail: "no such name")) }
        return eventLoop.scheduleTask(in: .milliseconds(3)) { result }.futureResult
    }

    func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        let key = address.port == 8009 ? address.ipAddress ?? "" : "\(address.ipAddress ?? ""):\(address.port ?? 0)"
        let route = self.state.withLock { state in
            state.attempts.append((key, eventLoop.now))
            state.connecting += 1
            state.mostConnecting = max(state.mostConnecting, state.connecting)
            return state.routes[key] ?? .refuse
        }
        let result: EventLoopFuture<any Channel>
        switch route {
        case .refuse:
            result = eventLoop.scheduleTask(in: .milliseconds(1)) { throw CastError(.networkError, detail: "refused") }.futureResult
        case .blackHole:
            result = eventLoop.scheduleTask(in: timeout) { throw CastError(.timeout, detail: "no answer") }.futureResult
        case .receiver(let receiver):
            result = eventLoop.flatScheduleTask(in: self.latency) { self.open(receiver, address) }.futureResult
        }
        return result.always { _ in self.state.withLock { $0.connecting -= 1 } }
    }

    private func open(_ receiver: FakeReceiver, _ address: SocketAddress) -> EventLoopFuture<any Channel> {
        let channel = NIOAsyncTestingChannel(loop: self.loop)
        do {
            try channel.pipeline.syncOperations.addHandler(FakeReceiverHandler(receiver: receiver))
            try channel.pipeline.syncOperations.addHandler(CastFrameHandler())
        } catch {
            return self.loop.makeFailedFuture(error)
        }
        let promise = self.loop.makePromise(of: Void.self)
        channel.connect(to: address, promise: promise)
        return promise.futureResult.map { channel }
    }
}
