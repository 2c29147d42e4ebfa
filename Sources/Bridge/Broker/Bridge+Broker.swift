import BridgeCore
import CastSender
import MQTTClient
import NIOCore

/// The broker side: what the link tells, what is sent on it.
extension Bridge {
    func brokerTold(_ event: MQTTEvent) {
        switch event {
        case .connected(let session): self.connected(session)
        case .disconnected(_, let error): self.disconnected(error)
        case .attemptFailed: break
        case .message(let message, let epoch):
            guard epoch == self.session?.epoch else { return }
            self.health.mqttReceived += 1
            self.received(IncomingMessage(message))
        case .messageTooLarge(let topic, let bytes, let epoch):
            guard epoch == self.session?.epoch else { return }
            self.logger.warning("a message is too large and was dropped", metadata: ["topic": "\(topic)", "bytes": "\(bytes)"])
        case .protocolChosen(let version):
            let chosen: RememberedProtocol.Version = version == .v5 ? .v5 : .v311
            self.rememberedProtocol = RememberedProtocol(version: chosen, until: self.now.wall.adding(seconds: 86_400))
            self.save()
        }
    }

    private func connected(_ session: MQTTSession) {
        let isFirst = self.health.mqttConnects == 0
        self.session = session
        self.health.mqttConnects += 1
        let limits = Publisher.LinkLimits(
            receiveMaximum: Int(session.limits.receiveMaximum), maximumPacketSize: session.limits.maximumPacketSize.map { Int($0) })
        self.publisher.linkUp(sessionResumed: false, limits: limits)
        if !session.limits.retainAvailable {
            self.logger.warning("the broker keeps no retained messages: clients see a device's state only when it changes")
        }
        if !session.limits.wildcardAvailable {
            self.logger.warning(
                "the broker allows no wildcards: only <dev>/set and <dev>/cmd with JSON and bridge/request/<verb> reach the bridge, and leftovers stay"
            )
            self.isSweepDue = false
        }
        if session.limits.maximumQoS == .atMostOnce {
            self.logger.warning("the broker takes QoS 0 only: nobody knows what arrives there")
        }
        if !isFirst { self.publish(BridgeEvent(.mqttReconnected, data: ["protocol": .integer(Int64(session.protocolVersion.rawValue))])) }
        self.subscribe(epoch: session.epoch)
    }

    private func subscribe(epoch: UInt64) {
        self.link?.subscribe(self.subscriptions, epoch: epoch) { [weak self] outcome in
            self?.later { $0.subscribed(outcome, epoch: epoch) }
        }
    }

    /// Leftovers are asked for once in a process, so that each is named to the user; a later subscription would only repeat them.
    private var subscriptions: [MQTTSubscription] {
        self.commandSubscriptions(retainHandling: self.subscribedOnce ? .doNotSend : .send)
    }

    func commandSubscriptions(retainHandling: MQTTSubscription.RetainHandling) -> [MQTTSubscription] {
        guard self.session?.limits.wildcardAvailable != false else { return self.plainSubscriptions(retainHandling: retainHandling) }
        var filters = ["+/set/#", "+/cmd/#", "+/get/#", "+/ns/+/send"].map {
            MQTTSubscription(filter: "\(self.settings.topics.base)/\($0)", qos: .atLeastOnce, noLocal: true, retainHandling: retainHandling)
        }
        filters += self.birthSubscription
        // The self-test is a request of ours to ourselves.
        filters.append(
            MQTTSubscription(
                filter: self.settings.topics.bridge("request/#"), qos: .atLeastOnce, noLocal: false, retainHandling: retainHandling))
        return filters
    }

    private var birthSubscription: [MQTTSubscription] {
        self.birthTopic.map { [MQTTSubscription(filter: $0, qos: .atLeastOnce, retainHandling: .doNotSend)] } ?? []
    }

    /// What a broker without wildcards can deliver: the JSON forms, under slugs, each request, and Home Assistant's birth.
    private func plainSubscriptions(retainHandling: MQTTSubscription.RetainHandling) -> [MQTTSubscription] {
        let slugs = self.agents.values.map(\.state.slug).sorted()
        return slugs.flatMap { self.plainSubscriptions(of: $0, retainHandling: retainHandling) } + self.birthSubscription
            + BridgeVerb.allCases.map {
                MQTTSubscription(
                    filter: self.settings.topics.bridge("request/\($0.rawValue)"), qos: .atLeastOnce, retainHandling: retainHandling)
            }
    }

    private func plainSubscriptions(of slug: String, retainHandling: MQTTSubscription.RetainHandling) -> [MQTTSubscription] {
        ["set", "cmd"].map {
            MQTTSubscription(
                filter: self.settings.topics.device(slug, $0), qos: .atLeastOnce, noLocal: true, retainHandling: retainHandling)
        }
    }

