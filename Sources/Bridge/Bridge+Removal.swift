import BridgeCore
import CastSender
import NIOCore

/// Devices that go for good: their supervisor ends at once, their topics in the order of `DeviceRemoval`.
extension Bridge {
    /// Begins to remove a device; what of it is not done when the program ends is done after the next start.
    func remove(_ id: Device.ID, _ kind: KnownDevice.Removal) {
        guard var known = self.known[id] else { return }
        known.removal = kind
        self.known[id] = known
        self.save()
        if let agent = self.agents.removeValue(forKey: id) { self.dismiss(agent) }
        guard self.removals[id] == nil else { return }
        self.resumeRemoval(of: known)
    }

    /// Begins, or begins again after a start.
    func resumeRemoval(of known: KnownDevice) {
        var removal = DeviceRemoval(of: known.id)
        let action = removal.begin(isAnnounced: !known.discoveryTopics.isEmpty)
        self.removals[known.id] = removal
        self.perform(action, of: known.id)
    }

    /// Answers what it was asked, and ends its link; applications keep running.
    private func dismiss(_ agent: DeviceAgent) {
        let device = agent.state.device
        self.agents[device.id] = agent
        self.perform(agent.desk.close(now: self.now.monotonic), of: agent)
        self.agents[device.id] = nil
        for task in agent.running.values { task.cancel() }
        agent.running = [:]
        agent.cancelTimers()
        agent.supervisor.end()
        self.publish(BridgeEvent.device(.deviceRemoved, device, slug: agent.state.slug))
        self.logger.info("device removed", metadata: ["device": "\(agent.state.slug)", "name": "\(device.friendlyName)"])
        self.gatherDevices()
    }

    /// The broker has answered for everything of this owner.
    func settled(_ owner: DocumentOwner) {
        guard let id = owner.device, var removal = self.removals[id] else { return }
        let action = removal.settled(owner, now: self.now.monotonic)
        self.removals[id] = removal
        self.perform(action, of: id)
    }

    private func perform(_ action: DeviceRemoval.Action, of id: Device.ID) {
        switch action {
        case .none: break
        case .settle(let owner):
            self.publisher.settle(owner)
            self.schedulePump()
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

    /// What the broker refused to clear stays on record, for the next start to try again.
    private func finishRemoval(of id: Device.ID) {
        self.removals[id] = nil
        guard let known = self.known[id] else { return }
        guard known.topics.isEmpty, known.discoveryTopics.isEmpty else {
            self.logger.warning(
                "the broker kept topics of a removed device; the next start tries again", metadata: ["device": "\(known.slug)"])
            return
        }
        self.publisher.forget(.device(id))
        self.publisher.forget(.discovery(id))
        guard known.removal == .forgetting else { return }
        self.known[id] = nil
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
}
