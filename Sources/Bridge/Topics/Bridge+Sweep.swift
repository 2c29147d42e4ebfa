import BridgeCore
import MQTTClient
import NIOCore

/// Clears what an earlier life left on the broker for devices that nobody knows any more.
extension Bridge {
    /// Begins to look, once in a process.
    func beginSweep() {
        guard self.isSweepDue, let epoch = self.session?.epoch else { return }
        if self.sweep == nil {
            self.sweep = StartUpSweep(topics: self.settings.topics, instance: self.settings.instance, names: TopicMapper.retainedNames)
        }
        let filters = ((self.sweep?.topicFilters ?? []) + [self.discoverySweep.topicFilter]).map {
            MQTTSubscription(filter: $0, qos: .atMostOnce)
        }
        self.link?.subscribe(filters, epoch: epoch) { [weak self] outcome in
            self?.later { bridge in
                guard epoch == bridge.session?.epoch else { return }
                // Without the subscription nothing is found; it is still due at the next connect.
                guard case .acknowledged = outcome else {
                    bridge.sweep = nil
                    return
                }
                bridge.sweep?.begin(now: bridge.now.monotonic)
                bridge.armSweep()
            }
        }
    }

    private func armSweep() {
        guard let deadline = self.sweep?.deadline else { return self.sweepTimer.cancel() }
        self.sweepTimer.set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.sweepTimer.cancel()
                bridge.finishSweep()
            }
        }
    }

    private func finishSweep() {
        guard let sweep, let epoch = self.session?.epoch else { return }
        guard let leftovers = sweep.finish(keeping: self.slugs.allSlugs, now: self.now.monotonic) else { return self.armSweep() }
        self.isSweepDue = false
        self.sweep = nil
        self.link?.unsubscribe(sweep.topicFilters + [self.discoverySweep.topicFilter], epoch: epoch) { _ in }
        let announcements = self.discoverySweep.leftovers(keeping: self.announcementTopics)
        if !announcements.isEmpty {
            self.logger.info("clearing what an earlier run announced", metadata: ["topics": "\(announcements.count)"])
            self.publisher.clear(leftovers: announcements)
        }
        for leftover in leftovers {
            self.logger.info("clearing what an earlier run left on the broker", metadata: ["device": "\(leftover.slug)"])
            self.publisher.clear(leftovers: leftover.topics)
        }
        self.pump()
    }

    /// Takes what the sweep waits for; the rest is for the command path.
    func sweepReceived(_ message: IncomingMessage) {
        guard self.sweep?.deadline != nil else { return }
        if self.discoverySweep.received(topic: message.topic, payload: message.payload, retain: message.retain) {
            self.sweep?.heard(now: self.now.monotonic)
            return self.armSweep()
        }
        self.sweep?.received(topic: message.topic, payload: message.payload, retain: message.retain, now: self.now.monotonic)
    }
}
