import CastSender
import Logging
import NIOCore

/// Makes the supervisors of the devices' links, and hands them to the task group that runs them.
final class SupervisorFactory {
    /// Supervisors that wait for their task, at most as many as there may be devices.
    let arrivals: AsyncStream<DeviceSupervisor>
    /// With the keys of earlier runs, once the record is read.
    var authentication: DeviceAuthentication
    let handshakes = HandshakeGate()
    private let eventLoop: any EventLoop
    private let connector: any CastConnector
    private let policy: ReconnectPolicy
    private let random: @Sendable () -> Double
    private let logger: Logger
    private let arriving: AsyncStream<DeviceSupervisor>.Continuation

    init(
        eventLoop: any EventLoop, connector: any CastConnector, policy: ReconnectPolicy, authentication: DeviceAuthentication,
        random: @escaping @Sendable () -> Double, logger: Logger
    ) {
        self.eventLoop = eventLoop
        self.connector = connector
        self.policy = policy
        self.authentication = authentication
        self.random = random
        self.logger = logger
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(DeviceFleet.maximumDevices))
    }

    /// Makes the supervisor of a device's link.
    /// - Parameter onEvent: called on the event loop.
    func make(_ device: Device, onEvent: @escaping (CastLinkEvent) -> Void) -> DeviceSupervisor {
        let onEvent = NIOLoopBound(onEvent, eventLoop: self.eventLoop)
        return DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.eventLoop, connector: self.connector, policy: self.policy,
            handshakeGate: self.handshakes, random: self.random, authentication: self.authentication, capabilities: device.capabilities,
            followsQueue: true, logger: self.logger, onEvent: { onEvent.value($0) })
    }

    /// Has the supervisor run until the bridge ends or the device is dismissed.
    func run(_ supervisor: DeviceSupervisor) { self.arriving.yield(supervisor) }

    /// No supervisor follows.
    func finish() { self.arriving.finish() }
}
