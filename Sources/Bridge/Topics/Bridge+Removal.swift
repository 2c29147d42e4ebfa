import BridgeCore
import CastSender
import NIOCore

/// Devices that go for good: their supervisor ends at once, their topics in the order of `TopicRemoval`.
extension Bridge {
    /// Begins to remove a device; what of it is not done when the program ends is done after the next start.
    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard var known = self.known[id] else { return }
        known.removal = kind
        self.known[id] = known
        self.save()
        if let agent = self.agents.removeValue(forKey: id) { self.dismiss(agent) }
        self.finishRequests(.rename(id), CommandResult(.unknownDevice, message: "The device was removed before its topics had moved."))
        guard self.removals[id] == nil else { return }
        self.resumeRemoval(of: known)
    }

    /// Begins, or begins again after a start.
    func resumeRemoval(of known: KnownDevice) {
        var removal = TopicRemoval(of: known.id, isAnnounced: !known.discoveryTopics.isEmpty)
        let action = removal.begin()
        self.removals[known.id] = removal
        self.perform(action, of: known.id)
    }

    /// Answers what it was asked, and ends its link; applications keep running.
    func dismiss(_ agent: DeviceAgent) {
        let device = agent.state.device
        self.perform(agent.desk.close(now: self.now.monotonic), of: agent)
        agent.cancelCommands()
        for reader in agent.channels.values { reader.cancel() }
        agent.channels = [:]
        agent.cancelTimers()
        self.announcer.forget(.device(device.id))
        // Its end is told to nobody any more.
        if agent.supervisor.assumeIsolated({ $0.session }) != nil { self.health.linkDown() }
        agent.supervisor.end()
        self.moves[device.id] = nil
        self.leaveGroups(device.id)
        if self.mapper.publishes(agent.state.device) { self.publish(BridgeEvent.device(.deviceRemoved, device, slug: agent.state.slug)) }
        self.logger.info("device removed", metadata: ["device": "\(agent.state.slug)", "name": "\(device.friendlyName)"])
        self.gatherDevices()
    }

    /// The broker has answered for everything of this owner.
    func settled(_ owner: DocumentOwner) {
        self.announcementSettled(owner)
        if var clearance {
            let action = clearance.settled(owner, now: self.now.monotonic)
            self.clearance = clearance
            return self.perform(action)
        }
        guard let id = owner.device else { return }
        if var removal = self.removals[id] {
            let action = removal.settled(owner, now: self.now.monotonic)
            self.removals[id] = removal
            self.perform(action, of: id)
        } else if var move = self.moves[id] {
            let action = move.settled(owner)
            self.moves[id] = move
            self.perform(action, of: id)
        }
    }

    private func perform(_ action: TopicRemoval.Action, of id: Device.ID) {
        switch action {
        case .none: break
        case .settle(let owners): self.settle(owners)
        case .wake(let time):
            var timer = self.removalTimers[id] ?? EventLoopTimer()
            timer.set(time, on: self.eventLoop) { [weak self] in
                self?.assumeIsolated { bridge in
                    guard var removal = bridge.removals[id] else { return }
                    bridge.removalTimers[id] = nil
                    let action = removal.wake(now: bridge.now.monotonic)
                    bridge.removals[id] = removal
                    bridge.perform(action, of: id)
                }
            }
            self.removalTimers[id] = timer
        case .finished: self.finishRemoval(of: id)
        }
    }

    func settle(_ owners: [DocumentOwner]) {
        for owner in owners { self.publisher.settle(owner) }
        self.schedulePump()
    }

    /// What the broker refused to clear stays on record, for the next start to try again.
    private func finishRemoval(of id: Device.ID) {
        self.removals[id] = nil
        guard let known = self.known[id] else { return }
        let kept = known.topics.union(known.discoveryTopics)
        self.finishRequests(.removal(id), .done(["kept": .integer(Int64(kept.count))]))
        guard kept.isEmpty else {
            self.logger.warning(
                "the broker kept topics of a removed device; the next start tries again", metadata: ["device": "\(known.slug)"])
            return
        }
        self.publisher.forget(.device(id))
        self.publisher.forget(.discovery(id))
        guard known.removal == .forgetting else { return }
        self.known[id] = nil
        self.authentication.keys.forget(id)
        self.slugs.remove(id)
        self.save()
    }

    /// Whether a device is to be left alone. One that was removed and is heard of again, once its topics are gone, begins anew.
    func isRemoved(_ id: Device.ID) -> Bool {
        guard self.known[id]?.removal != nil else { return false }
        guard self.removals[id] == nil else { return true }
        self.known[id]?.removal = nil
        return false
    }

    // MARK: Devices that are away for long

    /// Between two looks, and how long a device must have been away in this run before the wall clock counts.
    static let forgettingInterval = Duration.seconds(3600)

    /// Notes when a device was last available; once a day is enough, since a write wears the disk.
    func noteSeen(_ agent: DeviceAgent) {
        let id = agent.state.device.id
        let now = self.now.wall
        guard let known = self.known[id], known.lastSeen.map({ abs($0.seconds(until: now)) >= 86_400 }) ?? true else { return }
        self.known[id]?.lastSeen = now
        self.save()
    }

    /// Looks every hour, beginning with the first after the start, when the clock is right and whoever is there has come.
    func armForgetting() {
        self.forgettingTimer.set(self.now.monotonic + Self.forgettingInterval, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.forgettingTimer.cancel()
                bridge.forgetAbsent()
                bridge.armForgetting()
            }
        }
    }

    private func forgetAbsent() {
        let now = self.now.wall
        for (id, known) in self.known {
            if let agent = self.agents[id], agent.state.isAvailable {
                self.noteSeen(agent)
            } else if let seen = known.lastSeen {
                guard let days = self.settings.life.forgetAfterDays, seen.seconds(until: now) > Double(days) * 86_400 else { continue }
                self.logger.notice(
                    "a device was away for too long and is removed", metadata: ["device": "\(known.slug)", "days": "\(days)"])
                self.remove(id, .forgetting)
            } else {
                self.known[id]?.lastSeen = now
                self.save()
            }
        }
    }

    // MARK: Everything, before the end

    /// How long the broker may take to clear everything.
    private static let clearingLimit = TimeAmount.seconds(6)

    /// Clears every topic of every owner but `bridge/state`, as far as the broker answers in time.
    func clearEverything() async {
        guard self.session != nil else { return }
        let announced = self.known.values.filter { !$0.discoveryTopics.isEmpty }.map(\.id).sorted()
        var announcements = announced.map { DocumentOwner.discovery($0) }
        if !self.bridgeDiscoveryTopics.isEmpty { announcements.append(.bridgeDiscovery) }
        let documents = self.known.keys.sorted().map { DocumentOwner.device($0) } + [.bridge]
        var clearance = TopicRemoval(announcements: announcements, documents: documents)
        let action = clearance.begin()
        self.clearance = clearance
        let limit = self.eventLoop.scheduleTask(in: Self.clearingLimit) { [weak self] in
            self?.assumeIsolated { $0.finishClearing() }
        }
        await withCheckedContinuation { continuation in
            self.finishedClearing = continuation
            self.perform(action)
        }
        limit.cancel()
    }

    private func perform(_ action: TopicRemoval.Action) {
        switch action {
        case .none: break
        case .settle(let owners): self.settle(owners)
        case .wake(let time):
            self.clearanceTimer.set(time, on: self.eventLoop) { [weak self] in
                self?.assumeIsolated { bridge in
                    bridge.clearanceTimer.cancel()
                    guard var clearance = bridge.clearance else { return }
                    let action = clearance.wake(now: bridge.now.monotonic)
                    bridge.clearance = clearance
                    bridge.perform(action)
                }
            }
        case .finished: self.finishClearing()
        }
    }

    /// Everything is cleared, or there is no more time, or no link to clear it on.
    func finishClearing() {
        self.finishedClearing?.resume()
        self.finishedClearing = nil
    }
}
