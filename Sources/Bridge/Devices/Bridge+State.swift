import BridgeCore
import CastSender
import NIOCore

/// The state of a device: what events make of it, and what is due at a later time.
extension Bridge {
    /// The device of this life, unless that is over.
    func agent(_ key: DeviceAgent.Key) -> DeviceAgent? {
        // No number is given twice.
        guard let agent = self.agents[key.device], agent.key.number == key.number else { return nil }
        return agent
    }

    /// Applies an event to a device's state and does what follows.
    func reduce(_ event: DeviceEvent, of agent: DeviceAgent) {
        let now = self.now
        for output in agent.state.reduce(event, at: now, options: agent.options) {
            switch output {
            case .changed(let documents): self.changed(agent, documents)
            case .event(let event):
                guard self.mapper.publishes(agent.state.device) else { continue }
                self.enqueue(event: self.mapper.event(event, of: agent.state.slug, at: now.wall))
            case .bridgeEvent(let event): if self.mapper.publishes(agent.state.device) { self.publish(event) }
            case .wakeAt: self.armState(agent)
            }
        }
        self.armTick(agent)
        self.armProbe(agent)
    }

    func changed(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        if documents.contains(.listing) { self.gatherDevices() }
        self.considerAnnouncing(agent, documents)
        let isSettling = agent.state.player.isSettling
        let documents = documents.intersection(.all)
        // The first whole state of a device is not to be cut in two: leftovers of an earlier run would be kept.
        let isPaced = documents != .all || agent.wasWhole
        if documents == .all, agent.state.link.isDetermined { agent.wasWhole = true }
        self.mark(agent, isPaced ? agent.pace.changed(documents, isSettling: isSettling, at: self.now.monotonic) : documents)
        self.groupsMayDiffer(after: documents, of: agent)
    }

    private func mark(_ agent: DeviceAgent, _ documents: DeviceDocuments) {
        self.armPace(agent)
        guard !documents.isEmpty else { return }
        self.publisher.changed(.device(agent.state.device.id), documents)
        self.schedulePump()
    }

    // MARK: Timers

    /// Does `action` at `deadline`, instead of at any earlier wish, unless the device's life is over by then; without a deadline never.
    func arm(
        _ timer: ReferenceWritableKeyPath<DeviceAgent, EventLoopTimer> & Sendable, of agent: DeviceAgent, at deadline: MonotonicTime?,
        _ action: @escaping @Sendable (isolated Bridge, DeviceAgent) -> Void
    ) {
        guard let deadline else { return agent[keyPath: timer].cancel() }
        let key = agent.key
        agent[keyPath: timer].set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                guard let agent = bridge.agent(key) else { return }
                agent[keyPath: timer].cancel()
                action(bridge, agent)
            }
        }
    }

    private func armPace(_ agent: DeviceAgent) {
        self.arm(\.paceTimer, of: agent, at: agent.pace.nextDeadline) { bridge, agent in
            bridge.mark(agent, agent.pace.release(at: bridge.now.monotonic))
        }
    }

    func armState(_ agent: DeviceAgent) {
        self.arm(\.stateTimer, of: agent, at: agent.state.nextDeadline) { bridge, agent in
            bridge.reduce(.timer, of: agent)
            bridge.armState(agent)
        }
    }

    private func armTick(_ agent: DeviceAgent) {
        let next = self.mapper.nextTick(player: agent.state.player, anchor: agent.state.presentedAnchor, after: self.now.monotonic)
        self.arm(\.tickTimer, of: agent, at: next) { bridge, agent in
            bridge.tick(agent)
            bridge.armTick(agent)
        }
    }

    /// Asks a device that plays where it is, ten seconds after it last told.
    private func armProbe(_ agent: DeviceAgent) {
        guard self.settings.publishing.probesPosition, agent.state.isAvailable, let media = agent.state.media, media.playerState == .playing
        else { return agent.probeTimer.cancel() }
        let due = max(media.receivedAt, agent.probedAt ?? media.receivedAt) + Self.probeInterval
        self.arm(\.probeTimer, of: agent, at: due) { bridge, agent in
            agent.probedAt = bridge.now.monotonic
            bridge.session(of: agent)?.assumeIsolated { $0.askMediaStatus() }
            bridge.armProbe(agent)
        }
    }
}
