import CastSender
import CastTransport
import NIOCore
import NIOEmbedded
import Synchronization

/// Connects to devices in memory by their address.
final class MemoryConnector: CastConnector {
    private struct State {
        var devices: [String: MemoryDevice] = [:]
        var attempts: [String: Int] = [:]
    }

    private let state = Mutex(State())
    private let loop: NIOAsyncTestingEventLoop

    init(_ virtual: VirtualLoop) { self.loop = virtual.loop }

    /// - Parameter device: `nil` for an address where nobody is.
    func route(_ address: String, to device: MemoryDevice?) { self.state.withLock { $0.devices[address] = device } }

    func attempts(_ address: String) -> Int { self.state.withLock { $0.attempts[address] ?? 0 } }

    func resolve(_ endpoint: DeviceEndpoint, on eventLoop: any EventLoop) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeFailedFuture(CastError(.networkError, detail: "no such name"))
    }

    func connect(to address: SocketAddress, on eventLoop: any EventLoop, timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        let host = address.ipAddress ?? ""
        let device = self.state.withLock { state in
            state.attempts[host, default: 0] += 1
            return state.devices[host]
        }
        switch device?.power {
        case nil, .off:
            return eventLoop.scheduleTask(in: .milliseconds(1)) { throw CastError(.networkError, detail: "refused") }.futureResult
        case .frozen:
            return eventLoop.scheduleTask(in: timeout) { throw CastError(.timeout, detail: "no answer") }.futureResult
        case .on, .mute:
            return eventLoop.flatScheduleTask(in: .milliseconds(5)) { self.open(device, address) }.futureResult
        }
    }

    private func open(_ device: MemoryDevice?, _ address: SocketAddress) -> EventLoopFuture<any Channel> {
        guard let device, device.power != .off else { return self.loop.makeFailedFuture(CastError(.networkError, detail: "refused")) }
        let channel = NIOAsyncTestingChannel(loop: self.loop)
        do {
            try channel.pipeline.syncOperations.addHandler(MemoryDeviceHandler(device: device))
            try channel.pipeline.syncOperations.addHandler(CastFrameHandler())
        } catch {
            return self.loop.makeFailedFuture(error)
        }
        let promise = self.loop.makePromise(of: Void.self)
        channel.connect(to: address, promise: promise)
        return promise.futureResult.map { channel }
    }
}
