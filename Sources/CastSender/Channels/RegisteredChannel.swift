import CastModels
import Synchronization

/// A custom channel that is registered once and connects with every current and later session (SDK: `GCKCastChannel` added to a session
/// manager's session, `didConnect`, `didDisconnect`).
///
/// `SessionManager.registerChannel` creates it. Each started session opens a channel of the namespace. The registration ends with
/// `unregister`, or with the context.
public final class RegisteredChannel: Sendable {
    /// An event of the channel on one device.
    public struct Event: Sendable, Hashable {
        public var device: Device.ID
        public var event: CastChannel.Event
    }

    public let namespace: String
    public let target: CastChannel.Target
    let id: UInt64
    private let manager: SessionManager
    private let source = EventSource<Event>(capacity: 256)
    private let connected = StateSource<Set<Device.ID>>([])
    private let channels = Mutex<[Device.ID: CastChannel]>([:])

    init(namespace: String, target: CastChannel.Target, id: UInt64, manager: SessionManager) {
        self.namespace = namespace
        self.target = target
        self.id = id
        self.manager = manager
    }

    /// Messages and connection changes of every device from now on; the last 256 are kept for a slow reader. Ends with `unregister`.
    public var events: EventSequence<Event> { self.source.sequence }

    /// The devices to which messages can be sent. Ends with `unregister`.
    public var connectedDevices: StateSequence<Set<Device.ID>> { self.connected.sequence }

    /// The devices to which messages can be sent now.
    var connectedNow: Set<Device.ID> { self.connected.newest ?? [] }

    /// Sends text, usually JSON. Returns when it is written to the link.
    ///
    /// - Throws: `channelNotConnected` when no session with the device has started; otherwise the errors of `CastChannel.send`.
    nonisolated(nonsending) public func send(_ text: String, to device: Device.ID) async throws(CastError) {
        try await self.channel(to: device).send(text)
    }

    /// Sends bytes; otherwise like `send(_:to:)` for text.
    nonisolated(nonsending) public func send(_ bytes: [UInt8], to device: Device.ID) async throws(CastError) {
        try await self.channel(to: device).send(bytes)
    }

    /// Closes the channel to every device and ends the sequences. A second call does nothing.
    nonisolated(nonsending) public func unregister() async {
        await self.manager.unregister(self)
        let channels = self.channels.withLock { Array($0.values) }
        for channel in channels { await channel.close() }
        self.finish()
    }

    private func channel(to device: Device.ID) throws(CastError) -> CastChannel {
        guard let channel = self.channels.withLock({ $0[device] }) else {
            throw CastError(.channelNotConnected, detail: "there is no session with \(device), or the channel is unregistered")
        }
        return channel
    }

    // MARK: - Called on the event loop by the channel of one device

    func isOpen(on device: Device.ID) -> Bool { self.channels.withLock { $0[device] != nil } }

    func opened(_ channel: CastChannel, on device: Device.ID, isConnected: Bool) {
        self.channels.withLock { $0[device] = channel }
        if isConnected { self.notify(.connected, of: channel, on: device) }
    }

    func notify(_ event: CastChannel.Event, of channel: CastChannel, on device: Device.ID) {
        // A session that is ending may already have a successor.
        guard self.channels.withLock({ $0[device] === channel }) else { return }
        switch event {
        case .connected: self.setConnected { $0.insert(device) }
        case .disconnected: self.setConnected { $0.remove(device) }
        case .text, .binary: break
        }
        self.source.send(Event(device: device, event: event))
    }

    /// Handles the end of a channel: it was closed, or its session has ended.
    func ended(_ channel: CastChannel, on device: Device.ID) {
        let isLast = self.channels.withLock { channels in
            guard channels[device] === channel else { return false }
            channels[device] = nil
            return true
        }
        guard isLast, self.connectedNow.contains(device) else { return }
        self.setConnected { $0.remove(device) }
        self.source.send(Event(device: device, event: .disconnected))
    }

    func finish() {
        self.source.finish()
        self.connected.finish()
    }

    private func setConnected(_ change: (inout Set<Device.ID>) -> Void) {
        var devices = self.connectedNow
        change(&devices)
        self.connected.setIfChanged(devices)
    }
}
