import BridgeCore
import CastSender

/// Devices that get another slug: their topics move in the order of `TopicMove`, and may be in the way of one that had the slug before.
extension Bridge {
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
        self.moved.insert(id)
        self.takeOver(slug, by: id)
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
            self.finishRequests(.rename(id), .done(["slug": .string(self.slugs.slug(of: id) ?? "")]))
        }
    }

    // MARK: Slugs that others had

    /// Topics below a slug are the business of the device that has it now. One that had it before may not be done with clearing them, and
    /// would clear what the new one publishes.
    func takeOver(_ slug: String, by id: Device.ID) {
        guard self.known[id] != nil else { return }
        let prefix = self.settings.topics.device(slug, "")
        for other in self.moved.sorted() where other != id {
            guard let topics = self.known[other]?.topics.filter({ $0.utf8.starts(with: prefix.utf8) }), !topics.isEmpty else { continue }
            self.known[other]?.topics.subtract(topics)
            self.known[id]?.topics.formUnion(topics)
            self.publisher.handOver(topicsBelow: prefix, from: .device(other), to: .device(id))
        }
    }

    /// The same for what an earlier run left on record when it ended amid moves.
    func takeOverAfterRestart() {
        var slugs: Set<String> = []
        for known in self.known.values {
            let own = self.settings.topics.device(known.slug, "")
            let strays = known.topics.filter { !$0.utf8.starts(with: own.utf8) }
            guard !strays.isEmpty else { continue }
            self.moved.insert(known.id)
            slugs.formUnion(strays.compactMap { self.settings.topics.deviceDocument($0)?.slug })
        }
        for slug in slugs.sorted() { if let owner = self.slugs.owner(of: slug) { self.takeOver(slug, by: owner) } }
    }
}
