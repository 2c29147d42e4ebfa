import BridgeCore
import CastSender

/// Publishes what applications send on namespaces that the user allows: `ns/<namespace>/recv`. Never logged.
///
/// An open channel makes the bridge one of the application's senders, so only allowed namespaces that the running application speaks are
/// opened.
final class ChannelRelay {
    /// Most namespaces that are open on one device.
    static let maximumChannels = 16
    /// MQTT 5 expiry of such a message, in seconds.
    static let messageExpiry: UInt32 = 60

    private let context: BridgeContext
    private let queue: any MessageQueue
    /// Readers of open channels by namespace; each ends with its session.
    private var readers: [Device.ID: [String: Task<Void, Never>]] = [:]

    init(_ context: BridgeContext, queue: any MessageQueue) {
        self.context = context
        self.queue = queue
    }

    /// The link of a device or its application changed: closes channels that are not wanted any more, opens new ones.
    func applicationChanged(_ device: DeviceAgent) {
        guard !self.context.settings.commands.namespaces.isEmpty else { return }
        let session = device.session
        let spoken = session == nil ? [] : device.state.receiver?.application?.namespaces ?? []
        let wanted = Set(spoken.filter { self.context.settings.commands.namespaces.allows($0) }.sorted().prefix(Self.maximumChannels))
        var readers = self.readers[device.id] ?? [:]
        for (namespace, reader) in readers where !wanted.contains(namespace) {
            reader.cancel()
            readers[namespace] = nil
        }
        if let session {
            for namespace in wanted where readers[namespace] == nil {
                guard let channel = session.assumeIsolated({ try? $0.openChannel(namespace) }) else { continue }
                readers[namespace] = self.read(channel, namespace, of: device)
            }
        }
        self.readers[device.id] = readers
    }

    /// The device is no longer one of the bridge's.
    func dismiss(_ device: DeviceAgent) {
        for reader in (self.readers.removeValue(forKey: device.id) ?? [:]).values { reader.cancel() }
    }

    func end() {
        for reader in self.readers.values.flatMap(\.values) { reader.cancel() }
        self.readers = [:]
    }

    private func read(_ channel: CastChannel, _ namespace: String, of device: DeviceAgent) -> Task<Void, Never> {
        let port = ChannelPort(relay: self, device: device, namespace: namespace)
        let events = channel.events
        return self.context.loop.start(port) { port in
            for await case .event(let event) in events { port.publish(event) }
            await channel.close()
        }
    }

    fileprivate func publish(_ event: CastChannel.Event, on namespace: String, of device: DeviceAgent) {
        // A cancelled reader may still have had an event.
        guard self.readers[device.id]?[namespace] != nil else { return }
        let (payload, content): ([UInt8], OutgoingMessage.Content)
        switch event {
        case .connected, .disconnected: return
        case .text(let text): (payload, content) = (Array(text.utf8), .message)
        case .binary(let bytes): (payload, content) = (bytes, .binary)
        }
        self.queue.enqueue(
            passing: OutgoingMessage(
                topic: self.context.topics.device(device.state.slug, "ns/\(namespace)/recv"), payload: payload, qos: 0, retain: false,
                content: content, expirySeconds: Self.messageExpiry))
    }
}

/// Where the messages of one channel are published.
private final class ChannelPort {
    private weak var relay: ChannelRelay?
    private let device: DeviceAgent
    private let namespace: String

    init(relay: ChannelRelay, device: DeviceAgent, namespace: String) {
        self.relay = relay
        self.device = device
        self.namespace = namespace
    }

    func publish(_ event: CastChannel.Event) { self.relay?.publish(event, on: self.namespace, of: self.device) }
}
