import CastSender
import Logging
import NIOCore

/// Makes discovery and the supervisors of the devices' links, and hands the latter to the task group that runs them.
final class CastFactory {
    /// Supervisors that wait for their task, at most as many as there may be devices.
    let arrivals: AsyncStream<DeviceSupervisor>
    /// With the keys of earlier runs, once the record is read.
    var authentication: DeviceAuthentication
    private let context: BridgeContext
    private let handshakes = HandshakeGate()
    private let linkLoggers: LinkLoggers
    private let arriving: AsyncStream<DeviceSupervisor>.Continuation

    init(_ context: BridgeContext) {
        self.context = context
        self.linkLoggers = LinkLoggers(context.program.makeLogger)
        self.authentication = context.settings.authentication
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(DeviceFleet.maximumDevices))
    }

    /// Makes the discovery of devices; its caller runs it.
    /// - Parameter onChange: called on the event loop.
    func makeDiscovery(onChange: @escaping (DeviceChange) -> Void) -> DiscoveryManager {
        let onChange = NIOLoopBound(onChange, eventLoop: self.context.loop.eventLoop)
        return DiscoveryManager(
            configuration: self.context.settings.discovery, eventLoop: self.context.loop.eventLoop,
            connector: self.context.program.connector,
            handshakeGate: self.handshakes, random: self.context.random, authentication: self.authentication,
            logger: self.context.program.makeLogger("CastSender.DiscoveryManager"), linkLoggers: self.linkLoggers,
            onChange: { onChange.value($0) })
    }

    /// Makes the supervisor of a device's link.
    /// - Parameters:
    ///   - isVerified: whether the device was connected to before.
    ///   - ownedSessionID: the run of an application that an earlier run of the bridge launched there.
    ///   - onEvent: called on the event loop.
    func makeSupervisor(
        _ device: Device, isVerified: Bool, ownedSessionID: String?, onEvent: @escaping (CastLinkEvent) -> Void
    ) -> DeviceSupervisor {
        let onEvent = NIOLoopBound(onEvent, eventLoop: self.context.loop.eventLoop)
        return DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.context.loop.eventLoop,
            connector: self.context.program.connector, policy: self.context.settings.reconnect, handshakeGate: self.handshakes,
            isVerified: isVerified, random: self.context.random, authentication: self.authentication, capabilities: device.capabilities,
            ownedSessionID: ownedSessionID, mediaDefaults: self.mediaDefaults, followsQueue: true, logger: self.context.logger,
            loggers: self.linkLoggers,
            onEvent: { onEvent.value($0) })
    }

    private var mediaDefaults: MediaDefaults {
        let style = self.context.settings.textStyle
        return MediaDefaults(textTrackStyle: style == TextTrackStyle() ? nil : style)
    }

    /// Has the supervisor run until the bridge ends or the device is dismissed.
    func run(_ supervisor: DeviceSupervisor) { self.arriving.yield(supervisor) }

    /// No supervisor follows.
    func end() { self.arriving.finish() }
}
