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

    /// Moves a device's topics when its name has changed and they are to follow.
    func followName(of agent: DeviceAgent) {
        let device = agent.state.device
        guard self.settings.life.followsNames, self.known[device.id]?.isSlugChosen != true,
            let slug = self.slugs.follow(id: device.id, name: device.friendlyName)
        else { return self.applyPreferences(to: agent) }
        self.move(agent, to: slug)
    }

    /// Publishes a device under another slug, which the registry has given it already.
    func move(_ agent: DeviceAgent, to slug: String) {
        let former = agent.state.slug
        let id = agent.state.device.id
        agent.state.slug = slug
        self.known[id]?.slug = slug
        self.save()
        self.logger.info("device moves to other topics", metadata: ["device": "\(slug)", "previous": "\(former)"])
        self.publish(BridgeEvent.device(.deviceRenamed, agent.state.device, slug: slug, facts: ["previous_slug": .string(former)]))
        self.gatherDevices()
        self.groupsMayDiffer(after: .info, of: agent)
        self.subscribeWithoutWildcards(to: slug)
        self.considerAnnouncing(agent, .info)
        var move = TopicMove(of: id)
        let action = move.begin()
        self.moves[id] = move
        self.applyPreferences(to: agent)
        self.perform(action, of: id)
    }

    func perform(_ action: TopicMove.Action, of id: Device.ID) {
        switch action {
        case .none: break
        case .settle(let owner): self.settle([owner])
        case .finished:
            self.moves[id] = nil
            self.answerRequests(about: id, .done(["slug": .string(self.slugs.slug(of: id) ?? "")]))
        }
    }
}
