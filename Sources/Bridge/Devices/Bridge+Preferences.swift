import BridgeCore
import CastSender

/// What users chose for single devices: their slugs, and everything in `DevicePreferences`.
extension Bridge {
    /// The choices in force: those of requests, then the configuration's.
    func preferences(of agent: DeviceAgent) -> DevicePreferences {
        let device = agent.state.device
        let configured = self.settings.devices.first { $0.matches(id: device.id, slug: agent.state.slug, name: device.friendlyName) }
        return (self.known[device.id]?.preferences ?? DevicePreferences()).over(configured?.preferences ?? DevicePreferences())
    }

    /// Puts the choices into force, after a start and whenever they or the device's name or slug change.
    func applyPreferences(to agent: DeviceAgent) {
        let wanted = self.preferences(of: agent)
        let id = agent.state.device.id
        let aliases = wanted.aliases ?? []
        let refused = self.slugs.setAliases(aliases, for: id)
        if refused != agent.refusedAliases {
            agent.refusedAliases = refused
            for alias in refused {
                self.logger.warning(
                    "an alias means another device already and is left out",
                    metadata: ["device": "\(agent.state.slug)", "alias": "\(alias)"])
            }
        }
        var options = self.settings.device
        options.inactiveInputIsOff = wanted.inactiveInputIsOff ?? options.inactiveInputIsOff
        let accepted = aliases.filter { !refused.contains($0) }
        let isDifferent = agent.options != options || agent.state.aliases != accepted || agent.state.area != wanted.area
        guard isDifferent else { return }
        agent.options = options
        agent.state.aliases = accepted
        agent.state.area = wanted.area
        self.changed(agent, [.info, .listing])
        // Whether an input is off shows in the player.
        self.reduce(.timer, of: agent)
    }
}
