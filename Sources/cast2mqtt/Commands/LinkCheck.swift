import BridgeCore
import CastSender
import Logging
import NIOCore
import Synchronization

/// Connects to the discovered devices, at most as many at a time as a bridge, because an announcement alone does not prove that a device
/// exists.
final class LinkCheck: Sendable {
    private struct State {
        var supervisors: [Device.ID: DeviceSupervisor] = [:]
        var ready: Set<Device.ID> = []
        var excluded: Set<Device.ID> = []
        var failures: [Device.ID: CastError] = [:]
    }

    /// The ids of applications of which a device must be able to run one; empty disables the question.
    private let requiredApplications: [String]
    /// The devices to ask for their applications.
    private let questions: AsyncStream<Device.ID>
    private let asking: AsyncStream<Device.ID>.Continuation

    private let eventLoop: any EventLoop
    private let connector: TLSConnector
    private let gate: HandshakeGate
    private let authentication: DeviceAuthentication
    private let state = Mutex(State())
    private let arrivals: AsyncStream<DeviceSupervisor>
    private let arriving: AsyncStream<DeviceSupervisor>.Continuation

    init(
        eventLoop: any EventLoop, connector: TLSConnector, gate: HandshakeGate, authentication: DeviceAuthentication,
        requiredApplications: [String]
    ) {
        self.authentication = authentication
        self.requiredApplications = requiredApplications
        (self.questions, self.asking) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(VerificationQueue.placeLimit))
        self.eventLoop = eventLoop
        self.connector = connector
        self.gate = gate
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(VerificationQueue.placeLimit))
    }

    var ready: Set<Device.ID> { self.state.withLock { $0.ready } }

    /// The ready devices that can run none of the required applications, or did not answer.
    var excluded: Set<Device.ID> { self.state.withLock { $0.excluded } }

    /// The error of the last attempt at each device that had one.
    var failures: [Device.ID: CastError] { self.state.withLock { $0.failures } }

    func handle(_ change: DeviceChange) {
        switch change {
        case .found(let device), .changed(let device), .addressesChanged(let device): self.seen(device)
        case .sighted(let id): self.state.withLock { $0.supervisors[id] }?.wake()
        case .lost, .networkChanged: break
        }
    }

    /// Runs the links until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await withDiscardingTaskGroup { examinations in
                    for await device in self.questions { examinations.addTask { await self.examine(device) } }
                }
            }
            for await supervisor in self.arrivals { group.addTask { await supervisor.run() } }
            group.cancelAll()
        }
    }

    private func isReady(_ device: Device.ID) {
        self.state.withLock { state in
            state.ready.insert(device)
            if !self.requiredApplications.isEmpty { state.excluded.insert(device) }
        }
        if !self.requiredApplications.isEmpty { self.asking.yield(device) }
    }

    /// Asks the device for its applications; until it answers, it counts as excluded.
    private func examine(_ device: Device.ID) async {
        let session = await self.state.withLock { $0.supervisors[device] }?.session
        guard let answer = try? await session?.applicationAvailability(self.requiredApplications),
            self.requiredApplications.contains(where: { answer[$0] == .available })
        else { return }
        self.state.withLock { _ = $0.excluded.remove(device) }
    }

    private func seen(_ device: Device) {
        let (known, count) = self.state.withLock { ($0.supervisors[device.id], $0.supervisors.count) }
        if let known { return known.update(endpoints: device.endpoints) }
        guard count < VerificationQueue.placeLimit else { return }
        let supervisor = DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.eventLoop, connector: self.connector, handshakeGate: self.gate,
            isVerified: false, authentication: self.authentication, logger: Logger(label: "CastSender.DeviceSupervisor")
        ) { [weak self] event in
            switch event {
            case .ready: self?.isReady(device.id)
            case .attemptFailed(let error, _, _): self?.state.withLock { $0.failures[device.id] = error }
            default: break
            }
        }
        self.state.withLock { $0.supervisors[device.id] = supervisor }
        self.arriving.yield(supervisor)
    }
}
