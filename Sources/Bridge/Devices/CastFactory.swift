import BridgeCore
import CastSender
import Logging
import NIOCore

/// Creates discovery and the supervisors of device links, and passes the supervisors to the task group that runs them.
final class CastFactory {
    /// The supervisors that wait for their task; bounded by the number of devices.
    let arrivals: AsyncStream<DeviceSupervisor>
    /// The settings of device authentication, including the keys of earlier runs once the record is read.
    private var authentication: DeviceAuthentication
    private let context: BridgeContext
    private let handshakes = HandshakeGate()
    private let linkLoggers: LinkLoggers
    private let arriving: AsyncStream<DeviceSupervisor>.Continuation
    private var registrations: UInt64 = 0

    init(_ context: BridgeContext) {
        self.context = context
        self.linkLoggers = LinkLoggers(context.program.makeLogger)
        self.authentication = context.settings.cast.authentication
        (self.arrivals, self.arriving) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(DeviceFleet.maximumDevices))
    }

    /// Adds the keys of earlier runs, before the first link.
    func restoreKeys(of devices: [KnownDevice]) {
        let keys = devices.compactMap { device in device.keyFingerprint.map { (device.id, $0) } }
        self.authentication.keys = DeviceKeys(Dictionary(keys) { first, _ in first })
    }

    func keyFingerprint(of id: Device.ID) -> String? { self.authentication.keys.fingerprints[id] }

    func forgetKey(of id: Device.ID) { self.authentication.keys.forget(id) }

    /// Creates the discovery of devices; its caller runs it.
    /// - Parameter onChange: called on the event loop.
    func makeDiscovery(onChange: @escaping (DeviceChange) -> Void) -> DiscoveryManager {
        let onChange = NIOLoopBound(onChange, eventLoop: self.context.loop.eventLoop)
        return DiscoveryManager(
            configuration: self.context.settings.cast.discovery, eventLoop: self.context.loop.eventLoop,
            connector: self.context.program.connector,
            handshakeGate: self.handshakes, random: self.context.random, authentication: self.authentication,
            logger: self.context.program.makeLogger("CastSender.DiscoveryManager"), linkLoggers: self.linkLoggers,
            onChange: { onChange.value($0) })
    }

    /// Registers a device: creates the supervisor of its link, which runs until the bridge ends or the device is dismissed.
    /// - Parameters:
    ///   - isVerified: whether the device was connected before.
    ///   - participation: the bridge's part in the application session that an earlier run launched there.
    ///   - onEvent: called on the event loop.
    func makeLink(
        to device: Device, isVerified: Bool, participation: Participation?, onEvent: @escaping (DeviceAgent.Key, CastLinkEvent) -> Void
    ) -> (DeviceAgent.Key, DeviceSupervisor) {
        self.registrations += 1
        let key = DeviceAgent.Key(device: device.id, number: self.registrations)
        let onEvent = NIOLoopBound(onEvent, eventLoop: self.context.loop.eventLoop)
        let supervisor = DeviceSupervisor(
            device: device.id, endpoints: device.endpoints, eventLoop: self.context.loop.eventLoop,
            connector: self.context.program.connector, policy: self.context.settings.cast.reconnect, handshakeGate: self.handshakes,
            isVerified: isVerified, random: self.context.random, authentication: self.authentication, capabilities: device.capabilities,
            participation: participation, mediaDefaults: self.mediaDefaults,
            languageCode: self.context.settings.commands.language,
            // The queue of the device ends commands, at their own limit.
            requestLimit: .seconds(CommandParser.timeoutSeconds.upperBound), followsQueue: true,
            allowsRequests: { [lease = self.context.lease] in lease?.isHeld ?? true }, logger: self.context.logger,
            loggers: self.linkLoggers,
            onEvent: { onEvent.value(key, $0) })
        self.arriving.yield(supervisor)
        return (key, supervisor)
    }

    private var mediaDefaults: MediaDefaults {
        let style = self.context.settings.textStyle
        return MediaDefaults(textTrackStyle: style == TextTrackStyle() ? nil : style)
    }

    /// Ends `arrivals`; no further supervisor follows.
    func end() { self.arriving.finish() }
}
