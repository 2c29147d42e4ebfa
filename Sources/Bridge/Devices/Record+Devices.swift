import BridgeCore
import CastSender

extension Record {
    /// Notes for the next start where a device is and what it is called.
    func note(_ device: Device, of agent: DeviceAgent, publishedBy mapper: TopicMapper) {
        // A dynamic group has another id the next time.
        guard agent.isPublished(by: mapper) else { return }
        var known = self[device.id] ?? KnownDevice(id: device.id, slug: agent.state.slug, name: device.friendlyName)
        known.name = device.friendlyName
        known.model = device.modelName
        known.capabilities = device.capabilities
        known.identity = agent.state.device.identity
        if !device.endpoints.isEmpty { known.endpoints = device.endpoints }
        self.set(known, .later)
    }
}