    /// A device came, or has another slug: without wildcards its topics must be named.
    func subscribeWithoutWildcards(to slug: String) {
        guard let session, !session.limits.wildcardAvailable, self.subscribedOnce else { return }
        self.link?.subscribe(self.plainSubscriptions(of: slug, retainHandling: .doNotSend), epoch: session.epoch) { _ in }
    }

    private func subscribed(_ outcome: MQTTSubscribeOutcome, epoch: UInt64) {
        guard epoch == self.session?.epoch else { return }
        switch outcome {
        case .acknowledged(let codes):
            if let refused = codes.first(where: \.isFailure) {
                self.logger.error(
                    "the broker refuses a subscription: commands will not arrive; check its access rules",
                    metadata: ["reason": "\(refused)"])
            }
            self.subscribedOnce = true
            self.publisher.subscriptionsAcknowledged()
            self.beginSweep()
            self.pump()
        case .refused(let refusal):
            self.logger.error("the subscriptions could not be sent; trying again", metadata: ["reason": "\(refusal)"])
            self.subscribingTimer.set(self.now.monotonic + Self.subscribingPause, on: self.eventLoop) { [weak self] in
                self?.assumeIsolated { bridge in
                    bridge.subscribingTimer.cancel()
                    if epoch == bridge.session?.epoch { bridge.subscribe(epoch: epoch) }
                }
            }
        case .connectionLost: break
        }
    }

    private func disconnected(_ error: MQTTLinkError) {
        self.session = nil
        self.health.mqttLastDisconnectCode = error.reasonCode.map { Int($0.rawValue) } ?? error.result.map { Int($0.rawValue) }
        self.publisher.linkDown()
        self.announcer.linkDown()
        self.armAnnouncer()
        self.discoverySweep.interrupted()
        self.sweep?.interrupted()
        self.sweepTimer.cancel()
        self.selfTest.interrupted()
        self.selfTestTimer.cancel()
        self.abandonLeftoverSearch()
        self.finishClearing()
        self.pump()
    }

    // MARK: Sending

    /// Looks for something to send at the end of this turn, so that what changed together leaves together.
    func schedulePump() {
        guard !self.isPumpScheduled else { return }
        self.isPumpScheduled = true
        self.later {
            $0.isPumpScheduled = false
            $0.pump()
        }
    }

    /// Does what the publisher says until it has nothing more, then hands over all that is to be sent at once.
    func pump() {
        guard !self.isPumping else { return }
        self.isPumping = true
        while let action = self.publisher.next() { self.perform(action) }
        self.isPumping = false
        self.sendGathered()
        self.armPublisher()
    }

    private func perform(_ action: Publisher.Action) {
        switch action {
        case .send(let message, let token): self.outgoing.append((message, token))
        case .form(let owner, let documents): self.form(owner, documents)
        case .record(let owner, let topics): self.record(topics, of: owner)
        case .shrinkRecord(let owner): self.shrinkRecord(of: owner)
        case .settled(let owner): self.settled(owner)
        case .leftoversCleared(let refused): self.leftoversCleared(refused: refused)
        case .report(let report): self.tell(report)
        case .becameOnline: self.becameOnline()
        case .finishedLeaving: self.leavingFinished()
        }
    }

    private func sendGathered() {
        guard !self.outgoing.isEmpty else { return }
        defer { self.outgoing.removeAll(keepingCapacity: true) }
        guard let link, let epoch = self.session?.epoch else { return }
        self.health.mqttPublished += self.outgoing.count
        let time = self.now.wall
        let tokens = self.outgoing.map(\.token)
        let maximumQoS = self.session?.limits.maximumQoS ?? .exactlyOnce
        let messages = self.outgoing.map {
            var message = self.packets.packet(of: $0.message, at: time)
            if message.qos.rawValue > maximumQoS.rawValue { message.qos = maximumQoS }
            return message
        }
        link.publish(messages, epoch: epoch) { [weak self] published in
            self?.later { bridge in
                guard epoch == bridge.session?.epoch else { return }
                for message in published { bridge.published(tokens[message.index], message.outcome) }
                bridge.schedulePump()
            }
        }
    }

    private func published(_ token: Publisher.Token, _ outcome: MQTTPublishOutcome) {
        func refused(_ code: MQTTReasonCode) { self.publisher.refused(token, reasonCode: code.rawValue, now: self.now.monotonic) }
        switch outcome {
        case .acknowledged(let code) where code.isFailure:
            self.health.mqttRefused += 1
            refused(code)
        case .acknowledged: self.publisher.acknowledged(token)
        case .refused(.tooLarge): refused(.packetTooLarge)
        case .refused(.queueFull): refused(.quotaExceeded)
        case .refused(.notConnected), .connectionLost: return
        case .refused(.invalid), .refused(.library): refused(.unspecifiedError)
        }
    }

