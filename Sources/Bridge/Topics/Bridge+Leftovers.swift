import BridgeCore
import CastSender
import MQTTClient
import NIOCore

/// `topics/clean`: what is kept on the broker and should not be there.
extension Bridge {
    /// Most topics that an answer names.
    private static let maximumTopicsTold = 500

    func searchLeftovers(apply: Bool, _ envelope: CommandEnvelope) {
        guard let epoch = self.session?.epoch else { return }
        guard self.session?.limits.wildcardAvailable != false else {
            return self.answer(
                envelope, CommandResult(.notSupported, message: "The broker allows no wildcards, so nothing can be looked for."))
        }
        guard self.sweep == nil, !self.openRequests.contains(.cleaning) else {
            return self.answer(envelope, CommandResult(.rateLimited, message: "Another search is still under way."))
        }
        self.openRequests.append(envelope, about: .cleaning)
        self.appliesCleaning = apply
        var search = LeftoverSearch(topics: self.settings.topics, instance: self.settings.instance, names: TopicMapper.retainedNames)
        let action = search.begin()
        self.leftoverSearch = search
        self.perform(action, epoch: epoch)
    }

    private func perform(_ action: LeftoverSearch.Action, epoch: UInt64) {
        switch action {
        case .none: break
        case .askForCommands: self.look(with: self.commandSubscriptions(retainHandling: .send), epoch: epoch)
        case .subscribe(let filters): self.look(with: filters.map { MQTTSubscription(filter: $0, qos: .atLeastOnce) }, epoch: epoch)
        case .finished: self.finishLeftoverSearch()
        }
    }

    private func look(with subscriptions: [MQTTSubscription], epoch: UInt64) {
        self.link?.subscribe(subscriptions, epoch: epoch) { [weak self] outcome in
            self?.later { bridge in
                guard epoch == bridge.session?.epoch, bridge.leftoverSearch != nil else { return }
                guard case .acknowledged = outcome else { return bridge.abandonLeftoverSearch() }
                bridge.leftoverSearch?.subscribed(now: bridge.now.monotonic)
                bridge.armLeftoverSearch()
            }
        }
    }

    private func armLeftoverSearch() {
        guard let deadline = self.leftoverSearch?.deadline else { return self.leftoverTimer.cancel() }
        self.leftoverTimer.set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.leftoverTimer.cancel()
                guard var search = bridge.leftoverSearch, let epoch = bridge.session?.epoch else { return }
                let former = search.topicFilters
                let action = search.wake(now: bridge.now.monotonic)
                bridge.leftoverSearch = search
                guard action != .none else { return bridge.armLeftoverSearch() }
                if !former.isEmpty { bridge.link?.unsubscribe(former, epoch: epoch) { _ in } }
                bridge.perform(action, epoch: epoch)
            }
        }
    }

    /// Takes what the search asked for; the rest is for others.
    func leftoverReceived(_ message: IncomingMessage) -> Bool {
        guard self.leftoverSearch != nil else { return false }
        return self.leftoverSearch?.received(
            topic: message.topic, payload: message.payload, isCommand: self.parser.isCommandTopic(message.topic), now: self.now.monotonic)
            ?? false
    }

    private func finishLeftoverSearch() {
        let found = self.leftoverSearch?.leftovers(slugs: self.slugs.allSlugs) { self.publisher.holds($0) } ?? []
        self.leftoverSearch = nil
        let topics = found.prefix(Self.maximumTopicsTold).map {
            JSONValue.object(["topic": .string($0.topic), "kind": .string($0.kind.rawValue)])
        }
        let clears = self.appliesCleaning && !found.isEmpty
        self.cleaning = Cleaning(found: Set(found.map(\.topic)), data: ["found": .integer(Int64(found.count)), "topics": .array(topics)])
        guard clears else { return self.finishCleaning(isApplied: false, refused: []) }
        self.logger.notice("clearing leftovers, because a client asked for it", metadata: ["topics": "\(found.count)"])
        self.publisher.clear(leftovers: found.map(\.topic))
        self.schedulePump()
    }

    /// The broker has answered for all that was to be cleared, now or at the start.
    func leftoversCleared(refused: Set<String>) {
        guard self.leftoverSearch == nil else { return }
        self.finishCleaning(isApplied: true, refused: refused)
    }

    private func finishCleaning(isApplied: Bool, refused: Set<String>) {
        guard let cleaning else { return }
        self.cleaning = nil
        let kept = cleaning.found.intersection(refused).count
        var data = cleaning.data
        data.append("cleared", .bool(isApplied && kept == 0))
        data.append("refused", .integer(Int64(kept)))
        self.finishRequests(.cleaning, .done(data))
    }

    /// The link broke: what was found says nothing about the next.
    func abandonLeftoverSearch() {
        guard self.leftoverSearch != nil || self.cleaning != nil else { return }
        (self.leftoverSearch, self.cleaning) = (nil, nil)
        self.leftoverTimer.cancel()
        self.finishRequests(.cleaning, CommandResult(.timeout, message: "The link to the broker broke meanwhile."))
    }
}

/// What a search has found, while the broker is asked to clear it.
struct Cleaning {
    var found: Set<String>
    /// What the answer tells of it.
    var data: JSONObject
}
