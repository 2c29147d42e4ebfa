import BridgeCore
import CastSender
import Logging
import NIOCore
import Synchronization

/// Connects to the devices that discovery finds, at most as many as a bridge tries at a time: an announcement alone does not tell whether there is a device.
final class LinkCheck: Sendable {
    private struct State {
        var supervisors: [Device.ID: DeviceSupervisor] = [:]
        var ready: Set<Device.ID> = []
    }

    private let eventLoop: any EventLoop
    private let connector: TLSConnector
    private let gate: HandshakeGate
    private let state = Mutex(State())
    private let arrivals: AsyncStream<DeviceSupervisor>
    private let arriving: AsyncStream<DeviceSupervisor>.Continuation

    init(eventLoop: any EventLoop, connector: TLSConnector, gate: HandshakeGate) {
        self.eventLoop = eventLoop
        self.connector = connector
        self.gate = gate
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(VerificationQueue.placeLimit))
    }

    /// The devices to which a link was ready.
    var ready: Set<Device.ID> { self.state.withLock { $0.ready } }

    func handle(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device): self.seen(device)
        case .sighted(let id): self.state.withLock { $0.supervisors[id] }?.wake()
        case .lost, .networkChanged: break
        }
    }

    /// Keeps the links until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await supervisor in self.arrivals { group.addTask { await supervisor.run() } }
            group.cancelAll()
        }
    }

    private func seen(_ device: Device) {
        let (known, count) = self.state.withLock { ($0.supervisors[device.id], $0.supervisors.count) }
        if let known { return known.update(endpoints: device.endpoints) }
        guard count < VerificationQueue.placeLimit else { return }
        let supervisor = DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.eventLoop, connector: self.connector, handshakeGate: self.gate,
            isVerified: false, logger: Logger(label: "CastSender.DeviceSupervisor")
        ) { [weak self] event in
            if case .ready = event { self?.state.withLock { _ = $0.ready.insert(device.id) } }
        }
        self.state.withLock { $0.supervisors[device.id] = supervisor }
        self.arriving.yield(supervisor)
    }
}