    private func form(_ owner: DocumentOwner, _ documents: DeviceDocuments) {
        switch owner {
        case .bridge:
            if let clearance { return self.publisher.formed(owner, [], leftovers: clearance.keepsDocuments ? .kept : .cleared) }
            self.publisher.formed(owner, self.bridgeDocuments())
        case .device(let id): self.formDocuments(of: id, documents)
        case .bridgeDiscovery, .discovery: self.formAnnouncement(of: owner)
        }
    }

    private func formDocuments(of id: Device.ID, _ documents: DeviceDocuments) {
        let owner = DocumentOwner.device(id)
        if let clearance { return self.publisher.formed(owner, [], leftovers: clearance.keepsDocuments ? .kept : .cleared) }
        if let removal = self.removals[id] {
            return self.publisher.formed(owner, [], leftovers: removal.keepsDocuments ? .kept : .cleared)
        }
        // Nobody wants it, or it is a group made on the fly and such groups have no topics any more.
        guard let agent = self.agents[id], self.mapper.publishes(agent.state.device) else { return self.publisher.formed(owner, []) }
        // Before anything is known of a device only `availability` is wanted, and the rest of an earlier run stays as it is.
        var leftovers = LeftoverTopics.kept
        if let move = self.moves[id], move.keepsOldTopics {
            // The old topics stay until what announces the new ones is there.
        } else if documents.isSuperset(of: .all) {
            let isComplete = self.mapper.isComplete(agent.state, documents: documents)
            leftovers = isComplete ? .cleared : .keptBelow(self.settings.topics.device(agent.state.slug, ""))
        }
        let messages = self.mapper.messages(for: agent.state, documents: documents, &agent.mediaTexts)
        self.publisher.formed(owner, messages, leftovers: leftovers)
    }

    /// Queues an event; it is sent when there is room.
    func enqueue(event: OutgoingMessage) {
        self.publisher.enqueue(event: event)
        self.schedulePump()
    }

    /// Publishes something that happened to the bridge or its set of devices.
    func publish(_ event: BridgeEvent) { self.enqueue(event: self.mapper.bridgeEvent(event, at: self.now.wall)) }

    /// Sends the position ticks of one device, or none if there is no room: the next ones come soon.
    func tick(_ agent: DeviceAgent) {
        for message in self.mapper.ticks(for: agent.state, at: self.now.monotonic) {
            if let action = self.publisher.tick(message, of: .device(agent.state.device.id)) { self.perform(action) }
        }
        self.sendGathered()
    }

    private func armPublisher() {
        guard let next = self.publisher.nextWake else { return self.publisherTimer.cancel() }
        self.publisherTimer.set(next, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.publisherTimer.cancel()
                bridge.publisher.wake(now: bridge.now.monotonic)
                bridge.pump()
            }
        }
    }

    private func tell(_ report: Publisher.Report) {
        switch report {
        // Whoever logged about the log would have no end.
        case .refused(self.settings.topics.bridge("log"), _), .tooLarge(self.settings.topics.bridge("log"), _, _): break
        case .refused(let topic, let code):
            self.logger.warning(
                "the broker refuses a topic; check its access rules and limits", metadata: ["topic": "\(topic)", "reason_code": "\(code)"])
        case .tooLarge(let topic, let bytes, let limit):
            self.logger.warning(
                "a message is larger than the broker takes", metadata: ["topic": "\(topic)", "bytes": "\(bytes)", "limit": "\(limit)"])
        case .answerLost(let topic): self.logger.warning("an answer could not be sent", metadata: ["topic": "\(topic)"])
        }
    }

    // MARK: After the state is complete

    private func becameOnline() {
        self.announceAll()
        self.logger.info(
            "bridge online",
            metadata: [
                "broker": "\(self.settings.mqtt.host):\(self.settings.mqtt.port)",
                "protocol": "\(self.session?.protocolVersion.description ?? "-")", "devices": "\(self.agents.count)",
            ])
        let nonce = UInt64(self.random() * Double(1 << 52))
        self.enqueue(event: self.selfTest.begin(nonce: nonce, now: self.now.monotonic))
        guard let deadline = self.selfTest.deadline else { return }
        self.selfTestTimer.set(deadline, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.selfTestTimer.cancel()
                guard bridge.selfTest.wake(now: bridge.now.monotonic) == .failed else { return }
                bridge.health.selfTestsFailed += 1
                bridge.logger.warning(
                    "a message of ours to ourselves did not come back: the broker may keep commands from the bridge; check its access rules",
                    metadata: ["topic": "\(bridge.settings.topics.bridge("request/health_check"))"])
            }
        }
    }
}
