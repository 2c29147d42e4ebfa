import BridgeCore
import CastSender
import LogKeys
import Logging

/// The names of devices in topics, and users' choices for single devices.
final class DeviceNames {
    private let context: BridgeContext
    private let record: Record
    private(set) var registry: SlugRegistry

    init(_ context: BridgeContext, record: Record) {
        self.context = context
        self.record = record
        self.registry = SlugRegistry(identity: context.settings.topicOptions.identity)
    }

    /// Adds the slugs and aliases of an earlier run, before any slug is assigned. They are also kept for devices that are not active.
    func restore(_ devices: [KnownDevice]) {
        for known in devices { self.registry.restore(known.slug, for: known.id) }
        for known in devices { _ = self.registry.setAliases(known.preferences.aliases ?? [], for: known.id) }
    }

    /// Returns the slug of a device, and assigns one if it has none.
    func assign(_ device: Device) -> String {
        self.registry.assign(id: device.id, name: device.friendlyName) { self.isReserved($0, for: device) }
    }

    /// Returns whether the configuration gives the name to another device as an alias, also to one that is not found yet.
    private func isReserved(_ name: String, for device: Device) -> Bool {
        let configured = self.context.settings.devices.first { $0.preferences.aliases?.contains(name) == true }
        return configured.map { !$0.matches(id: device.id, slug: name, name: device.friendlyName) } ?? false
    }

    func remove(_ id: Device.ID) { self.registry.remove(id) }

    /// Returns the id of the device with this slug, alias or id, also of a known device that is not active.
    func deviceID(named name: String) -> Device.ID? { self.registry.device(named: name) }
    /// Returns the known device that a request names, active or not.
    func knownDevice(named name: String) -> KnownDevice? { self.deviceID(named: name).flatMap { self.record[$0] } }

    /// Returns the new slug of a renamed device, if slugs follow names and no user chose this one.
    func slugFollowingName(of device: Device) -> String? {
        guard self.context.settings.topicOptions.rename == .follow, self.record[device.id]?.isSlugChosen != true else { return nil }
        return self.registry.follow(id: device.id, name: device.friendlyName) { self.isReserved($0, for: device) }
    }

    /// Sets the slug that a user chose; `nil` sets the one of the device's name. If it differs, call `DeviceRenaming.move`.
    /// - Returns: the new slug.
    func choose(_ slug: String?, for device: Device) throws(SlugRegistry.Refusal) -> String {
        if let slug {
            try self.registry.choose(slug, for: device.id)
        } else if self.registry.identity == .id {
            throw .slugsAreIDs
        } else {
            _ = self.registry.follow(id: device.id, name: device.friendlyName) { self.isReserved($0, for: device) }
        }
        self.record.update(device.id) { $0.isSlugChosen = slug != nil }
        return self.assign(device)
    }

    /// Returns the effective choices for a device: those of requests, then the configuration's.
    func preferences(of agent: DeviceAgent) -> DevicePreferences {
        let device = agent.state.device
        let configured = self.context.settings.devices.first {
            $0.matches(id: device.id, slug: agent.state.slug, name: device.friendlyName)
        }
        return (self.record[device.id]?.preferences ?? DevicePreferences()).over(configured?.preferences ?? DevicePreferences())
    }

    /// Applies the effective choices.
    /// - Returns: whether any of them changed.
    func applyPreferences(to agent: DeviceAgent) -> Bool {
        let wanted = self.preferences(of: agent)
        let aliases = wanted.aliases ?? []
        let refused = self.registry.setAliases(aliases, for: agent.id)
        for alias in agent.newlyRefused(refused) {
            self.context.logger.warning(
                "alias left out; it means another device", metadata: [.device: "\(agent.state.slug)", .alias: "\(alias)"])
        }
        var options = self.context.settings.device
        options.inactiveInputIsOff = wanted.inactiveInputIsOff ?? options.inactiveInputIsOff
        options.maximumVolume = Double(wanted.maximumVolume ?? 100) / 100
        return agent.choose(options, aliases: aliases.filter { !refused.contains($0) }, area: wanted.area)
    }
}
