import BridgeCore
import CastSender

/// Publishes the messages of applications on allowed namespaces: `ns/<namespace>/recv`. They are never logged.
///
/// An open channel makes the bridge a sender of the application, so only allowed namespaces that the running application supports are
/// opened.
final class ChannelRelay {
    /// The MQTT 5 expiry of a message, in seconds.
    static let messageExpiry: UInt32 = 60

    private let context: BridgeContext
    private let queue: PublisherRunner
    private var open: [Device.ID: OpenChannels] = [:]

    private struct OpenChannels {
        let device: DeviceAgent
        /// The reading tasks by namespace; each ends with its session.
        var readers: [String: Task<Void, Never>] = [:]
    }

    init(_ context: BridgeContext, queue: PublisherRunner) { (self.context, self.queue) = (context, queue) }

    /// Handles a change of a device's link or application: closes channels that are no longer wanted and opens new ones.
    func applicationChanged(_ device: DeviceAgent) {
        guard !self.context.settings.commands.namespaces.isEmpty else { return }
        let session = device.session
        let spoken = session == nil ? [] : device.state.receiver?.application?.namespaces ?? []
        let wanted = Set(self.context.settings.commands.namespaces.channels(of: spoken))
        var channels = self.open[device.id] ?? OpenChannels(device: device)
        for (namespace, reader) in channels.readers where !wanted.contains(namespace) {
            reader.cancel()
            channels.readers[namespace] = nil
        }
        if let session {
            for namespace in wanted where channels.readers[namespace] == nil {
                guard let channel = session.assumeIsolated({ try? $0.openChannel(namespace) }) else { continue }
                channels.readers[namespace] = self.read(channel, namespace, of: device.id)
            }
        }
        self.open[device.id] = channels
    }

    func dismiss(_ device: DeviceAgent) {
        for reader in (self.open.removeValue(forKey: device.id)?.readers ?? [:]).values { reader.cancel() }
    }

    func end() {
        for reader in self.open.values.flatMap(\.readers.values) { reader.cancel() }
        self.open = [:]
    }

    private func read(_ channel: CastChannel, _ namespace: String, of id: Device.ID) -> Task<Void, Never> {
        let events = channel.events
        return self.context.loop.start(self) { relay in
            for await case .event(let event) in events { relay.publish(event, on: namespace, of: id) }
            await channel.close()
        }
    }

    private func publish(_ event: CastChannel.Event, on namespace: String, of id: Device.ID) {
        // A cancelled reader may already have received an event.
        guard let channels = self.open[id], channels.readers[namespace] != nil else { return }
        let (payload, content): ([UInt8], OutgoingMessage.Content)
        switch event {
        case .connected, .disconnected: return
        case .text(let text): (payload, content) = (Array(text.utf8), .message)
        case .binary(let bytes): (payload, content) = (bytes, .binary)
        }
        self.queue.enqueue(
            passing: OutgoingMessage(
                topic: self.context.topics.device(channels.device.state.slug, "ns/\(namespace)/recv"), payload: payload, qos: 0,
                retain: false,
                content: content, expirySeconds: Self.messageExpiry))
    }
}
