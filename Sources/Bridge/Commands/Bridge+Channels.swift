import BridgeCore
import CastSender

/// Messages that applications send on namespaces the user allows: `ns/<namespace>/recv`. They are never logged.
extension Bridge {
    /// Most namespaces that are listened to on one device.
    static let maximumChannels = 16
    /// MQTT 5 expiry of such a message, in seconds.
    static let channelMessageExpiry: UInt32 = 60

    /// Listens to the allowed namespaces that the running application speaks, and to no others. While one is open the application counts
    /// the bridge as a sender.
    func settleChannels(of agent: DeviceAgent) {
        guard !self.settings.commands.namespaces.isEmpty else { return }
        let session = self.session(of: agent)
        let spoken = session == nil ? [] : agent.state.receiver?.application?.namespaces ?? []
        let wanted = Set(spoken.filter { self.settings.commands.namespaces.allows($0) }.sorted().prefix(Self.maximumChannels))
        for (namespace, reader) in agent.channels where !wanted.contains(namespace) {
            reader.cancel()
            agent.channels[namespace] = nil
        }
        guard let session else { return }
        let key = agent.key
        for namespace in wanted where agent.channels[namespace] == nil {
            guard let channel = session.assumeIsolated({ try? $0.openChannel(namespace) }) else { continue }
            let events = channel.events
            agent.channels[namespace] = Task {
                for await case .event(let event) in events { self.publish(event, on: namespace, of: key) }
                await channel.close()
            }
        }
    }

    private func publish(_ event: CastChannel.Event, on namespace: String, of key: DeviceAgent.Key) {
        guard let agent = self.agent(key) else { return }
        let (payload, content): ([UInt8], OutgoingMessage.Content)
        switch event {
        case .connected, .disconnected: return
        case .text(let text): (payload, content) = (Array(text.utf8), .message)
        case .binary(let bytes): (payload, content) = (bytes, .binary)
        }
        self.publisher.enqueue(
            passing: OutgoingMessage(
                topic: self.settings.topics.device(agent.state.slug, "ns/\(namespace)/recv"), payload: payload, qos: 0, retain: false,
                content: content, expirySeconds: Self.channelMessageExpiry))
        self.schedulePump()
    }
}
