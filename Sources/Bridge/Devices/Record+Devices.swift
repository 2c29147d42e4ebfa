import BridgeCore
import CastSender

extension Record {
    /// Records the endpoints and the name of a device for the next start.
    func note(_ device: Device, of agent: DeviceAgent, publishedBy mapper: TopicMapper) {
        // A dynamic group gets another id the next time.
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
